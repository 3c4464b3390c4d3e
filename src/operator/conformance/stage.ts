// Where a scenario plays (O12): a fresh repository with one commit, a folder for the executor's own files, and the executor, which
// may be killed and started again on both. What the executor says is one thing; what git says is asked of git.
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type {
  Capability,
  ExecutorAnswer,
  ExecutorOrder,
  ExecutorRecords,
  StopPoint,
} from "../../model/executor-messages.js";
import { sha256Hex } from "../../text/digest.js";
import { gitIn } from "../attempt-git.js";
import {
  endMarked,
  type ExecutorCommand,
  type ExecutorProcess,
  markedEnvironment,
  startExecutor,
} from "./executor-process.js";
import { expectThat, ScenarioFailure } from "./scenario-failure.js";

type Reports = NonNullable<ExecutorAnswer["reports"]>;
export type RequestRow = ExecutorRecords["requests"][number];
export type AttemptRow = ExecutorRecords["attempts"][number];
type Fault = NonNullable<Extract<ExecutorOrder, { op: "open" }>["faults"]>[number];

/** One scenario's world. */
export interface Stage {
  /** Says it and keeps what is reported. */
  readonly say: (order: ExecutorOrder) => Promise<ExecutorAnswer>;
  /** A process begins: who is there? Without an engine. */
  readonly greet: () => Promise<void>;
  /** The engine starts. */
  readonly open: (faults?: readonly Fault[]) => Promise<void>;
  /** Killed, and started again; with an engine, if `faults` is not null. */
  readonly crash: (faults?: readonly Fault[] | null) => Promise<void>;
  readonly start: (more?: { run?: string; max_errors?: number }) => Promise<{ run: string; attempt: number }>;
  readonly ask: (request_id: string, reason?: string) => Promise<ExecutorAnswer>;
  readonly work: (
    file: string,
    more?: { until?: StopPoint; note?: "usable" | "unusable" },
  ) => Promise<ExecutorAnswer>;
  readonly pass: (seconds: number) => Promise<ExecutorAnswer>;
  readonly read: () => Promise<ExecutorRecords>;
  /** One request of the records. */
  readonly request: (request_id: string) => Promise<RequestRow>;
  /** The newest attempt of the records. */
  readonly attempt: () => Promise<AttemptRow>;
  /** What was reported so far. */
  readonly reports: () => Reports;
  readonly git: (...args: string[]) => Promise<string>;
  /** The content of a file on a branch; null: it is not there. */
  readonly onBranch: (branch: string, file: string) => Promise<string | null>;
  /** Everything on disk that a reader must not change, as one digest. */
  readonly digest: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const START = Date.parse("2026-11-29T10:00:00.000Z");
const AUTHOR = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];

/** What the agent writes into a file. */
export const contentOf = (file: string): string => `what ${file} holds\n`;

async function digestOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const rows = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return `${file} ${sha256Hex(await readFile(file))}`;
      }),
  );
  return sha256Hex(rows.toSorted().join("\n"));
}

/** Makes one and starts the executor, without an engine yet. Rejects with NotStarted, ScenarioFailure. */
export async function openStage(command: ExecutorCommand): Promise<Stage> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "handoff-conformance-")));
  const repository = path.join(base, "repository");
  const state = path.join(base, "state");
  const mark = path.basename(base);
  const plain = { ...command.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const env = markedEnvironment(plain, mark);
  const removeBase = (): Promise<void> => rm(base, { recursive: true, force: true, maxRetries: 3 });
  await mkdir(repository);
  await mkdir(state);
  const git = (...args: string[]): Promise<string> => gitIn(repository, env).run(args);
  await git("init", "--quiet", "--initial-branch=main");
  await writeFile(path.join(repository, "README"), "a project\n");
  await git("add", "README");
  await git(...AUTHOR, "commit", "--quiet", "--message", "Start");

  let now = START;
  let executor: ExecutorProcess = await startExecutor({ ...command, env }).catch(async (error: unknown) => {
    await removeBase();
    throw error;
  });
  const told: Reports = [];
  const say: Stage["say"] = async (order) => {
    const answer = await executor.say(order);
    told.push(...(answer.reports ?? []));
    return answer;
  };
  const greet: Stage["greet"] = async () => void (await say({ op: "hello", protocol: 1 }));
  const open: Stage["open"] = async (faults) =>
    void (await say({
      op: "open",
      repository,
      state,
      now: new Date(now).toISOString(),
      ...(faults === undefined ? {} : { faults: [...faults] }),
    }));
  const read: Stage["read"] = async () => {
    const { records } = await say({ op: "read", repository, state });
    if (records === undefined) throw new ScenarioFailure("the answer to read has no records");
    return records;
  };
  return {
    say,
    greet,
    open,
    read,
    git,
    crash: async (faults) => {
      await executor.kill();
      executor = await startExecutor({ ...command, env });
      await greet();
      if (faults !== null) await open(faults);
    },
    start: async (more = {}) => {
      const { run, attempt } = await say({ op: "start", ...more });
      if (run === undefined || attempt === undefined)
        throw new ScenarioFailure("the answer to start does not say which run and attempt it is");
      return { run, attempt };
    },
    ask: (request_id, reason) => say({ op: "ask", request_id, ...(reason === undefined ? {} : { reason }) }),
    work: (file, more = {}) => say({ op: "work", files: { [file]: contentOf(file) }, ...more }),
    pass: (seconds) => {
      now += seconds * 1000;
      return say({ op: "pass", seconds });
    },
    request: async (request_id) => {
      const found = (await read()).requests.filter((one) => one.request_id === request_id);
      const [one] = found;
      expectThat(found.length === 1 && one !== undefined, `${request_id} is ${found.length} times on record`);
      return one;
    },
    attempt: async () => {
      const last = (await read()).attempts.at(-1);
      expectThat(last !== undefined, "no attempt is on record");
      return last;
    },
    reports: () => told,
    onBranch: async (branch, file) => {
      const { ok, out } = await gitIn(repository, env).ask(["show", `refs/heads/${branch}:${file}`]);
      return ok ? out : null;
    },
    digest: async () => `${await digestOf(state)} ${await digestOf(repository)}`,
    close: async () => {
      await executor.end();
      await endMarked(mark);
      await removeBase();
    },
  };
}

/** What an executor says it can do. */
export async function readCapabilities(
  command: ExecutorCommand,
): Promise<{ readonly name: string; readonly capabilities: readonly string[] }> {
  const mark = `hello-${randomUUID()}`;
  const executor = await startExecutor({ ...command, env: markedEnvironment(command.env, mark) });
  try {
    const { protocol, name = "", capabilities = [] } = await executor.say({ op: "hello", protocol: 1 });
    expectThat(protocol === 1, `the executor speaks protocol ${protocol ?? "?"}, and 1 is spoken here`);
    return { name, capabilities };
  } finally {
    await executor.end();
    await endMarked(mark);
  }
}

/** A scenario and what it needs. */
export interface Scenario {
  readonly name: string;
  /** One of several ways to play it; null: there is one. */
  readonly variant: string | null;
  readonly needs: readonly Capability[];
  /** What it proves, in one line. */
  readonly proves: string;
  /** Plays it; throws ScenarioFailure. The process is greeted, and no engine runs yet. */
  readonly play: (stage: Stage) => Promise<void>;
}
