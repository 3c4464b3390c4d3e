// Talks with a child process line by line (JSON-RPC on stdio): no shell, a time limit, bounded output. How it went is a
// result, never a throw.
import { spawn, type ChildProcess } from "node:child_process";

export interface DialogueOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For the whole of it. */
  readonly timeoutMs: number;
  /** Most characters of stdout that are listened to. */
  readonly maxChars: number;
  /** Lines said first. */
  readonly opening: readonly string[];
  /** Called for each line of stdout: lines to say next, or null when everything is said and heard. */
  readonly onLine: (line: string) => readonly string[] | null;
}

/** `done`: to its end. `ended`: the child ended first. `timeout` and `too_large`: we stopped it. `failed`: it did not start. */
export type DialogueStatus = "done" | "ended" | "timeout" | "too_large" | "failed";

/** What a child gets to end by itself once its stdin is closed, and again after SIGTERM. */
const GRACE_MS = 500;

/** Runs `command` and talks with it. Never rejects; the child is gone, or told to go, when it resolves. */
export function runDialogue(
  command: string,
  args: readonly string[],
  options: DialogueOptions,
): Promise<DialogueStatus> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
    } catch {
      resolve("failed");
      return;
    }
    converse(child, options, resolve);
  });
}

function converse(
  child: ChildProcess,
  { timeoutMs, maxChars, opening, onLine }: DialogueOptions,
  resolve: (status: DialogueStatus) => void,
): void {
  let outcome: DialogueStatus | null = null;
  let heard = "";
  let total = 0;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, action: () => void): void => void timers.add(setTimeout(action, ms));
  const settle = (status: DialogueStatus): void => {
    for (const timer of timers) clearTimeout(timer);
    child.stdout?.destroy();
    resolve(outcome ?? status);
  };
  /** A closed stdin ends a server that talks on it; whoever does not listen is told, then made to go. */
  const conclude = (status: DialogueStatus): void => {
    if (outcome !== null) return;
    outcome = status;
    child.stdin?.end();
    later(GRACE_MS, () => child.kill("SIGTERM"));
    later(2 * GRACE_MS, () => child.kill("SIGKILL"));
    later(3 * GRACE_MS, () => settle(status));
  };
  const say = (lines: readonly string[]): void =>
    void child.stdin?.write(lines.map((line) => `${line}\n`).join(""));

  child.on("error", () => settle("failed"));
  child.on("close", () => settle("ended"));
  // The child may be gone before it has read everything.
  child.stdin?.on("error", () => undefined);
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    total += chunk.length;
    if (total > maxChars) conclude("too_large");
    if (outcome !== null) return;
    heard += chunk;
    const lines = heard.split("\n");
    heard = lines.pop() ?? "";
    for (const line of lines) {
      const answer = onLine(line);
      if (answer === null) {
        conclude("done");
        return;
      }
      if (answer.length > 0) say(answer);
    }
  });
  // Where we ourselves were held up, an answer may be there already and merely not heard yet: that is done first.
  later(timeoutMs, () => void setImmediate(() => conclude("timeout")));
  say(opening);
}
