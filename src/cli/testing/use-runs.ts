// For tests of handoff run: a repository, a scripted agent with a home of its own, and the built command line as a process
// that can be talked to, in a pipe or on a terminal.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach } from "vitest";
import type { Scenario } from "../../../fixtures/agents/scenario.js";
import { killByVariable } from "../../io/process-tree.js";
import { quoteArgv } from "../../text/shell-words.js";
import { plainEnvironment, type BuiltCli, type CliRun, runCli } from "./built-cli.js";
import { emptyFolder, git, put } from "./sample-workbench.js";

const AGENTS = path.join(import.meta.dirname, "../../../fixtures/agents");

export type ScriptedName = "claude-code" | "codex" | "command";
const PROGRAMS: Readonly<Record<ScriptedName, string>> = {
  "claude-code": "scripted-claude.mjs",
  codex: "scripted-codex.mjs",
  command: "scripted-command.mjs",
};

/** The program that plays an agent. */
export const scripted = (name: ScriptedName): string => path.join(AGENTS, PROGRAMS[name]);

/** Options that name a scripted agent. */
export const played = (name: ScriptedName): string[] => ["--agent", name, "--agent-bin", scripted(name)];

/** A run that goes on. */
export interface GoingRun {
  readonly child: ChildProcess;
  /** What it has said so far, on both streams. */
  readonly said: () => string;
  /** Resolves when it has said that; rejects when it ended without. */
  readonly until: (words: string | RegExp) => Promise<void>;
  readonly end: Promise<CliRun>;
}

export interface Job {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** In a pipe. stdin is empty unless `input` says otherwise. */
  readonly start: (
    args: readonly string[],
    how?: { input?: string; env?: Record<string, string> },
  ) => GoingRun;
  /** `handoff now` beside it. */
  readonly now: (args: readonly string[]) => Promise<CliRun>;
  readonly run: (
    args: readonly string[],
    how?: { input?: string; env?: Record<string, string> },
  ) => Promise<CliRun>;
  /** On a terminal of 80 by 24; `before` and `after` are a shell's lines around it. What is typed goes to `child.stdin`. */
  readonly onTerminal: (
    args: readonly string[],
    how?: { env?: Record<string, string>; after?: string; redirect?: string },
  ) => GoingRun;
  /** The prompt of a turn, by its number. */
  readonly prompt: (turn: number) => string;
  /** Arguments of the agent of a turn. */
  readonly argv: (turn: number) => string[];
  readonly steps: () => boolean[];
}

function follow(child: ChildProcess): GoingRun {
  let stdout = "";
  let stderr = "";
  let waiting: (() => void)[] = [];
  let isOver = false;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    stdout += piece;
    wake();
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
    wake();
  });
  child.stdin?.on("error", () => undefined);
  const said = (): string => stdout + stderr;
  const end = new Promise<CliRun>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      isOver = true;
      wake();
      resolve({ code, stdout, stderr });
    });
  });
  const until = (words: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const isThere = typeof words === "string" ? said().includes(words) : words.test(said());
        if (!isThere && !isOver) return;
        waiting = waiting.filter((one) => one !== look);
        if (isThere) resolve();
        else reject(new Error(`it ended without saying ${String(words)}:\n${said()}`));
      };
      waiting.push(look);
      look();
    });
  return { child, said, until, end };
}

/** Call once at the top of a test file. */
export function useRuns(cli: () => BuiltCli): (scenario: Scenario) => Job {
  const made: string[] = [];
  const going: ChildProcess[] = [];
  const homes: string[] = [];
  afterEach(async () => {
    for (const child of going.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
    // What killed runners leave running is for their resume to end; nobody resumes these any more.
    for (const home of homes.splice(0)) await killByVariable("SCRIPT_HOME", home);
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return (scenario) => {
    const base = emptyFolder();
    made.push(base);
    const root = path.join(base, "project");
    const home = path.join(base, "home");
    put(root, "README", "a project\n");
    git(root, "init", "--quiet", "--initial-branch=main");
    git(root, "add", ".");
    git(root, "commit", "--quiet", "--message", "Start");
    put(home, "scenario.json", scenario);
    homes.push(home);
    const env = { SCRIPT_HOME: home, HOME: home, CODEX_HOME: path.join(home, "codex") };
    const start: Job["start"] = (args, how = {}) => {
      const child = spawn(process.execPath, [cli().main, "run", ...args], {
        cwd: root,
        env: plainEnvironment({ ...env, ...how.env }),
        stdio: [how.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      });
      going.push(child);
      child.stdin?.end(how.input);
      return follow(child);
    };
    const onTerminal: Job["onTerminal"] = (args, how = {}) => {
      const line = quoteArgv([process.execPath, cli().main, "run", ...args]);
      const whole = `stty cols 80 rows 24; ${line} ${how.redirect ?? ""}; code=$?; ${how.after ?? ":"}; exit $code`;
      const child = spawn("script", ["--quiet", "--return", "--command", whole, "/dev/null"], {
        cwd: root,
        env: plainEnvironment({ ...env, SHELL: "/bin/sh", TERM: "xterm-256color", ...how.env }),
        stdio: ["pipe", "pipe", "pipe"],
      });
      going.push(child);
      return follow(child);
    };
    const turn = (number: number): { readonly argv: string[] } =>
      JSON.parse(readFileSync(path.join(home, "turns", String(number)), "utf8"));
    return {
      root,
      home,
      env,
      start,
      now: (args) => runCli(cli(), ["now", ...args], { cwd: root, env }),
      run: (args, how) => start(args, how).end,
      onTerminal,
      prompt: (number) => readFileSync(path.join(home, "prompts", `${number}.txt`), "utf8"),
      argv: (number) => turn(number).argv,
      steps: () => scenario.steps.map(({ name }) => existsSync(path.join(root, `steps/${name}.txt`))),
    };
  };
}
