// For tests: a project, a scripted agent with a home of its own, and a run of it in this process, with everything it told.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findByVariable } from "../../io/process-tree.js";
import type { HandoffPacket } from "../../model/packet.js";
import { type RunEventLine, runEventSchema } from "../../model/run-events.js";
import { RUN_VARIABLE } from "../../recorder/recorder.js";
import { openWorkbench, type Workbench } from "../../session/open-workbench.js";
import type { Scenario } from "../../../fixtures/agents/scenario.js";
import { readRun } from "../run-folder.js";
import type { RunEnd, RunPlan, RunPorts } from "../run-options.js";
import { runRotation, type RunBeginning } from "../run-rotation.js";
import { DEFAULT_LIMITS, type RunLimits } from "../run-state.js";
import { scriptedAgent } from "./scripted-agents.js";

/** Short: a scripted agent ends at once, or never. */
export const SHORT_PATIENCE = { interruptMs: 4000, terminateMs: 300, drainMs: 300 };

const AUTHOR = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
};

export interface SceneOptions {
  readonly scenario: Scenario;
  /** Default: a repository on `main` with one commit. */
  readonly repository?: boolean;
  /** The store's root; default: as configured. */
  readonly out?: string;
}

export interface RunOptions {
  readonly plan?: Partial<Omit<RunPlan, "limits">>;
  readonly limits?: Partial<RunLimits>;
  readonly ports?: Partial<RunPorts>;
  /** Goes on with this run. */
  readonly resume?: string;
  /** Plays it; default: runRotation. */
  readonly play?: typeof runRotation;
  /** Seen as they are told. */
  readonly onEvent?: (event: RunEventLine) => void;
}

/** A run that has ended. */
export interface SceneRun extends RunEnd {
  readonly events: readonly RunEventLine[];
  readonly warnings: readonly { readonly code: string; readonly what: string }[];
  readonly texts: readonly string[];
  /** What each pause before another try was to be, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** How an agent was started. */
interface Started {
  readonly argv: string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Scene {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly open: () => Promise<Workbench>;
  readonly run: (options?: RunOptions) => Promise<SceneRun>;
  readonly plan: (options?: RunOptions) => RunPlan;
  /** The prompt of a turn, by its number. */
  readonly prompt: (turn: number) => string;
  /** How the agent of a turn was started. */
  readonly started: (turn: number) => Started;
  /** How many turns there were. */
  readonly turns: () => number;
  /** Names of the steps that were done. */
  readonly steps: () => string[];
  /** A packet by its session: the newest. */
  readonly packet: (session: string) => HandoffPacket;
  readonly file: (name: string) => string;
  readonly lines: (name: string) => Record<string, unknown>[];
  readonly remove: () => void;
}

/** Processes of a run that are still there. */
export const leftBehind = (runId: string): Promise<readonly number[]> => findByVariable(RUN_VARIABLE, runId);

function makeScene({ scenario, repository = true, out }: SceneOptions): Scene {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-run-")));
  const root = path.join(base, "project");
  const home = path.join(base, "home");
  mkdirSync(home);
  mkdirSync(root);
  writeFileSync(path.join(root, "README"), "a project\n");
  writeFileSync(path.join(home, "scenario.json"), JSON.stringify(scenario));
  if (repository) {
    const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root, env: AUTHOR });
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "--message", "Start");
  }
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SCRIPT_HOME: home,
    CODEX_HOME: path.join(home, "codex"),
    GIT_CONFIG_NOSYSTEM: "1",
    TZ: "UTC",
  };
  const open = (): Promise<Workbench> =>
    openWorkbench({ cwd: root, env, ...(out === undefined ? {} : { out }) });
  const plan = ({ plan: changes = {}, limits = {} }: RunOptions = {}): RunPlan => ({
    task: "Do all the steps.",
    agent: scriptedAgent("claude-code"),
    next: null,
    limits: { ...DEFAULT_LIMITS, ...limits },
    window: null,
    headroom: null,
    at_percent: null,
    compact: "no_summary",
    topic: null,
    ...changes,
  });
  const file = (name: string): string => readFileSync(path.join(root, name), "utf8");
  return {
    root,
    home,
    env,
    open,
    plan,
    file,
    lines: (name) =>
      file(name)
        .split("\n")
        .filter(Boolean)
        .map((line): Record<string, unknown> => JSON.parse(line)),
    prompt: (turn) => readFileSync(path.join(home, "prompts", `${turn}.txt`), "utf8"),
    started: (turn): Started => JSON.parse(readFileSync(path.join(home, "turns", String(turn)), "utf8")),
    turns: () => readdirSync(path.join(home, "turns")).length,
    steps: () => {
      const folder = path.join(root, "steps");
      return existsSync(folder) ? readdirSync(folder).map((name) => path.parse(name).name) : [];
    },
    packet: (session): HandoffPacket =>
      JSON.parse(readFileSync(path.join(root, "outputs/handoff", session, "handoff.json"), "utf8")),
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 10 }),
    run: async (options = {}) => {
      const events: RunEventLine[] = [];
      const warnings: { code: string; what: string }[] = [];
      const texts: string[] = [];
      const sleeps: number[] = [];
      const ports: RunPorts = {
        env,
        now: () => new Date(),
        random: () => 0.5,
        sleep: async (ms) => void sleeps.push(ms),
        onEvent: (event) => {
          // What is told has the shape that is promised.
          events.push(runEventSchema.parse(JSON.parse(JSON.stringify(event))));
          options.onEvent?.(event);
        },
        onText: (text) => void texts.push(text),
        onWarning: (code, what) => void warnings.push({ code, what }),
        stop: new AbortController().signal,
        kill: new AbortController().signal,
        patience: SHORT_PATIENCE,
        ...options.ports,
      };
      let beginning: RunBeginning = { plan: plan(options) };
      if (options.resume !== undefined) {
        const { outDir } = await open();
        beginning = { found: await readRun(root, outDir, options.resume), limits: options.limits ?? {} };
      }
      const end = await (options.play ?? runRotation)(open, beginning, ports);
      return { ...end, events, warnings, texts, sleeps };
    },
  };
}

/** Makes a scene, hands it over, and removes it. */
export async function withScene(options: SceneOptions, play: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = makeScene(options);
  try {
    await play(scene);
  } finally {
    scene.remove();
  }
}

/** Kinds of events in their order. */
export const kinds = ({ events }: Pick<SceneRun, "events">): string[] => events.map(({ event }) => event);

/** The events of one kind. */
export function eventsOf<K extends RunEventLine["event"]>(
  { events }: Pick<SceneRun, "events">,
  kind: K,
): Extract<RunEventLine, { readonly event: K }>[] {
  return events.filter((one): one is Extract<RunEventLine, { readonly event: K }> => one.event === kind);
}
