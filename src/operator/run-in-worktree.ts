// A run whose agent works in a tree of its own (O6): what earlier starts left is put in order, an attempt begins, the run goes on in its
// tree with packets and records of the main workbench, and the attempt is finalized (O7) before anybody hears how it ended.
import path from "node:path";
import { readOwnIdentity } from "../io/process-identity.js";
import { endLeftovers } from "../rotation/end-leftovers.js";
import { PATIENCE } from "../rotation/patience.js";
import { sessionName } from "../rotation/record-session.js";
import type { RunLedger } from "../model/run-ledger.js";
import { refuseNested } from "../rotation/refuse-nested.js";
import { newRunId, openRunFiles, readRun } from "../rotation/run-folder.js";
import type { RunEnd, RunPorts } from "../rotation/run-options.js";
import type { RunBeginning } from "../rotation/run-rotation.js";
import type { Workbench } from "../session/open-workbench.js";
import { ensureStore } from "../store/store-folder.js";
import { readBranch } from "../workbench/read-branch.js";
import { readAttempts, writeAttempt } from "./attempt-files.js";
import { mainPath, workPorts } from "./attempt-ports.js";
import type { AttemptRecord } from "./attempt-record.js";
import { beginAttempt, carryPacket } from "./begin-attempt.js";
import { finalizeAttempt, type FinalizePorts } from "./finalize-attempt.js";
import type { Operator } from "./operator.js";
import { liveVerdict, recoveryVerdict } from "./attempt-verdict.js";
import { reconcileAttempts, type Reconciled } from "./reconcile-attempts.js";
import { completeRequest } from "./request-file.js";
import { type OperatorParts, runWithOperator } from "./run-with-operator.js";
import { type ResumedBeginning, takeOverRun } from "./take-over-run.js";
import { rootIn, treePath } from "./worktree.js";

/** What it is given besides what the run is given. */
export interface WorktreeParts extends Omit<OperatorParts, "conclude" | "pathOf"> {
  /** The attempt has begun: where the agent works. */
  readonly onAttempt?: (record: AttemptRecord) => void;
  /** Stands between the finalization and what it does: for whoever drives it step by step. */
  readonly between?: (ports: FinalizePorts) => FinalizePorts;
}

/** How it ended, and what is on record of this start. */
export interface WorktreeEnd {
  readonly end: RunEnd;
  /** Null: nothing was begun, the job had been done before. */
  readonly attempt: AttemptRecord | null;
}

/** The workbench in the tree: the main one's configuration, gate and store, and the tree's files and git. */
function openTree(open: () => Promise<Workbench>, runId: string): () => Promise<Workbench> {
  return async () => {
    const main = await open();
    const root = await rootIn(treePath(main.root, runId), main);
    const outDir = await ensureStore(main.root, main.outDir);
    let asked: Promise<string | null> | null = null;
    return { ...main, root, outDir, branch: () => (asked ??= readBranch(root, { ...main.env })) };
  };
}

/** The main workbench and how to open it again. */
interface Main {
  readonly open: () => Promise<Workbench>;
  readonly main: Workbench;
  readonly now: () => Date;
  readonly between?: (ports: FinalizePorts) => FinalizePorts;
}

/**
 * Puts in order what earlier starts of a run left (O9). Only for a run that nobody runs; what is left of its processes is gone.
 * Twice is once. Throws RefusalError `attempt.unreadable`, `request.unreadable`, and what cannot be written.
 */
export async function recoverRun(
  { open, main, now, between = (ports) => ports }: Main,
  runId: string,
): Promise<Reconciled[]> {
  const openThere = openTree(open, runId);
  return reconcileAttempts(main, runId, async () =>
    between({
      ...workPorts({ main, open: openThere, topic: null, now }),
      now,
      elapsed: async () => null,
      judge: () => recoveryVerdict(main, runId),
      complete: async ({ request_id, reason, detail }) => {
        if (request_id === null) return;
        const verdict = { at: now().toISOString(), reason, what: detail ?? "" };
        await completeRequest(main, { runId, requestId: request_id, verdict });
      },
    }),
  );
}

/** True for a run that works in trees of its own. */
export async function hasAttempts(main: Pick<Workbench, "root" | "outDir">, runId: string): Promise<boolean> {
  return (await readAttempts(main, runId)).length > 0;
}

function sessionsOf({ ledger }: Pick<RunEnd, "ledger">, main: Workbench): string[] {
  const ids = [...ledger.retired, ...ledger.generations.map(({ session_id }) => session_id)];
  return [...new Set(ids.flatMap((id) => (id === null ? [] : [sessionName(id, main)])))];
}

/** The run's ledger names the packet that was published last, with the work on its branch. */
async function noteFinalPacket(
  main: Workbench,
  ledger: RunLedger,
  { packet }: Pick<AttemptRecord, "packet">,
): Promise<RunLedger> {
  const at = ledger.generations.findLastIndex(({ session_id }) => session_id !== null);
  const row = ledger.generations[at];
  if (packet === null || row === undefined || row.packet_id === packet.packet_id) return ledger;
  const generations = ledger.generations.with(at, { ...row, packet_id: packet.packet_id });
  const changed = { ...ledger, generations };
  const { memory } = await readRun(main.root, main.outDir, ledger.run_id);
  const files = openRunFiles(main, ledger.run_id);
  await files.write({ ...memory, ledger: changed });
  return changed;
}

