// Packets of a run and the briefs made from them (R17-R21).
import path from "node:path";
import { RefusalError } from "../model/errors.js";
import type { HandoffReason } from "../model/packet.js";
import { briefPath } from "../session/open-workbench.js";
import { locatePacket, packetOf } from "../session/locate-packet.js";
import { prepareBrief, type PreparedBrief } from "../session/prepare-brief.js";
import type { DegradedReason } from "./degraded-packet.js";
import { operatorPublished, operatorPublishes } from "./job-operator.js";
import { recordAtWork } from "./job-signals.js";
import { cleanLine } from "../text/clean.js";
import { byteLength, cutText } from "../text/cut.js";
import { changeRow, dispatch } from "./job-steps.js";
import { errorWords, warn } from "./job-telling.js";
import { itemId } from "../text/digest.js";
import { publishGeneration } from "./publish-generation.js";
import { sessionName } from "./record-session.js";
import { type RunJob, timeOf } from "./run-job.js";
import { writeState } from "./write-state.js";

/** Longest task that a brief carries whole, in bytes. */
const MAX_TASK_BYTES = 1500;
const MAX_DETAIL = 300;
/** The packet of the retired session has been replaced or put away: then the one in its place counts (S6). */
const REPLACED = new Set(["drift.superseded", "drift.archived", "packet.missing"]);

interface Publication {
  readonly degraded: DegradedReason | null;
  readonly reason: HandoffReason;
}

/** Facts under names that the session had before: the packet after them takes over what they leave open. */
async function publishEarlier(job: RunJob, { recorder, model, earlier }: RunJob["session"]): Promise<void> {
  const { plan, ports } = job;
  for (const one of earlier.splice(0)) {
    if (one.name === recorder?.name) continue;
    await one.settled(model);
    await publishGeneration(await job.open(), {
      session_id: one.name,
      folder: one.folder,
      sections: null,
      degraded: null,
      detail: null,
      task: plan.task,
      topic: plan.topic,
      reason: "session_end",
      now: ports.now(),
    });
  }
}

async function publishAtWork(job: RunJob, { degraded, reason }: Publication): Promise<void> {
  recordAtWork(job);
  const { recorder, model } = job.session;
  if (recorder === null) throw new Error("there is no session to speak of");
  await Promise.all([recorder.settled(model), job.noting]);
  await publishEarlier(job, job.session);
  const isOperators = job.state.operator === "begun" && reason === "operator_request";
  if (isOperators) operatorPublishes(job);
  const { packet, dir } = await publishGeneration(await job.open(), {
    session_id: recorder.name,
    folder: recorder.folder,
    sections: job.reply?.sections ?? null,
    degraded,
    detail:
      degraded === "overflow" ? (job.lastError?.slice(0, MAX_DETAIL) ?? null) : (job.reply?.detail ?? null),
    task: job.plan.task,
    topic: job.plan.topic,
    reason,
    now: job.ports.now(),
  });
  const { root } = job.workbench;
  const way = path.relative(root, path.join(dir, "handoff.json")).replaceAll(path.sep, "/");
  job.published = { packet_id: packet.packet_id, path: way };
  changeRow(job, { packet_id: packet.packet_id, degraded });
  if (isOperators) operatorPublished(job, job.published);
}

/** Publishes the packet of the session at work, once its turn is over. */
export async function publish(job: RunJob, publication: Publication): Promise<void> {
  await job.turn;
  try {
    await publishAtWork(job, publication);
  } catch (error) {
    job.lastError = errorWords(error);
    dispatch(job, { kind: "publish_failed" });
    return;
  }
  dispatch(job, { kind: "published" });
}

/** The id of the action that the last session's brief asked for; null: it had none, or nobody can tell any more. */
async function askedAction(job: RunJob): Promise<string | null> {
  const last = job.ledger.retired.at(-1);
  if (last === undefined) return null;
  try {
    const workbench = await job.open();
    const { next_action } = packetOf(
      await locatePacket(workbench, { ref: sessionName(last, workbench), topic: job.plan.topic }),
    );
    return itemId("next_action", next_action);
  } catch {
    return null;
  }
}

/** The job came to its own end: the session says so, and what its brief asked for is not asked of whoever comes next. */
async function noteDone(job: RunJob): Promise<void> {
  recordAtWork(job);
  const { recorder, model, lastWords } = job.session;
  if (recorder === null) return;
  await recorder.settled(model);
  await recorder.done(lastWords);
  const asked = await askedAction(job);
  if (asked === null) return;
  const how = { redactor: job.workbench.redactor, now: job.ports.now() };
  await writeState(recorder.folder, { resolved: [asked] }, how);
}

/** A job that is over leaves its last session's packet too: best effort, it changes nothing about the end. */
export async function publishLast(job: RunJob, isDone: boolean): Promise<void> {
  if (job.state.session_id === null) return;
  job.reply = null;
  try {
    if (isDone) await noteDone(job);
    await publishAtWork(job, { degraded: null, reason: "session_end" });
  } catch (error) {
    warn(job, "run.last_packet", `the last session has no packet: ${errorWords(error)}`);
  }
}

/** The task as a brief has it: whole, or its beginning and where the rest is. */
function taskOf({ plan, files, workbench }: RunJob): string {
  const task = cleanLine(workbench.redactor.redactText(plan.task).text);
  if (byteLength(task) <= MAX_TASK_BYTES) return task;
  const way = briefPath(workbench.root, files.ledgerPath, workbench);
  return `${cutText(task, MAX_TASK_BYTES)} (in full: "task" in ${way})`;
}

/** The brief of the session that was retired last, as its packet lies on disk now. */
async function briefOf(job: RunJob): Promise<PreparedBrief> {
  const workbench = await job.open();
  const topic = job.plan.topic === null ? {} : { topic: job.plan.topic };
  const options = { ...topic, task: taskOf(job), at: timeOf(job) };
  const last = job.ledger.retired.at(-1);
  if (last === undefined) return prepareBrief(workbench, options);
  try {
    return await prepareBrief(workbench, { ...options, ref: sessionName(last, workbench) });
  } catch (error) {
    if (!(error instanceof RefusalError) || !REPLACED.has(error.code)) throw error;
    warn(job, "run.packet_replaced", `${error.message}: the successor starts from the active packet`);
    return prepareBrief(workbench, options);
  }
}

/**
 * The prompt of a fresh session: the job itself, or the brief as it lies on disk now (R20). Throws what preparing a brief
 * throws; another branch than the packet's is a refusal.
 */
export async function promptOf(job: RunJob, generation: number): Promise<string> {
  if (generation === 1) return job.plan.task;
  const prepared = await briefOf(job);
  job.brief = prepared.packet.packet_id;
  return prepared.brief;
}
