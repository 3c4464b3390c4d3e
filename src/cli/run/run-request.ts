// What `handoff run` was asked for, as its options say it: agents, numbers, where the job is. Nothing is read or started here.
import type { CompactMode } from "../../agents/driver.js";
import { UsageError } from "../../model/errors.js";
import {
  choiceOption,
  flagOption,
  idOption,
  integerOption,
  textOption,
  type Arguments,
} from "../arguments.js";
import { PLACE } from "../table/command.js";
import { type AskedAgent, askedAgent } from "./asked-agent.js";
import { jobSource, type JobSource } from "./job-source.js";

const COMPACT_MODES: readonly CompactMode[] = ["no_summary", "auto", "off"];
const MOST_TOKENS = 1_000_000_000;
const MOST_TRIES = 1000;
const MOST_SESSIONS = 10_000;

/** What a new run and one that goes on both take. */
interface Common {
  /** `-`: stdout; null: nowhere. */
  readonly events: string | null;
  readonly json: boolean;
  readonly pause: boolean;
  /** Null: as configured. */
  readonly maxGenerations: number | null;
  readonly maxAttempts: number | null;
}

export interface NewRun extends Common {
  readonly kind: "new";
  readonly agent: AskedAgent;
  /** Null: the first agent runs every session. */
  readonly next: AskedAgent | null;
  /** Null: not named; then it is what a pipe brings. */
  readonly job: JobSource | null;
  readonly window: number | null;
  readonly headroom: number | null;
  readonly atPercent: number | null;
  /** Null: not said. */
  readonly compact: CompactMode | null;
  readonly topic: string | null;
  readonly dryRun: boolean;
  /** In a tree of its own (O6). */
  readonly worktree: boolean;
}

export interface ResumedRun extends Common {
  readonly kind: "resume";
  readonly runId: string;
}

/** Everything else is the run's own already. */
const WITH_RESUME: ReadonlySet<string> = new Set([
  "resume",
  "events",
  "json",
  "pause",
  "max-generations",
  "max-attempts",
  ...Object.keys(PLACE),
]);
/** What yargs puts there by itself. */
const NO_OPTIONS: ReadonlySet<string> = new Set(["_", "$0", "job", "stdin"]);

function refuseBoth(args: Arguments, one: string, other: string): void {
  if (args[one] === undefined || args[other] === undefined) return;
  throw new UsageError(
    "usage.arguments",
    `--${one} and --${other} say the same thing in two ways`,
    "give one of them; see handoff run --help",
  );
}

function common(args: Arguments): Common {
  const events = textOption(args, "events");
  const json = flagOption(args, "json");
  if (events === "-" && json)
    throw new UsageError(
      "usage.arguments",
      "--events - and --json both want stdout",
      "name a file for the events: --events FILE; the event run_ended has most of what --json says",
    );
  return {
    events,
    json,
    pause: flagOption(args, "pause"),
    maxGenerations: integerOption(args, "max-generations", 1, MOST_SESSIONS),
    maxAttempts: integerOption(args, "max-attempts", 1, MOST_TRIES),
  };
}

function resumed(args: Arguments, runId: string): ResumedRun {
  const more = Object.keys(args).find((name) => !WITH_RESUME.has(name) && !NO_OPTIONS.has(name));
  const isJob = flagOption(args, "stdin") || (Array.isArray(args["job"]) && args["job"].length > 0);
  if (more !== undefined || isJob)
    throw new UsageError(
      "usage.arguments",
      `--resume goes on with the run as it was started: ${more === undefined ? "no job" : `--${more} is not`} taken with it`,
      `handoff run --resume ${runId}; limits may change: --max-generations, --max-attempts, --pause`,
    );
  return { kind: "resume", runId, ...common(args) };
}

/** Reads the options. Throws UsageError for what contradicts itself, is missing, or is no value. */
export function readRequest(args: Arguments): NewRun | ResumedRun {
  const runId = textOption(args, "resume");
  if (runId !== null) return resumed(args, runId);
  refuseBoth(args, "headroom", "at-percent");
  const agent = askedAgent(args, "agent");
  if (agent === null)
    throw new UsageError(
      "run.agent",
      "nobody is named to do the job",
      "handoff run --agent claude-code, codex, or command with --agent-bin CMD",
    );
  return {
    kind: "new",
    ...common(args),
    agent,
    next: askedAgent(args, "next"),
    job: jobSource(args),
    window: integerOption(args, "window", 1, MOST_TOKENS),
    headroom: integerOption(args, "headroom", 1, MOST_TOKENS),
    atPercent: integerOption(args, "at-percent", 1, 99),
    compact: choiceOption(args, "compact", COMPACT_MODES),
    topic: idOption(args, "topic"),
    dryRun: flagOption(args, "dry-run"),
    worktree: flagOption(args, "worktree"),
  };
}
