// A clock that stands still until it is moved (O5, O12): timers run in their order when their time is reached, and nobody waits.
import type { OperatorClock } from "../../operator.js";

export interface StandingClock extends OperatorClock {
  /** Moves on; `settle` is waited for after each timer that ran. */
  readonly pass: (ms: number, settle: () => Promise<void>) => Promise<void>;
}

/** One that stands at `at`, milliseconds since 1970. */
export function standingClock(at: number): StandingClock {
  let now = at;
  const timers = new Set<{ readonly due: number; readonly action: () => void }>();
  return {
    now: () => new Date(now),
    after: (ms, action) => {
      const timer = { due: now + ms, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: async (ms, settle) => {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.due);
        next.action();
        await settle();
      }
      now = until;
    },
  };
}
