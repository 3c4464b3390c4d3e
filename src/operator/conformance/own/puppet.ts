// The agent that our own executor plays with (O13): a real process that a run starts turn by turn, and that does what it is told over a
// socket: write files, say how full its context is, say words, leave. It never ends by itself, unless whoever leads it is gone.
import { mkdir, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import path from "node:path";
import { splitLines } from "../../../io/line-splitter.js";

/** Names the address that a puppet connects to. */
export const PUPPET_VARIABLE = "HANDOFF_PUPPET";

/** What a puppet is told; each is acknowledged. */
export type PuppetOrder =
  | { readonly do: "write"; readonly files: Readonly<Record<string, string>> }
  /** A message boundary: its context from now on, in tokens. */
  | { readonly do: "usage"; readonly context: number }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "complain"; readonly text: string }
  | { readonly do: "leave"; readonly code: number };

const written = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(text, () => resolve());
  });

async function obey(order: PuppetOrder): Promise<void> {
  switch (order.do) {
    case "write":
      for (const [file, text] of Object.entries(order.files)) {
        await mkdir(path.dirname(path.resolve(file)), { recursive: true });
        await writeFile(path.resolve(file), text);
      }
      break;
    case "usage":
      await written(process.stderr, `HANDOFF_USAGE {"context": ${order.context}, "window": 200000}\n`);
      break;
    case "say":
      await written(process.stdout, `${order.text}\n`);
      break;
    case "complain":
      await written(process.stderr, `${order.text}\n`);
      break;
    case "leave":
      break;
  }
}

/** Plays one turn: connects, and obeys until it is told to leave. Resolves with its exit code. */
export function playPuppet(env: NodeJS.ProcessEnv): Promise<number> {
  const address = env[PUPPET_VARIABLE];
  if (address === undefined) return Promise.resolve(1);
  // Whoever leads decides when a turn that is interrupted ends.
  process.on("SIGINT", () => undefined);
  return new Promise((resolve) => {
    const socket = createConnection(address);
    const carryOut = async (order: PuppetOrder, before: Promise<void>): Promise<void> => {
      await before;
      await obey(order);
      if (order.do !== "leave") socket.write("ok\n");
      else socket.end("ok\n", () => resolve(order.code));
    };
    let last: Promise<void> = Promise.resolve();
    const splitter = splitLines((line) => {
      if (line !== null) last = carryOut(JSON.parse(line), last);
    });
    socket.on("data", splitter.push);
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(1));
  });
}
