// One executor as a process (O12): a line to it, a line back, each within its time; killed whenever a scenario wants it. Whatever it
// says that is no answer of the protocol is a failure that names it.
import { spawn, type ChildProcess } from "node:child_process";
import { splitLines } from "../../io/line-splitter.js";
import { killByVariable, sendSignal } from "../../io/process-tree.js";
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
  /** Of whoever named the words: they may be relative. */
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
/** For what an executor that is gone has said last. */
const DRAIN_MS = 500;
/** For an executor that was asked to leave. */
const LEAVE_MS = 2000;

/** Most lines that wait to be looked at; more are not read. */
const MAX_WAITING = 16;
/** Carried by whatever an executor starts, so that what leaves its group is found, too. */
const MARK = "HANDOFF_CONFORMANCE";

/** The environment by which {@link endMarked} finds whatever was started in it. */
export function markedEnvironment(env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv {
  return { ...env, [MARK]: mark };
}

/** Kills what is left of it, and waits until it is gone. Never rejects. */
export async function endMarked(mark: string): Promise<void> {
  await killByVariable(MARK, mark).catch(() => undefined);
}

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
  /** A line that nobody has asked for; undefined: there is none. */
  readonly unasked: () => string | null | undefined;
}

function listen(child: ChildProcess): Ear {
  const lines: (string | null)[] = [];
  let errors = "";
  let isGone = false;
  let wake = (): void => undefined;
  const splitter = splitLines((line) => {
    if (line?.trim() === "") return;
    lines.push(line);
    if (lines.length >= MAX_WAITING) child.stdout?.pause();
    wake();
  }, MAX_ANSWER);
  child.stdout?.on("data", splitter.push);
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    errors = `${errors}${piece}`.slice(-MAX_STDERR);
  });
  const over = (): void => {
    if (isGone) return;
    isGone = true;
    splitter.end();
    wake();
  };
  child.on("close", over);
  // What it started may hold its output open for good.
  child.on("exit", () => setTimeout(over, DRAIN_MS).unref());
  const lastWords = (): string => {
    const line = errors.trim().split("\n").at(-1) ?? "";
    return line === "" ? "" : `; its last words: ${shown(line)}`;
  };
  return {
    unasked: () => lines[0],
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
      child.stdout?.resume();
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
          const unasked = ear.unasked();
          if (unasked !== undefined)
            throw new ScenarioFailure(`the executor says what nobody has asked for: ${shown(unasked ?? "")}`);
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
          child.stdout.destroy();
          child.stderr.destroy();
        },
      });
    });
  });
}
