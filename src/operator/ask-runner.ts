// The person's side of the conversation (O1): one line out, answers back, bounded in size and time. What a runner says is
// checked like anything from outside.
import { connect, type Socket } from "node:net";
import { z } from "zod";
import { splitLines } from "../io/line-splitter.js";
import { parseJson } from "../text/parse-json.js";
import { requestSchema } from "./request-record.js";
import type { ClientMessage } from "./serve-requests.js";

const MAX_LINE = 256 * 1024;
/** Longest wait for the connection and for the first answer, in milliseconds. */
export const ANSWER_MS = 10_000;

const answerSchema = z.union([
  z.object({ ok: z.literal(true), run_id: z.string(), request: requestSchema }),
  z.object({ ok: z.literal(false), code: z.string(), what: z.string(), hint: z.string() }),
]);
/** What a runner answers to `now` and `wait`. */
export type RunnerAnswer = Readonly<z.infer<typeof answerSchema>>;

/** An open one. */
export interface Conversation {
  readonly say: (message: ClientMessage) => void;
  /** The next answer; null: the runner said no more, or nothing within `ms`, or no sense. */
  readonly hear: (ms: number) => Promise<RunnerAnswer | null>;
  readonly end: () => void;
}

function open(socket: Socket): Conversation {
  const heard: (RunnerAnswer | null)[] = [];
  let wake: () => void = () => undefined;
  const take = (answer: RunnerAnswer | null): void => {
    heard.push(answer);
    wake();
  };
  const splitter = splitLines((line) => {
    const parsed = line === null ? null : parseJson(line);
    const read = parsed?.ok === true ? answerSchema.safeParse(parsed.value) : null;
    take(read?.success === true ? read.data : null);
  }, MAX_LINE);
  socket.on("data", splitter.push);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => take(null));
  return {
    say: (message) => void socket.write(`${JSON.stringify(message)}\n`),
    hear: async (ms) => {
      if (heard.length === 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      return heard.shift() ?? null;
    },
    end: () => socket.destroy(),
  };
}

/** Connects to a runner; null: it cannot be reached. */
export function reachRunner(address: string, ms = ANSWER_MS): Promise<Conversation | null> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once("error", () => socket.destroy());
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(null);
    });
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners();
      resolve(open(socket));
    });
  });
}
