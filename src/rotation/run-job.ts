// A run at work: everything about it that changes. job-steps.ts has the ways in which it does.
import { readOwnIdentity, type ProcessIdentity } from "../io/process-identity.js";
import type { RunLedger } from "../model/run-ledger.js";
import type { Workbench } from "../session/open-workbench.js";
import { currentOf, newLedger } from "./ledger-steps.js";
import type { SessionRecorder } from "./record-session.js";
import { newRunId, openRunFiles, type FoundRun, type RunFiles } from "./run-folder.js";
import type { RunReply, RunStop } from "./run-memory.js";
import type { RunAgent, RunPlan, RunPorts } from "./run-options.js";
import { firstState, type RunEffect, type RunEvent, type RunLimits, type RunState } from "./run-state.js";
import type { StopMessage } from "./stop-message.js";
import type { WindowMemory } from "./window-memory.js";

/** How a run begins: anew, or where an earlier one stood, with other limits if somebody says so. */
export type RunBeginning =
  | {
      readonly plan: RunPlan;
      /** Of {@link newRunId}; default: a new one. */
      readonly runId?: string;
    }
  | { readonly found: FoundRun; readonly limits?: Partial<RunLimits> };

/** What is known of the session at work, and forgotten with it. */
export interface SessionAtWork {
  model: string | null;
  /** By the agent's own report. */
  window: number | null;
  recorder: SessionRecorder | null;
  /** Of names that it had before: some agents go on under another one. Their packets are still to come. */
  earlier: SessionRecorder[];
  /** Input of the newest message of the main thread; the state has the largest one. */
  lastReading: number;
  /** What it said at the end of its job. */
  lastWords: string | null;
  /** `generation_started` was told. */
  isAnnounced: boolean;
  /** That it takes its packet is being noted. */
  isTaking: boolean;
  /** Warnings that were told. */
  readonly warned: Set<string>;
}

/** A packet that is out. */
interface PublishedPacket {
  readonly packet_id: string;
  /** Its handoff.json, as events name it: from the root, with forward slashes. */
  readonly path: string;
}

export interface RunJob {
  readonly id: string;
  readonly plan: RunPlan;
  readonly ports: RunPorts;
  readonly own: ProcessIdentity;
  readonly files: RunFiles;
  /** As it was when the run began; packets and briefs open it anew, since the branch may have changed. */
  readonly workbench: Workbench;
  readonly open: () => Promise<Workbench>;
  state: RunState;
  ledger: RunLedger;
  session: SessionAtWork;
  windows: WindowMemory;
  child: ProcessIdentity | null;
  reply: RunReply | null;
  /** The packet whose taking is still to be noted. */
  brief: string | null;
  /** Resolved when that is done, as far as it was begun. */
  noting: Promise<void>;
  published: PublishedPacket | null;
  /** Of the newest failure, through the gate. */
  lastError: string | null;
  /** Until the next try, in milliseconds. */
  nextDelay: number;
  commands: number;
  failures: number;
  /** The turn at work, or the last one: resolved when its end has been dealt with. */
  turn: Promise<void>;
  turnStop: AbortController;
  /** Ends the pause before another try. */
  waitStop: AbortController;
  readonly turnKill: AbortController;
  readonly queue: RunEffect[];
  readonly inbox: RunEvent[];
  isDeciding: boolean;
  /** Something that a resumed run needs has changed since it was last written. */
  isChanged: boolean;
  end: RunStop | null;
  /** Words for an end that no rule has words for. */
  endMessage: StopMessage | null;
  /** A fault of ours. */
  bug: { readonly error: unknown } | null;
  wake: () => void;
}

/** `warned`: of an earlier try at the same session. */
export const newSession = (warned: Iterable<string> = []): SessionAtWork => ({
  model: null,
  window: null,
  recorder: null,
  earlier: [],
  lastReading: 0,
  lastWords: null,
  isAnnounced: false,
  isTaking: false,
  warned: new Set(warned),
});

/** Makes one; nothing is started and nothing written. */
export async function createJob(
  open: () => Promise<Workbench>,
  beginning: RunBeginning,
  ports: RunPorts,
): Promise<RunJob> {
  const workbench = await open();
  const found = "found" in beginning ? beginning.found.memory : null;
  const plan = "found" in beginning ? beginning.found.memory.plan : beginning.plan;
  const limits = "found" in beginning ? { ...plan.limits, ...beginning.limits } : plan.limits;
  const id = found?.ledger.run_id ?? ("plan" in beginning ? beginning.runId : undefined) ?? newRunId();
  return {
    id,
    plan: { ...plan, limits },
    ports,
    own: await readOwnIdentity(),
    files: openRunFiles(workbench, id),
    workbench,
    open,
    state: found === null ? firstState(limits) : { ...found.state, limits },
    ledger: found?.ledger ?? newLedger(id, workbench.redactor.redactText(plan.task).text),
    session: newSession(),
    windows: {},
    child: null,
    reply: found?.reply ?? null,
    brief: found?.brief ?? null,
    noting: Promise.resolve(),
    published: null,
    lastError: null,
    nextDelay: 0,
    commands: found?.counts.commands ?? 0,
    failures: found?.counts.failures ?? 0,
    turn: Promise.resolve(),
    turnStop: new AbortController(),
    waitStop: new AbortController(),
    turnKill: new AbortController(),
    queue: [],
    inbox: [],
    isDeciding: false,
    isChanged: true,
    end: null,
    endMessage: null,
    bug: null,
    wake: () => undefined,
  };
}

/** ISO 8601 in UTC. */
export const timeOf = ({ ports }: RunJob): string => ports.now().toISOString();

/** R24: every second generation is run by the second agent, if there is one. */
export function agentOf({ plan, state }: Pick<RunJob, "plan" | "state">): RunAgent {
  return plan.next !== null && state.generation % 2 === 0 ? plan.next : plan.agent;
}

/** Tokens; null: unknown. */
export const windowOf = ({ ledger }: RunJob): number | null => currentOf(ledger)?.window ?? null;
