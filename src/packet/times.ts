// Times of a packet come from its inputs (P21): milliseconds since the epoch in, ISO 8601 out. No wall clock.
import type { Loaded } from "../model/artifacts.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";

/** 9999-12-31T23:59:59.999Z: past it ISO years have six digits, and no recorder meant it. */
const LAST_TIME = 253_402_300_799_999;

function isUsable(ms: number | null | undefined): ms is number {
  return typeof ms === "number" && Number.isFinite(ms) && ms > 0 && ms <= LAST_TIME;
}

/** ISO 8601 in UTC with milliseconds; null for a time that is missing or not a date of this era. */
export function isoTime(ms: number | null): string | null {
  return isUsable(ms) ? new Date(ms).toISOString() : null;
}

function stampOf(artifact: Loaded<{ readonly stamped_at: number | null }>): number | null {
  return artifact.status === "present" ? artifact.value.stamped_at : null;
}

/** The newest time any input carries: records, head commit, stamps inside artifacts. */
export function newestTime(snapshot: WorkbenchSnapshot): string | null {
  const overrides =
    snapshot.overrides.status === "present" ? snapshot.overrides.value.map(({ at }) => at) : [];
  const times = [
    snapshot.feedback.newest_at,
    snapshot.git.head?.committed_at,
    stampOf(snapshot.state),
    stampOf(snapshot.board),
    stampOf(snapshot.verification),
    stampOf(snapshot.review),
    stampOf(snapshot.scope_contract),
    stampOf(snapshot.scope_report),
    stampOf(snapshot.rule_report),
    stampOf(snapshot.last_known_good),
    stampOf(snapshot.session_record),
    stampOf(snapshot.touched_files),
    ...overrides,
  ].filter(isUsable);
  return times.length === 0 ? null : isoTime(times.reduce((newest, ms) => Math.max(newest, ms)));
}