/** Recovery of the run that is gone on with, and ours. */
async function recoverFound(parts: Main, beginning: ResumedBeginning, ports: RunPorts): Promise<void> {
  const { child, ledger } = beginning.found.memory;
  const own = await readOwnIdentity();
  // Whatever still writes into the tree would be lost with it.
  const left = await endLeftovers({ runId: ledger.run_id, child, own, patience: ports.patience ?? PATIENCE });
  if (left.ended > 0)
    ports.onWarning?.("run.leftovers", `ended what the run had left behind, processes: ${left.ended}`);
  for (const { record, changed } of await recoverRun(parts, ledger.run_id))
    if (changed && record.held !== null) ports.onWarning?.("attempt.held", record.held.reason);
}

/**
 * Runs a job as runRotation does, with the agent in a tree of its own. A failure to finalize is said aloud, and the next start sees
 * to it. Throws what runRotation throws, and RefusalError `attempt.git`, `attempt.no_commit`, `attempt.unreadable` before anything
 * is started.
 */
export async function runInWorktree(
  open: () => Promise<Workbench>,
  beginning: RunBeginning,
  ports: RunPorts,
  parts: WorktreeParts,
): Promise<WorktreeEnd> {
  refuseNested(ports.env);
  const main = await open();
  if (!("found" in beginning)) return runAttempt({ open, main, beginning, ports }, parts);
  const { mine, giveBack } = await takeOverRun(main, beginning, ports);
  try {
    return await runAttempt({ open, main, beginning: mine, ports }, parts);
  } catch (error) {
    await giveBack();
    throw error;
  }
}

interface AttemptToRun {
  readonly open: () => Promise<Workbench>;
  readonly main: Workbench;
  /** Ours already, if it goes on. */
  readonly beginning: RunBeginning;
  readonly ports: RunPorts;
}

/** One start of the run. */
async function runAttempt(
  { open, main, beginning, ports }: AttemptToRun,
  { onAttempt, between = (one) => one, ...parts }: WorktreeParts,
): Promise<WorktreeEnd> {
  const { now } = ports;
  const found = "found" in beginning ? beginning : null;
  const runId =
    found?.found.memory.ledger.run_id ?? ("plan" in beginning ? beginning.runId : undefined) ?? newRunId();
  if (found !== null) await recoverFound({ open, main, now, between }, found, ports);
  const isOver = found?.found.memory.ledger.status === "done";
  if (isOver) return { end: await runWithOperator(open, beginning, ports, parts), attempt: null };
  const sessions = found === null ? [] : sessionsOf(found.found.memory, main);
  const { record: begun, root } = await beginAttempt({ main, runId, sessions, now });
  /** The run names files from where it works. */
  const pathOf = (file: string): string => mainPath(main.root, path.resolve(root, file));
  onAttempt?.(begun);
  let record = begun;
  const openThere = openTree(open, runId);
  const topic = found?.found.memory.plan.topic ?? ("plan" in beginning ? beginning.plan.topic : null);
  const retired = found?.found.memory.ledger.retired.at(-1);
  if (retired !== undefined) await carryPacket(await openThere(), sessionName(retired, main), topic);

  let ledger: RunLedger | null = null;
  const conclude = async (end: RunEnd, operator: Operator): Promise<void> => {
    const last = end.ledger.generations.findLast(({ session_id }) => session_id !== null)?.session_id ?? null;
    const session = last === null ? null : sessionName(last, main);
    record = { ...record, outcome: { rule: end.rule, handoff: end.handoff !== null, session } };
    await writeAttempt(main, record);
    const work = workPorts({ main, open: openThere, topic, now });
    record = await finalizeAttempt(
      record,
      between({
        ...work,
        publish: async (at) => {
          const packet = await work.publish(at);
          // The one that the run had published has made way for it.
          if (packet !== null && end.handoff !== null) operator.port.published(packet);
          return packet;
        },
        now,
        elapsed: async () => operator.live()?.elapsed_ms ?? null,
        judge: async (at) => {
          ledger = await noteFinalPacket(main, end.ledger, at);
          return liveVerdict(at, end, operator.live());
        },
        complete: async ({ request_id, reason, detail }) => {
          if (request_id !== null) await operator.complete({ request_id, reason, what: detail ?? "" });
        },
      }),
    );
  };
  try {
    const there: RunPorts = {
      ...ports,
      onEvent: (event) =>
        ports.onEvent(event.event === "done" ? { ...event, path: pathOf(event.path) } : event),
    };
    const where: RunBeginning = found ?? { ...beginning, runId };
    const end = await runWithOperator(openThere, where, there, { ...parts, conclude, pathOf });
    const { packet } = record;
    return {
      end: {
        ...end,
        ledger: ledger ?? end.ledger,
        handoff: end.handoff === null || packet === null ? end.handoff : packet,
      },
      attempt: record,
    };
  } catch (error) {
    // Nothing was started, or a fault of ours: the tree is put in order as after a crash.
    await recoverRun({ open, main, now, between }, runId).catch(() => undefined);
    throw error;
  }
}
