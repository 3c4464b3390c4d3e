// What a run tells while it goes on (R25): events through the gate, warnings, and what a live view shows.
import { asWriteError } from "../io/write-atomic.js";
import { HandoffError } from "../model/errors.js";
import type { RunEventLine } from "../model/run-events.js";
import { currentOf, retireSession } from "./ledger-steps.js";
import type { PendingHandoff } from "./operator-port.js";
import { agentOf, type RunJob, timeOf, windowOf } from "./run-job.js";
import { SECTION_NAMES } from "./section-aliases.js";

/** Says something aloud that is no event. */
export function warn({ ports }: RunJob, code: string, what: string): void {
  ports.onWarning?.(code, what);
}

/** An error as one line for a person: what, where, what to do. What the system refuses is told in our words. */
export function errorWords(error: unknown): string {
  const file = error instanceof Error && "path" in error ? error.path : null;
  const told = typeof file === "string" ? asWriteError(error, file) : error;
  if (!(told instanceof HandoffError)) return told instanceof Error ? told.message : String(told);
  const place = told.place === null ? "" : ` (${told.place.path})`;
  return `${told.message}${place}; ${told.hint}`;
}

/** An event without what is common to all. */
type Told = RunEventLine extends infer E
  ? E extends RunEventLine
    ? Omit<E, "run_id" | "generation" | "session_id" | "agent">
    : never
  : never;

/** Tells an event of the generation that the ledger has at work (R25). A listener that fails stops nothing. */
export function tell(job: RunJob, event: Told): void {
  const row = currentOf(job.ledger);
  const common = {
    run_id: job.id,
    generation: row?.generation ?? job.state.generation,
    session_id: row?.session_id ?? null,
    agent: row?.agent ?? agentOf(job).driver.name,
  };
  try {
    job.ports.onEvent({ ...common, ...event });
  } catch (error) {
    warn(job, "run.not_told", `the event ${event.event} could not be told: ${errorWords(error)}`);
  }
}

function pendingHandoff({ ports }: RunJob): PendingHandoff | null {
  try {
    return ports.operator?.pending() ?? null;
  } catch {
    return null;
  }
}

/** What the live view shows. */
export function showProgress(job: RunJob): void {
  const { state, ledger, ports } = job;
  const row = currentOf(ledger);
  ports.onProgress?.({
    generation: state.generation,
    agent: agentOf(job).driver.name,
    session_id: state.session_id,
    phase: state.phase,
    context: state.readings.context,
    window: row?.window ?? null,
    window_source: row?.window_source ?? "unknown",
    thresholds: state.thresholds,
    commands: job.commands,
    failures: job.failures,
    cost_usd: row?.cost_usd ?? null,
    handoff: pendingHandoff(job),
  });
}

function tellDone(job: RunJob): void {
  const { published, reply } = job;
  const row = currentOf(job.ledger);
  const sections = reply?.sections ?? null;
  // Published once more, for a person: the session's end was told before.
  const session = row?.session_id ?? null;
  if (session !== null && job.ledger.retired.includes(session)) return;
  if (published !== null)
    tell(job, {
      event: "done",
      at: timeOf(job),
      context: row?.context ?? 0,
      window: row?.window ?? null,
      degraded: row?.degraded ?? null,
      path: published.path,
      sections: sections === null ? [] : SECTION_NAMES.filter((name) => sections[name] !== null),
      packet_id: published.packet_id,
    });
  job.ledger = retireSession(job.ledger, timeOf(job));
  job.reply = null;
  tellEnded(job);
}

/** Tells that the generation at work is over. */
export function tellEnded(job: RunJob): void {
  const row = currentOf(job.ledger);
  if (row === null) return;
  const { context, window, attempts, cost_usd, turns } = row;
  tell(job, { event: "generation_ended", at: timeOf(job), context, window, attempts, cost_usd, turns });
}

/** Tells what the table asked for. */
export function tellOf(job: RunJob, event: "near" | "writing" | "done"): void {
  const { context } = job.state.readings;
  const window = windowOf(job);
  const at = timeOf(job);
  if (event === "done") tellDone(job);
  else if (event === "writing") tell(job, { event, at, context, window });
  else tell(job, { event, context, window, at: job.state.thresholds?.at ?? 0, time: at });
}
