// For tests: a process that changes a store, step by step, as told in a file, and prints how each step ended.
import "./fault-point.js";
import { readFileSync } from "node:fs";
import { HandoffError } from "../../model/errors.js";
import { archivePackets } from "../archive-packets.js";
import { publishPacket } from "../publish-packet.js";
import { recordConsumption } from "../record-consumption.js";
import { repairStore } from "../repair-store.js";
import type { StoreJob, StoreStep, StepOutcome } from "./store-steps.js";

async function runStep({ root, outDir, lock }: StoreJob, step: StoreStep): Promise<unknown> {
  const place = { root, outDir, ...(lock === undefined ? {} : { lock }) };
  if (step.do === "publish") return publishPacket({ ...place, ...step.made });
  if (step.do === "archive") return archivePackets({ ...place, select: () => step.ids });
  if (step.do === "consume")
    return recordConsumption({ ...place, packetId: step.id, by: step.by, at: step.at });
  return repairStore(place);
}

const job: StoreJob = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
process.stdout.write("ready\n");
for (const step of job.steps) {
  let outcome: StepOutcome;
  try {
    outcome = { ok: true, result: await runStep(job, step) };
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    const { code, exitCode, message, hint, place } = error;
    outcome = { ok: false, code, exitCode, message, hint, path: place?.path ?? null };
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
