// When a session has to make room (R1-R3): the policy, and the thresholds that follow from window and headroom. Pure.

/** A run's rotation rules. Tokens throughout. */
export interface RotationPolicy {
  readonly enabled: boolean;
  /** The model's window; null: found out (R4). */
  readonly window: number | null;
  /** Tokens left free; null: a quarter of the window, 50,000 at least. */
  readonly headroom: number | null;
  /** Retired sessions after which the run stops (R23). */
  readonly max_generations: number;
  /** Degraded generations in a row after which it stops (R19). */
  readonly max_consecutive_degraded: number;
}

export const DEFAULT_POLICY: RotationPolicy = {
  enabled: true,
  window: null,
  headroom: null,
  max_generations: 8,
  max_consecutive_degraded: 2,
};

/** Rotate at `at` tokens of context; say that it is near from `warn_at`. */
export interface Thresholds {
  readonly at: number;
  readonly warn_at: number;
}

/** No session is cut below this: it could not even start. */
const LEAST_AT = 10_000;
const LEAST_WARN_AT = 1_000;
/** How long before the line it is said to be near. */
const WARNING = 20_000;
const LEAST_HEADROOM = 50_000;
const HEADROOM_SHARE = 0.25;

/** Below this an agent's own compaction comes first (measured: Claude Code compacts at window - 33k). */
const COMPACTION_HEADROOM = 33_000;
/** Below this the writing turn has no room (measured: Claude Code blocks at window - 24k with compaction off). */
export const BLOCKING_HEADROOM = 24_000;

/** Headroom where nobody names one (R3): a quarter of the window, 50,000 at least. */
export function defaultHeadroom(window: number): number {
  return Math.max(LEAST_HEADROOM, Math.floor(window * HEADROOM_SHARE));
}

/** How a threshold is asked for. An explicit headroom wins over a percentage; neither is the default. */
export interface ThresholdOptions {
  readonly window: number;
  readonly headroom?: number | null | undefined;
  /** Rotate at this percentage of the window: the other way to say it (`--at-percent`). */
  readonly atPercent?: number | null | undefined;
}

/** Tokens left free as asked, before any floor. */
export function headroomOf({ window, headroom, atPercent }: ThresholdOptions): number {
  if (typeof headroom === "number") return headroom;
  if (typeof atPercent === "number") return window - Math.floor((window * atPercent) / 100);
  return defaultHeadroom(window);
}

/**
 * The thresholds of a window (R2): `at = max(10,000, window - headroom)`, `warn_at = max(1,000, at - 20,000)`. 200,000 with
 * a headroom of 50,000 gives 150,000 and 130,000.
 */
export function thresholds(options: ThresholdOptions): Thresholds {
  const at = Math.max(LEAST_AT, options.window - headroomOf(options));
  return { at, warn_at: Math.max(LEAST_WARN_AT, at - WARNING) };
}

/** Whether a headroom leaves room for what has to happen in it (R3). */
export interface HeadroomCheck {
  readonly verdict: "ok" | "warn" | "refuse";
  /** Tokens that are really left free above `at`. */
  readonly headroom: number;
  /** What it fell short of: 24,000 is room for the writing turn, 33,000 keeps ahead of the agent's compaction. */
  readonly least: number | null;
}

/**
 * Checks a headroom (R3): one below 24,000 that somebody asked for is refused, one below 33,000 warned of. What remains of
 * a window too small for the defaults is warned of only: nobody asked for it.
 */
export function checkHeadroom(options: ThresholdOptions): HeadroomCheck {
  const asked = headroomOf(options);
  const free = options.window - thresholds(options).at;
  const explicit = typeof options.headroom === "number" || typeof options.atPercent === "number";
  if (explicit && asked < BLOCKING_HEADROOM)
    return { verdict: "refuse", headroom: free, least: BLOCKING_HEADROOM };
  if (Math.min(asked, free) < COMPACTION_HEADROOM)
    return { verdict: "warn", headroom: free, least: COMPACTION_HEADROOM };
  return { verdict: "ok", headroom: free, least: null };
}
