// Carries a finalization out (O7): one step after the other, each on record before it is begun. A step that fails holds the attempt:
// its branch, its checkpoint and its tree are kept, and the reason names it. Done again it goes on where it stood, and twice is once.
import { HandoffError } from "../model/errors.js";
import { type AttemptRecord, type AttemptVerdict, attemptName, type FinalizeStep } from "./attempt-record.js";
import { nextStep, stepBegun, stepDone } from "./finalize-steps.js";

/** What the steps do. Each may be carried out again after a crash in the middle of it. Whatever one throws holds the attempt. */
export interface FinalizePorts {
  readonly now: () => Date;
  /** Replaces the record on disk. What it throws is thrown: nothing goes on that is not on record. */
  readonly save: (record: AttemptRecord) => Promise<void>;
  /** All of the work onto the branch: its newest commit; null without a tree of its own. */
  readonly checkpoint: (record: AttemptRecord) => Promise<string | null>;
  /** Looks at the packet in the attempt's tree. Null: it is one that can be handed over; else why not. */
  readonly validate: (record: AttemptRecord) => Promise<string | null>;
  /** Null: there is no session to publish a packet of. */
  readonly publish: (record: AttemptRecord) => Promise<AttemptRecord["packet"]>;
  /** Null: nothing would be lost with the tree; else what would. */
  readonly holdCheck: (record: AttemptRecord) => Promise<string | null>;
  readonly release: (record: AttemptRecord) => Promise<void>;
  readonly cleanUp: (record: AttemptRecord) => Promise<void>;
  /** Milliseconds since the request was accepted; null: nobody had asked, or nobody knows when. */
  readonly elapsed: () => Promise<number | null>;
  /** The verdict on what is on record. */
  readonly judge: (record: AttemptRecord, isRecovery: boolean) => Promise<AttemptVerdict>;
  /** The request's end, as the verdict has it. */
  readonly complete: (verdict: AttemptVerdict, record: AttemptRecord) => Promise<void>;
}

/** How it is gone about. */
export interface FinalizeOptions {
  /** A later start does it for one that is gone (O9). */
  readonly isRecovery?: boolean;
}

/** A recovery tries a step that fails so often, since nobody is there to look. */
const RECOVERY_TRIES = 3;

/** Why a step failed, in one line. */
function wordsOf(error: unknown): string {
  if (error instanceof HandoffError) return `${error.message}; ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

type Change = (record: AttemptRecord) => AttemptRecord;
const hold =
  (step: FinalizeStep, what: string): Change =>
  (record) => ({
    ...record,
    held: { step, reason: `${attemptName(record)} is held at ${step.replace("_", " ")}: ${what}` },
  });

/** What a step does, as a change of the record. */
async function carryOut(
  step: FinalizeStep,
  record: AttemptRecord,
  ports: FinalizePorts,
  isRecovery: boolean,
): Promise<Change> {
  switch (step) {
    case "checkpoint": {
      const checkpoint = await ports.checkpoint(record);
      return (now) => ({ ...now, checkpoint });
    }
    case "validate": {
      const problem = await ports.validate(record);
      if (problem === null) return (now) => ({ ...now, packet_valid: true });
      // An ordinary end is none the worse for a packet that says little; a person who asked for one is to hear of it.
      const isHandoff = record.outcome?.handoff === true;
      return (now) => ({ ...(isHandoff ? hold(step, problem)(now) : now), packet_valid: false });
    }
    case "publish": {
      const from = ports.now().getTime();
      const packet = await ports.publish(record);
      const publication_ms = Math.max(0, ports.now().getTime() - from);
      return (now) => ({ ...now, packet, publication_ms });
    }
    case "hold_check": {
      const lost = await ports.holdCheck(record);
      return lost === null ? (now) => now : hold(step, lost);
    }
    case "release":
      await ports.release(record);
      return (now) => now;
    case "clean_up":
      await ports.cleanUp(record);
      return (now) => now;
    case "budget": {
      const elapsed_ms = await ports.elapsed();
      return (now) => ({ ...now, elapsed_ms });
    }
    case "ledger": {
      const verdict = record.verdict ?? (await ports.judge(record, isRecovery));
      const finalized_at = record.finalized_at ?? ports.now().toISOString();
      return (now) => ({ ...now, verdict, finalized_at });
    }
    case "complete":
      if (record.verdict !== null) await ports.complete(record.verdict, record);
      return (now) => now;
    default:
      return step satisfies never;
  }
}

/** The step's change; a failure is a change, too. What ledger and complete throw is thrown: there is nothing left to hold. */
async function attempted(
  step: FinalizeStep,
  record: AttemptRecord,
  ports: FinalizePorts,
  isRecovery: boolean,
): Promise<Change> {
  const tries = isRecovery ? RECOVERY_TRIES : 1;
  for (let count = 1; ; count += 1) {
    try {
      return await carryOut(step, record, ports, isRecovery);
    } catch (error) {
      if (count < tries) continue;
      if (step === "ledger" || step === "complete") throw error;
      return hold(step, wordsOf(error));
    }
  }
}

/**
 * Finalizes an attempt from where its record stands, and answers the record as it is then. One that was finalized is answered as
 * it is, once its verdict has been told. Rejects when the record cannot be written: then it is as it was, to be finalized later.
 */
export async function finalizeAttempt(
  begun: AttemptRecord,
  ports: FinalizePorts,
  { isRecovery = false }: FinalizeOptions = {},
): Promise<AttemptRecord> {
  let record = begun;
  for (let step = nextStep(record, isRecovery); step !== null; step = nextStep(record, isRecovery)) {
    if (record.step !== step) {
      record = stepBegun(record, step);
      await ports.save(record);
    }
    const change = await attempted(step, record, ports, isRecovery);
    record = stepDone(change(record), step, ports.now().toISOString());
    await ports.save(record);
  }
  return record;
}
