// The ledger's own steps (R26): each returns a new one. Pure; times are handed in.
import type { RunError, RunGeneration, RunLedger, RunStatus } from "../model/run-ledger.js";

/** Most errors that are kept of one generation: the newest. */
const MAX_ERRORS = 20;

/** An empty one. `task` has passed the gate. */
export function newLedger(runId: string, task: string): RunLedger {
  return { run_id: runId, session_id: null, retired: [], status: "running", task, generations: [] };
}

/** The generation at work; null before the first. */
export function currentOf(ledger: RunLedger): RunGeneration | null {
  return ledger.generations.at(-1) ?? null;
}

/** Begins a generation, unless it has begun: another try of the same one is no new row. */
export function beginGeneration(ledger: RunLedger, generation: number, agent: string, at: string): RunLedger {
  if (currentOf(ledger)?.generation === generation) return ledger;
  const row: RunGeneration = {
    generation,
    agent,
    model: null,
    session_id: null,
    attempts: 0,
    context: 0,
    window: null,
    window_source: "unknown",
    cost_usd: null,
    turns: null,
    started_at: at,
    ended_at: null,
    packet_id: null,
    degraded: null,
    errors: [],
  };
  return { ...ledger, generations: [...ledger.generations, row] };
}

/** Changes the generation at work; its session is the run's. */
export function changeCurrent(ledger: RunLedger, change: Partial<RunGeneration>): RunLedger {
  const current = currentOf(ledger);
  if (current === null) return ledger;
  const changed = { ...current, ...change };
  return {
    ...ledger,
    session_id: changed.session_id ?? ledger.session_id,
    generations: [...ledger.generations.slice(0, -1), changed],
  };
}

/** Notes an error. Only a try that failed counts as an attempt (R22). */
export function noteError(ledger: RunLedger, error: RunError, isAttempt: boolean): RunLedger {
  const current = currentOf(ledger);
  if (current === null) return ledger;
  return changeCurrent(ledger, {
    attempts: current.attempts + (isAttempt ? 1 : 0),
    errors: [...current.errors, error].slice(-MAX_ERRORS),
  });
}

/** Retires the session at work, once. */
export function retireSession(ledger: RunLedger, at: string): RunLedger {
  const session = currentOf(ledger)?.session_id ?? null;
  const ended = changeCurrent(ledger, { ended_at: at });
  return session === null || ended.retired.includes(session)
    ? ended
    : { ...ended, retired: [...ended.retired, session] };
}

/** Ends the run, and the generation that was at work. */
export function endRun(ledger: RunLedger, status: RunStatus, at: string): RunLedger {
  const isOpen = currentOf(ledger)?.ended_at === null;
  return { ...(isOpen ? changeCurrent(ledger, { ended_at: at }) : ledger), status };
}
