// The runner's side of the conversation (O1): JSON lines over a socket, one answer a line. Whatever comes in is bounded and
// checked; what cannot be understood is answered and breaks nothing.
import { createServer, type Server, type Socket } from "node:net";
import { chmodSync } from "node:fs";
import { z } from "zod";
import { splitLines } from "../io/line-splitter.js";
import { isValidId } from "../model/valid-id.js";
import { parseJson } from "../text/parse-json.js";
import type { Answer, Ask } from "./request-book.js";
import { isOver, MAX_REASON, type RequestRecord } from "./request-record.js";

/** Bounds of what one run listens to. */
const MAX_CLIENTS = 32;
const MAX_LINE = 32 * 1024;
const MAX_LINES = 64;
/** Answers that nobody fetches, in bytes. */
const MAX_UNREAD = 1024 * 1024;
/** A client that asks nothing, and one that does not take its last answer, in milliseconds. */
const IDLE_MS = 30_000;
const CLOSE_MS = 1000;

const requestId = z.string().refine(isValidId);
const messageSchema = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("now"),
    request_id: requestId,
    reason: z.string().max(MAX_REASON).nullable().optional(),
  }),
  z.strictObject({ op: z.literal("status"), request_id: requestId.optional() }),
  z.strictObject({ op: z.literal("wait"), request_id: requestId }),
]);
/** What a client may say. */
export type ClientMessage = z.input<typeof messageSchema>;

/** What the server asks the engine. */
export interface RequestDesk {
  readonly accept: (ask: Ask) => Promise<Answer>;
  readonly requests: () => readonly RequestRecord[];
  /** Calls `listener` after each change of the request; the returned function ends that. */
  readonly subscribe: (requestId: string, listener: (request: RequestRecord) => void) => () => void;
  readonly run_id: string;
}

export interface RequestServer {
  /** Nobody is listened to any more; what was to be told is told. Never rejects. */
  readonly close: () => Promise<void>;
}

const failure = (code: string, what: string): object => ({
  ok: false,
  code,
  what,
  hint: "see src/operator in the project's documentation for what can be said here",
});

async function answer(
  line: string | null,
  desk: RequestDesk,
  tell: (value: object) => void,
  watch: (id: string) => void,
): Promise<void> {
  if (line === null) {
    tell(failure("protocol.line", `a line has at most ${MAX_LINE} bytes`));
    return;
  }
  const parsed = parseJson(line);
  if (!parsed.ok) {
    tell(failure("protocol.json", `not JSON: ${parsed.reason}`));
    return;
  }
  const read = messageSchema.safeParse(parsed.value);
  if (!read.success) {
    tell(failure("protocol.message", "not a message that can be answered"));
    return;
  }
  const message = read.data;
  const { run_id } = desk;
  switch (message.op) {
    case "now": {
      const { request_id, reason = null } = message;
      tell({ run_id, ...(await desk.accept({ request_id, reason })) });
      break;
    }
    case "status": {
      const { request_id } = message;
      const all = desk.requests();
      const requests =
        request_id === undefined ? all.slice(-20) : all.filter((one) => one.request_id === request_id);
      tell({ ok: true, run_id, requests });
      break;
    }
    case "wait":
      watch(message.request_id);
      break;
  }
}

function attend(socket: Socket, desk: RequestDesk): void {
  let lines = 0;
  let isWaiting = false;
  let last: Promise<void> = Promise.resolve();
  const ends = new Set<() => void>();
  const tell = (value: object): void => {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(value)}\n`);
    if (socket.writableLength > MAX_UNREAD) socket.destroy();
  };
  const watch = (id: string): void => {
    const known = desk.requests().find(({ request_id }) => request_id === id);
    if (known === undefined) {
      tell(failure("request.unknown", `this run has no request ${id}`));
      return;
    }
    isWaiting = true;
    tell({ ok: true, run_id: desk.run_id, request: known });
    if (isOver(known)) return;
    ends.add(desk.subscribe(id, (request) => tell({ ok: true, run_id: desk.run_id, request })));
  };
  const take = (line: string | null): void => {
    lines += 1;
    if (lines > MAX_LINES) {
      socket.destroy();
      return;
    }
    last = last
      .then(() => answer(line, desk, tell, watch))
      // A fault of ours: the client hears of it, the run does not.
      .catch((error: unknown) => tell(failure("protocol.fault", String(error))));
  };
  const splitter = splitLines(take, MAX_LINE);
  socket.on("data", splitter.push);
  socket.on("error", () => socket.destroy());
  socket.on("end", () => {
    splitter.end();
    void last.finally(() => socket.end());
  });
  socket.setTimeout(IDLE_MS, () => {
    if (!isWaiting) socket.destroy();
  });
  socket.on("close", () => {
    for (const end of ends) end();
  });
}

/** Ends what is open: what was written is still sent, but nobody is waited for long. */
function endClients(clients: ReadonlySet<Socket>): Promise<void> {
  for (const client of clients) client.end();
  return new Promise((resolve) => {
    if (clients.size === 0) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      for (const client of clients) client.destroy();
      resolve();
    };
    const timer = setTimeout(done, CLOSE_MS);
    for (const client of clients)
      client.once("close", () => {
        if ([...clients].every(({ destroyed }) => destroyed)) done();
      });
  });
}

/** Binds for the owner alone, from the first moment on. */
function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const isFile = process.platform !== "win32";
    const before = isFile ? process.umask(0o177) : 0;
    try {
      server.listen(address, () => {
        server.off("error", reject);
        if (isFile) chmodSync(address, 0o600);
        resolve();
      });
    } finally {
      if (isFile) process.umask(before);
    }
  });
}

/** Listens at `address` until it is closed. Rejects with what the system says where it cannot. */
export async function serveRequests(address: string, desk: RequestDesk): Promise<RequestServer> {
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clients.add(socket);
    socket.on("close", () => clients.delete(socket));
    attend(socket, desk);
  });
  server.maxConnections = MAX_CLIENTS;
  await listen(server, address);
  // Later failures are of single connections.
  server.on("error", () => undefined);
  // What goes on is the run; listening alone keeps no process.
  server.unref();
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await endClients(new Set(clients));
      await closed;
    },
  };
}
