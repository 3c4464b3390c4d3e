// For tests of hooks: the built command line as an agent calls it, with payloads that agents really sent, in repositories of
// their own.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { buildCli, plainEnvironment, type BuiltCli } from "./built-cli.js";
import { emptyFolder, git, put } from "./sample-workbench.js";
import { startAgentProcess, type AgentProcess } from "./start-agent-process.js";

const PAYLOADS = path.join(import.meta.dirname, "../../../fixtures/payloads");

export type Payload = Readonly<Record<string, unknown>>;

/** How a hook ended. */
export interface HookRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a hook starts from. */
export interface HookStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input as it is, instead of a payload. */
  readonly stdin?: string | Buffer;
  /** Leaves standard input open. */
  readonly isOpen?: boolean;
  /** The process that starts it. Default: this one. */
  readonly by?: AgentProcess;
}

/** A repository that an agent works in. */
export interface HookBench {
  readonly root: string;
  /** Calls the hook of an event of an agent, with its fixture's payload and some fields changed. */
  readonly hook: (agent: string, fixture: string, changes?: Payload, start?: HookStart) => Promise<HookRun>;
  /** The same without a fixture. */
  readonly call: (args: readonly string[], start: HookStart) => Promise<HookRun>;
  readonly handoff: (...args: string[]) => Promise<HookRun>;
  /** The same with more to start from. */
  readonly command: (args: readonly string[], start: HookStart) => Promise<HookRun>;
  readonly sessionFolder: (session: string) => string;
  /** The session's records, parsed. */
  readonly records: (session: string) => Payload[];
  readonly edits: (session: string) => Payload[];
  readonly session: (session: string) => Payload;
  /** Lines of the recorder's log. */
  readonly log: () => string[];
  /** The published packet of a session; null: none. */
  readonly packet: (session: string) => Payload | null;
}

/** The payload that an agent sent, its project's folder replaced by `root`. */
export function payloadOf(agent: string, fixture: string, root: string): Payload {
  const text = readFileSync(path.join(PAYLOADS, agent, `${fixture}.json`), "utf8");
  const payload: Payload = JSON.parse(text.replaceAll('"/home/dev/project', `"${root}`));
  return payload;
}

/** Parsed lines of a log; a missing one has none. */
function linesOf(file: string): Payload[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function run(main: string, args: readonly string[], cwd: string, start: HookStart): Promise<HookRun> {
  if (start.by !== undefined)
    return start.by.run({
      program: process.execPath,
      args: [main, ...args],
      cwd,
      env: plainEnvironment(start.env),
      stdin: String(start.stdin ?? ""),
    });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: plainEnvironment(start.env),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    // A hook may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
    if (start.isOpen === true) child.stdin.write(start.stdin ?? "");
    else child.stdin.end(start.stdin ?? "");
  });
}

/** A repository with one commit on `main`. */
function makeRepository(): string {
  const root = emptyFolder();
  git(root, "init", "--quiet", "--initial-branch=main");
  put(root, "README.md", "# a project\n");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "-m", "first");
  return root;
}

/** What {@link useHooks} hands out. */
export interface Hooks {
  readonly cli: () => BuiltCli;
  readonly bench: (root?: string) => HookBench;
  /** A process with this command line, killed after the test. */
  readonly agent: (...words: string[]) => AgentProcess;
}

/** Call once at the top of a test file. */
export function useHooks(): Hooks {
  let built: BuiltCli | null = null;
  const made: string[] = [];
  const cli = (): BuiltCli => {
    if (built === null) throw new Error("not built yet");
    return built;
  };
  beforeAll(() => {
    built = buildCli();
  });
  afterAll(() => built?.remove());
  const agents: AgentProcess[] = [];
  afterEach(async () => {
    for (const one of agents.splice(0)) await one.kill();
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const startAgent = (...words: string[]): AgentProcess => {
    const folder = emptyFolder();
    made.push(folder);
    const started = startAgentProcess(folder, words);
    agents.push(started);
    return started;
  };
  const bench = (given?: string): HookBench => {
    const root = given ?? makeRepository();
    made.push(root);
    const sessionFolder = (session: string): string => path.join(root, ".handoff/sessions", session);
    const call: HookBench["call"] = (args, start) =>
      run(cli().main, ["hook", ...args], start.cwd ?? root, start);
    return {
      root,
      call,
      hook: (agent, fixture, changes = {}, start = {}) => {
        const payload = { ...payloadOf(agent, fixture, root), ...changes };
        const project = agent === "claude-code" ? { CLAUDE_PROJECT_DIR: root } : {};
        return call([agent, String(payload["hook_event_name"])], {
          stdin: JSON.stringify(payload),
          ...start,
          env: { ...project, ...start.env },
        });
      },
      handoff: (...args) => run(cli().main, args, root, {}),
      command: (args, start) => run(cli().main, args, start.cwd ?? root, start),
      sessionFolder,
      records: (session) => linesOf(path.join(sessionFolder(session), "feedback.jsonl")),
      edits: (session) => linesOf(path.join(sessionFolder(session), "touched_files.jsonl")),
      session: (session) =>
        JSON.parse(readFileSync(path.join(sessionFolder(session), "session.json"), "utf8")),
      log: () => {
        const file = path.join(root, ".handoff/recorder.log");
        return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
      },
      packet: (session) => {
        const folder = path.join(root, "outputs/handoff", session);
        if (!existsSync(folder) || !readdirSync(folder).includes("handoff.json")) return null;
        return JSON.parse(readFileSync(path.join(folder, "handoff.json"), "utf8"));
      },
    };
  };
  return { cli, bench, agent: startAgent };
}
