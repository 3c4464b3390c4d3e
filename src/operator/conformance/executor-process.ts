// One executor as a process (O12): a line to it, a line back, each within its time; killed whenever a scenario wants it. Whatever it
// says that is no answer of the protocol is a failure that names it.
import { spawn, type ChildProcess } from "node:child_process";
import { splitLines } from "../../io/line-splitter.js";
import { sendSignal } from "../../io/process-tree.js";
import {
  type ExecutorAnswer,
  executorAnswerSchema,
  type ExecutorOrder,
} from "../../model/executor-messages.js";
import { cleanLine } from "../../text/clean.js";
import { cutText } from "../../text/cut.js";
import { parseJson } from "../../text/parse-json.js";
import { ScenarioFailure } from "./scenario-failure.js";

/** How an executor is started. */
export interface ExecutorCommand {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For one answer. */
  readonly stepMs: number;
}

/** A running one. */
export interface ExecutorProcess {
  /** Throws ScenarioFailure for no answer in time, for what is none, and for one that says that it could not be done. */
  readonly say: (order: ExecutorOrder) => Promise<ExecutorAnswer>;
  /** SIGKILL, as a crash; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Ends it, with everything it started in its own group. */
  readonly end: () => Promise<void>;
}

/** It could not be started at all. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
}

const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_STDERR = 4000;
const MAX_SHOWN = 300;
/** For an executor that was asked to leave. */
const LEAVE_MS = 2000;

const shown = (text: string): string => cutText(cleanLine(text), MAX_SHOWN);

function readAnswer(line: string | null, id: number): ExecutorAnswer {
  if (line === null) throw new ScenarioFailure("the executor's answer is too long");
  const parsed = parseJson(line);
  const read = parsed.ok ? executorAnswerSchema.safeParse(parsed.value) : null;
  if (read === null) throw new ScenarioFailure(`what the executor says is no JSON: ${shown(line)}`);
  if (!read.success) {
    const [first] = read.error.issues;
    throw new ScenarioFailure(
      `the executor's answer is not as the protocol has it: ${first?.path.join("/") ?? ""} ${first?.message ?? ""}`,
    );
  }
  if (read.data.id !== id)
    throw new ScenarioFailure(`the executor answers ${read.data.id}, and was asked ${id}`);
  return read.data;
}

/** What the process says, and who waits for it. */
interface Ear {
  /** The next line; null: too long. Rejects when the process is gone. */
  readonly next: (ms: number, what: string) => Promise<string | null>;
  readonly stderr: () => string;
}

function listen(child: ChildProcess): Ear {
  const lines: (string | null)[] = [];
  let errors = "";
  let isGone = false;
  let wake = (): void => undefined;
  const splitter = splitLines((line) => {
    if (line?.trim() === "") return;
    lines.push(line);
    wake();
  }, MAX_ANSWER);
  child.stdout?.on("data", splitter.push);
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    errors = `${errors}${piece}`.slice(-MAX_STDERR);
  });
  child.on("close", () => {
    splitter.end();
    isGone = true;
    wake();
  });
  const lastWords = (): string => {
    const line = errors.trim().split("\n").at(-1) ?? "";
    return line === "" ? "" : `; its last words: ${shown(line)}`;
  };
  return {
    stderr: () => errors,
    next: async (ms, what) => {
      if (lines.length === 0 && !isGone)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      const line = lines.shift();
      if (line !== undefined) return line;
      throw new ScenarioFailure(
        isGone
          ? `the executor ended instead of answering ${what}${lastWords()}`
          : `the executor did not answer ${what} within ${ms / 1000} s${lastWords()}`,
      );
    },
  };
}

const gone = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => {
        child.once("exit", () => resolve());
      });

/** Starts one. Rejects with {@link NotStarted} where there is no such program. */
export function startExecutor({ words, cwd, env, stepMs }: ExecutorCommand): Promise<ExecutorProcess> {
  const [program = "", ...args] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: "pipe",
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new NotStarted(`${program}: ${error.code === "ENOENT" ? "no such program" : error.message}`)),
    );
    child.once("spawn", () => {
      const ear = listen(child);
      child.stdin.on("error", () => undefined);
      let count = 0;
      const kill = async (): Promise<void> => {
        child.kill("SIGKILL");
        await gone(child);
      };
      resolve({
        kill,
        say: async (order) => {
          count += 1;
          child.stdin.write(`${JSON.stringify({ id: count, ...order })}\n`);
          const answer = readAnswer(await ear.next(stepMs, order.op), count);
          if (answer.ok) return answer;
          throw new ScenarioFailure(`the executor could not do ${order.op}: ${shown(answer.error ?? "")}`);
        },
        end: async () => {
          child.stdin.end();
          const timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
          await gone(child);
          clearTimeout(timer);
          // Whatever it had started in its own group.
          if (child.pid !== undefined && process.platform !== "win32") sendSignal(-child.pid, "SIGKILL");
        },
      });
    });
  });
}
