// What a run reports to the person who asked it for a handoff (O3). Whatever fails on their side is said aloud, and the run goes
// on as if nobody had asked.
import { errorWords, warn } from "./job-telling.js";
import type { OperatorPort } from "./operator-port.js";
import type { RunJob } from "./run-job.js";

/** Says it aloud. */
export function operatorFailed(job: RunJob, error: unknown): void {
  warn(job, "run.operator", `a request for a handoff is not served as it should be: ${errorWords(error)}`);
}

function speak(job: RunJob, speech: (port: OperatorPort) => void): void {
  const { operator } = job.ports;
  if (operator === undefined) return;
  try {
    speech(operator);
  } catch (error) {
    operatorFailed(job, error);
  }
}

/** Reports how far the handoff is. */
export function report(job: RunJob, step: "delivered" | "begun"): void {
  speak(job, (operator) => (step === "delivered" ? operator.delivered() : operator.begun()));
}

export function operatorPublishes(job: RunJob): void {
  speak(job, (operator) => operator.publishing());
}

export function operatorPublished(job: RunJob, packet: NonNullable<RunJob["published"]>): void {
  speak(job, (operator) => operator.published(packet));
}

/** Longest handoff turn that leaves time to publish (O5), in milliseconds; null: no limit. */
export function operatorWritingMs(job: RunJob): number | null {
  let ms: number | null = null;
  speak(job, (operator) => {
    ms = operator.writingMs();
  });
  return ms;
}
