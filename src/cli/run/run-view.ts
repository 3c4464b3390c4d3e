// What the live view knows of a run: events and progress folded into one value. Pure.
import type { RunEventLine } from "../../model/run-events.js";
import type { RunGeneration, RunLedger } from "../../model/run-ledger.js";
import type { RunProgress } from "../../rotation/run-options.js";
import type { RunLimits } from "../../rotation/run-state.js";

/** A run as it is looked at. Times in milliseconds since 1970. */
export interface RunView {
  /** Null until the run says it. */
  readonly run_id: string | null;
  readonly limits: Pick<RunLimits, "enabled" | "max_attempts">;
  readonly started_at: number;
  readonly session_started_at: number;
  /** Null: nothing was heard yet. */
  readonly progress: RunProgress | null;
  /** Sessions retired so far. */
  readonly retired: number;
  /** What ended sessions cost together, in USD; null: none of them said. */
  readonly spent_usd: number | null;
  /** The last session whose cost is in `spent_usd`. */
  readonly counted: number;
  /** The try that is waited for; null: none is. */
  readonly retry: { readonly until: number; readonly attempt: number; readonly text: string } | null;
  /** The newest packet's file, relative to the workbench; null: there is none yet. */
  readonly packet: string | null;
  /** Somebody wants the run to end: after a packet, or at once. */
  readonly stopping: "no" | "after_packet" | "at_once";
}

/** What a view begins with; `ledger`: of a run that goes on. */
export function firstView(limits: RunView["limits"], now: number, ledger: RunLedger | null = null): RunView {
  // A session that was only stopped goes on: what it costs is told by its own running total.
  const isOver = ({ generation, session_id }: RunGeneration): boolean =>
    ledger?.status === "done" ||
    generation !== ledger?.generations.at(-1)?.generation ||
    (session_id !== null && ledger.retired.includes(session_id));
  const ended = ledger?.generations.filter(isOver) ?? [];
  const costs = ended.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]));
  return {
    run_id: ledger?.run_id ?? null,
    limits,
    started_at: now,
    session_started_at: now,
    progress: null,
    retired: ledger?.retired.length ?? 0,
    spent_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    counted: ended.at(-1)?.generation ?? 0,
    retry: null,
    packet: null,
    stopping: "no",
  };
}

/** The view after an event. Texts in it are clean already. */
export function foldEvent(view: RunView, event: RunEventLine): RunView {
  const seen = { ...view, run_id: event.run_id };
  switch (event.event) {
    case "run_started":
      return { ...seen, started_at: Date.parse(event.at) };
    case "generation_started":
      return { ...seen, session_started_at: Date.parse(event.at), retry: null };
    case "attempt_failed": {
      const { delay_ms, attempt, text } = event;
      return {
        ...seen,
        retry: delay_ms === null ? null : { until: Date.parse(event.at) + delay_ms, attempt, text },
      };
    }
    case "done":
      return { ...seen, packet: event.path, retired: view.retired + 1 };
    case "generation_ended": {
      // The next one begins here, as far as a person waits for it.
      const over = { ...seen, session_started_at: Date.parse(event.at) };
      if (event.generation <= view.counted) return over;
      const spent_usd = event.cost_usd === null ? view.spent_usd : (view.spent_usd ?? 0) + event.cost_usd;
      return { ...over, spent_usd, counted: event.generation };
    }
    case "near":
    case "writing":
    case "handoff":
    case "run_ended":
      return seen;
    default:
      return event satisfies never;
  }
}

/** The view after progress. */
export function foldProgress(view: RunView, progress: RunProgress): RunView {
  return { ...view, progress, retry: progress.phase === "waiting" ? view.retry : null };
}

/** What the run cost so far, in USD; null: no agent said. */
export function costOf({ spent_usd, counted, progress }: RunView): number | null {
  const current = progress === null || progress.generation <= counted ? null : progress.cost_usd;
  return current === null ? spent_usd : (spent_usd ?? 0) + current;
}
