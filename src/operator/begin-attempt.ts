// A start of a run begins (O6): its number, its branch and its tree, on record before anything works there.
import { existsSync } from "node:fs";
import type { Workbench } from "../session/open-workbench.js";
import { locatePacket, packetOf } from "../session/locate-packet.js";
import { publishSession } from "../session/publish-session.js";
import { gitIn } from "./attempt-git.js";
import { readAttempts, writeAttempt } from "./attempt-files.js";
import { type AttemptRecord, newAttempt } from "./attempt-record.js";
import { keepRecords } from "./keep-records.js";
import { branchOf, headOf, makeTree, rootIn, treePath } from "./worktree.js";

/** What is to begin. */
export interface AttemptRequest {
  /** The person's own. */
  readonly main: Workbench;
  readonly runId: string;
  /** Sessions that the run has had, by their names in the workbench: their records come along. */
  readonly sessions: readonly string[];
  readonly now: () => Date;
}

/** A begun one. */
export interface BegunAttempt {
  readonly record: AttemptRecord;
  /** Where the agent works: what the workbench's root is in the tree. */
  readonly root: string;
}

/** What the newest earlier start left, or HEAD. */
async function baseOf(main: Workbench, before: readonly AttemptRecord[]): Promise<string> {
  const branch = before.findLast(({ ready_at }) => ready_at !== null)?.branch;
  if (branch === undefined) return headOf(main);
  const left = await gitIn(main.root, main.env).ask([
    "rev-parse",
    "--verify",
    "--quiet",
    `refs/heads/${branch}^{commit}`,
  ]);
  return left.ok ? left.out : headOf(main);
}

/**
 * Begins it. Attempts before it are finalized (reconcileAttempts). Throws RefusalError `attempt.git`, `attempt.no_commit`,
 * `attempt.unreadable`, and UsageError for what the system refuses; then nothing has begun.
 */
export async function beginAttempt(request: AttemptRequest): Promise<BegunAttempt> {
  const { main, runId, sessions, now } = request;
  const before = await readAttempts(main, runId);
  const attempt = (before.at(-1)?.attempt ?? 0) + 1;
  const base = await baseOf(main, before);
  const branch = branchOf(runId, attempt);
  const tree = treePath(main.root, runId);
  const begun = newAttempt({
    run_id: runId,
    attempt,
    branch,
    base_commit: base,
    tree,
    takes_over: existsSync(tree),
    started_at: now().toISOString(),
  });
  // First on record: a tree that nobody knows of would stay for ever.
  await writeAttempt(main, begun);
  await makeTree(main, { runId, attempt, base });
  const root = await rootIn(tree, main);
  if (sessions.length > 0) await keepRecords(main.root, root, sessions);
  const record = { ...begun, ready_at: now().toISOString() };
  await writeAttempt(main, record);
  return { record, root };
}

/**
 * The packet of the session that was retired last, once more: it belongs to this start's branch now, and a successor may start
 * from it. Nothing is done where there is none.
 */
export async function carryPacket(
  workbench: Workbench,
  session: string | null,
  topic: string | null,
): Promise<void> {
  if (session === null) return;
  const left = await locatePacket(workbench, { ref: session }).then(packetOf, () => null);
  if (left === null) return;
  const { degraded, handoff_reason: reason } = left;
  await publishSession(workbench, { sessionId: session, topic, allowDegraded: true, degraded, reason });
}
