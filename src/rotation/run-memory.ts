// state.json of a run: what going on after a crash needs (R27). Our own file, written whole; read as strictly as anybody
// else's, since a state that is half right would drive an agent.
import { z } from "zod";
import { driverOf } from "../agents/drivers.js";
import { UsageError } from "../model/errors.js";
import { type RunLedger, runLedgerSchema } from "../model/run-ledger.js";
import type { ProcessIdentity } from "../io/process-identity.js";
import type { Sections } from "./parse-sections.js";
import type { RunAgent, RunPlan } from "./run-options.js";
import { OPERATOR_STEPS, RUN_PHASES, type RunState } from "./run-state.js";

/** What a session said in its writing turn, until its packet is out. */
export interface RunReply {
  /** null: nothing that can be used. */
  readonly sections: Sections | null;
  /** More about why. */
  readonly detail: string | null;
}

/** How a run ends: a rule of the run, or the code of an error that nobody can go on from. */
export interface RunStop {
  readonly rule: string;
  readonly exit: 0 | 1 | 2 | 3 | 130;
}

/** state.json. */
export interface RunMemory {
  readonly plan: RunPlan;
  readonly state: RunState;
  readonly ledger: RunLedger;
  /** The process that runs this run, or did. */
  readonly runner: ProcessIdentity;
  /** The agent's, when this was written; null: none ran. */
  readonly child: ProcessIdentity | null;
  readonly reply: RunReply | null;
  /** The packet that the session at work started from, until the store says that it was taken (S8). */
  readonly brief: string | null;
  /** Commands so far, and those that failed, as far as they were told. */
  readonly counts: { readonly commands: number; readonly failures: number };
  /** The run is over, or about to be. */
  readonly end: RunStop | null;
}

const VERSION = 1;
const text = z.string().nullable();
const count = z.int().nonnegative();
const tokens = z.number().nonnegative();

const agentSchema = z.strictObject({ name: z.string(), bin: text, args: z.array(z.string()) });

const planSchema = z.strictObject({
  task: z.string(),
  agent: agentSchema,
  next: agentSchema.nullable(),
  limits: z.strictObject({
    enabled: z.boolean(),
    max_generations: count,
    max_consecutive_degraded: count,
    max_attempts: count,
    pause: z.boolean(),
  }),
  window: tokens.nullable(),
  headroom: tokens.nullable(),
  at_percent: tokens.nullable(),
  compact: z.enum(["no_summary", "auto", "off"]),
  topic: text,
});

const stateSchema = z.strictObject({
  phase: z.enum(RUN_PHASES),
  limits: planSchema.shape.limits,
  generation: z.int().positive(),
  session_id: text,
  thresholds: z.strictObject({ at: tokens, warn_at: tokens }).nullable(),
  readings: z.strictObject({ context: tokens, first: tokens.nullable() }),
  near_told: z.boolean(),
  failed_tries: count,
  retired: count,
  degraded_in_row: count,
  floors_in_row: count,
  degraded: z
    .enum(["overflow", "no_reply", "section_missing", "timeout", "agent_failed", "interrupted"])
    .nullable(),
  ending: z
    .enum([
      "done",
      "degraded",
      "max_generations",
      "start_up_floor",
      "attempts",
      "agent_failed",
      "not_published",
      "operator",
      "signal",
    ])
    .nullable(),
  // A run of an earlier version knows nothing of it.
  operator: z.enum(OPERATOR_STEPS).default("none"),
});

const processSchema = z.strictObject({
  pid: z.int().positive(),
  host: z.string(),
  machine: z.string(),
  started: text,
});

const sectionsSchema = z.strictObject({
  doing: text,
  decided: text,
  dead_ends: text,
  next: text,
  scene: text,
});

const memorySchema = z.strictObject({
  version: z.literal(VERSION),
  plan: planSchema,
  state: stateSchema,
  ledger: runLedgerSchema,
  runner: processSchema,
  child: processSchema.nullable(),
  reply: z.strictObject({ sections: sectionsSchema.nullable(), detail: text }).nullable(),
  brief: text,
  counts: z.strictObject({ commands: count, failures: count }).default({ commands: 0, failures: 0 }),
  end: z
    .strictObject({
      rule: z.string(),
      exit: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(130)]),
    })
    .nullable(),
});

type KeptAgent = z.infer<typeof agentSchema>;

const keep = ({ driver, bin, args }: RunAgent): KeptAgent => ({ name: driver.name, bin, args: [...args] });

function agentOf({ name, bin, args }: KeptAgent): RunAgent {
  const driver = driverOf(name);
  if (driver !== null) return { driver, bin, args };
  throw new UsageError(
    "run.unknown_agent",
    `this run was started with ${JSON.stringify(name)}, which is no agent that can be run`,
    "go on with the version of handoff that started it",
  );
}

/** As plain data. */
export function memoryValue({ plan, ...rest }: RunMemory): unknown {
  const { agent, next } = plan;
  return {
    version: VERSION,
    plan: { ...plan, agent: keep(agent), next: next === null ? null : keep(next) },
    ...rest,
  };
}

/** From plain data; null for anything that is not the state of this run. Throws UsageError `run.unknown_agent`. */
export function memoryOf(value: unknown, runId: string): RunMemory | null {
  const read = memorySchema.safeParse(value);
  if (!read.success || read.data.ledger.run_id !== runId) return null;
  const { version: _, plan, ...rest } = read.data;
  const { agent, next } = plan;
  return {
    ...rest,
    plan: { ...plan, agent: agentOf(agent), next: next === null ? null : agentOf(next) },
  };
}
