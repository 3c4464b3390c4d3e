// Where puppets report for work: a socket, and the turns that connect to it one after the other.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { splitLines } from "../../../io/line-splitter.js";
import type { PuppetOrder } from "./puppet.js";

/** One turn of the agent, waiting to be told what to do. */
export interface Puppet {
  /** Resolves when it is done; also when the puppet is gone. */
  readonly tell: (order: PuppetOrder) => Promise<void>;
}

export interface PuppetStage {
  readonly address: string;
  /** The next turn that has not been asked for. */
  readonly next: () => Promise<Puppet>;
  readonly close: () => Promise<void>;
}

function leadOf(socket: Socket): Puppet {
  const waiting: (() => void)[] = [];
  const wake = (): void => waiting.shift()?.();
  const splitter = splitLines(wake);
  socket.on("data", splitter.push);
  socket.on("error", () => undefined);
  let isGone = false;
  socket.on("close", () => {
    isGone = true;
    for (const one of waiting.splice(0)) one();
  });
  return {
    tell: (order) =>
      new Promise((resolve) => {
        if (isGone) {
          resolve();
          return;
        }
        waiting.push(resolve);
        socket.write(`${JSON.stringify(order)}\n`);
      }),
  };
}

/** Longest path that a socket may have everywhere. */
const MAX_ADDRESS = 100;

/** Opens it, in a folder of its own inside `home`, where whoever made that will find it; elsewhere if its path is too long. */
export async function openPuppetStage(home: string): Promise<PuppetStage> {
  const name = "puppets-";
  const isShort = path.join(home, `${name}123456`, "s").length <= MAX_ADDRESS;
  const folder = await mkdtemp(path.join(isShort ? home : tmpdir(), name));
  const address =
    process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, "s");
  const ready: Puppet[] = [];
  const waiting: ((puppet: Puppet) => void)[] = [];
  const server = createServer((socket) => {
    const puppet = leadOf(socket);
    const first = waiting.shift();
    if (first === undefined) ready.push(puppet);
    else first(puppet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, resolve);
  });
  return {
    address,
    next: () => {
      const puppet = ready.shift();
      return puppet === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(puppet);
    },
    close: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
