// The order of a finalization as a table (O7), and what follows a crash (O9). Pure: what is on record goes in, the next step comes
// out. The order is the rule: what the packet says is read while the tree still has it, and never again after clean-up.
import { type AttemptRecord, FINALIZE_STEPS, type FinalizeStep } from "./attempt-record.js";

interface StepRule {
  /** Carried out for an attempt that is held. */
  readonly whenHeld: boolean;
  /** Begun by a recovery that finds it not begun yet: false for what only a live attempt may start (O9). */
  readonly inRecovery: boolean;
}

/** What is known of each step; the keys' order is that of {@link FINALIZE_STEPS}. */
const RULES: Readonly<Record<FinalizeStep, StepRule>> = {
  // Partial work is kept whatever happened.
  checkpoint: { whenHeld: false, inRecovery: true },
  // Whoever comes after a crash answers no request with yes: nothing is judged and nothing published anew.
  validate: { whenHeld: false, inRecovery: false },
  publish: { whenHeld: false, inRecovery: false },
  // From here on: what lets the tree go without losing anything.
  hold_check: { whenHeld: false, inRecovery: true },
  release: { whenHeld: false, inRecovery: true },
  clean_up: { whenHeld: false, inRecovery: true },
  budget: { whenHeld: false, inRecovery: false },
  ledger: { whenHeld: true, inRecovery: true },
  complete: { whenHeld: true, inRecovery: true },
};

type Progress = Pick<AttemptRecord, "step" | "done" | "held">;

const isThrough = ({ done }: Progress, step: FinalizeStep): boolean => done.some((one) => one.step === step);

/**
 * The step to carry out next; null: everything is through. A step that was begun and is not through is an effect on record: it
 * is carried out again, by a recovery too, which is safe for each of them.
 */
export function nextStep(record: Progress, isRecovery: boolean): FinalizeStep | null {
  for (const step of FINALIZE_STEPS) {
    if (isThrough(record, step)) continue;
    const { whenHeld, inRecovery } = RULES[step];
    if (record.held !== null && !whenHeld) continue;
    if (isRecovery && !inRecovery && record.step !== step) continue;
    return step;
  }
  return null;
}

/** The record as it is when `step` is begun. */
export function stepBegun<R extends Progress>(record: R, step: FinalizeStep): R {
  return { ...record, step };
}

/** The record as it is when `step` is through. */
export function stepDone<R extends Progress>(record: R, step: FinalizeStep, at: string): R {
  return isThrough(record, step) ? record : { ...record, done: [...record.done, { step, at }] };
}
