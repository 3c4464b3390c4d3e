// A project's patterns are anybody's regular expressions, and no look at one tells how long it takes on every text: they run with
// a time limit, which V8 keeps inside a regular expression too. What runs out of time throws, and its text fails closed (S16).
import vm from "node:vm";

/** Even what doubles with every character ends soon on so few. */
const SHORT = 16;
/** For one text, and a millisecond more for so many UTF-16 units. */
const LIMIT_MS = 2000;
const UNITS_PER_MS = 1000;
/** What ran out of time may have cost so much together; from then on nothing is tried any more. */
const BUDGET_MS = 3000;

/** Where the work is put for the script below: the limit is one of scripts. */
const SLOT = "handoff.time-limit";
const SCRIPT = `globalThis[Symbol.for(${JSON.stringify(SLOT)})]()`;

/** Runs work on a text of so many UTF-16 units. Throws what it throws, and when it takes too long. */
export type TimeLimit = <T>(units: number, work: () => T) => T;

/** One limit for all texts of a gate. */
export function createTimeLimit(): TimeLimit {
  let lost = 0;
  // Most projects have no patterns, and most processes are hooks that should start fast (A10).
  let script: vm.Script | null = null;
  return (units, work) => {
    if (units <= SHORT) return work();
    if (lost >= BUDGET_MS) throw new RangeError("patterns have run out of time before");
    const timeout = LIMIT_MS + Math.floor(units / UNITS_PER_MS);
    const done: { value: ReturnType<typeof work> }[] = [];
    Reflect.set(globalThis, Symbol.for(SLOT), () => {
      done.push({ value: work() });
    });
    try {
      script ??= new vm.Script(SCRIPT);
      script.runInThisContext({ timeout });
    } catch (error) {
      // It may have ended at the very last moment.
      if (done.length === 0) {
        lost += timeout;
        throw error;
      }
    } finally {
      Reflect.deleteProperty(globalThis, Symbol.for(SLOT));
    }
    const [result] = done;
    if (result === undefined) throw new RangeError("no result");
    return result.value;
  };
}
