// What the steps of a finalization do in a real workbench (O6, O7): git in the attempt's tree, packets in the main workbench's store.
// Everything that is asked about the packet is asked while the tree is there.
import { existsSync } from "node:fs";
import path from "node:path";
import type { HandoffPacket } from "../model/packet.js";
import { sessionFolderOf } from "../recorder/session-folder.js";
import { writeState } from "../rotation/write-state.js";
import { locatePacket, packetOf } from "../session/locate-packet.js";
import type { Workbench } from "../session/open-workbench.js";
import { previewSession, publishSession, type PublishOptions } from "../session/publish-session.js";
import { gitIn } from "./attempt-git.js";
import { writeAttempt } from "./attempt-files.js";
import { attemptName, type AttemptRecord } from "./attempt-record.js";
import { checkpointWork, notKept } from "./checkpoint-work.js";
import type { FinalizePorts } from "./finalize-attempt.js";
import { keepRecords } from "./keep-records.js";
import { nestedRepositories } from "./nested-repositories.js";
import { takeOverWords } from "./take-over-words.js";
import { isTree, removeTree, removeUnfinished, rootIn, unlockTree } from "./worktree.js";

/** What of the ports belongs to the work, not to the request. */
export type WorkPorts = Pick<
  FinalizePorts,
  "save" | "checkpoint" | "validate" | "publish" | "holdCheck" | "release" | "cleanUp"
>;

/** The workbenches of an attempt. */
export interface AttemptBenches {
  /** The person's own. */
  readonly main: Workbench;
  /** Opens the one in the attempt's tree, anew: the branch may have changed. */
  readonly open: () => Promise<Workbench>;
  readonly topic: string | null;
  readonly now: () => Date;
}

/** A file as the person finds it: from their workbench's root where it lies there, else in full. */
export function mainPath(root: string, file: string): string {
  const way = path.relative(root, file).replaceAll(path.sep, "/");
  return way.startsWith("../") || path.isAbsolute(way) ? file : way;
}

/** The packet that the run left of a session; null: none. */
async function leftPacket(workbench: Workbench, session: string): Promise<HandoffPacket | null> {
  return locatePacket(workbench, { ref: session }).then(packetOf, () => null);
}

/** As the run published it: the same session, reason and words. */
function optionsOf(session: string, left: HandoffPacket, topic: string | null): PublishOptions {
  return {
    sessionId: session,
    topic,
    allowDegraded: true,
    degraded: left.degraded,
    reason: left.handoff_reason,
  };
}

/** Why a packet is not what a person asked for; null: it is. */
function faultOf(packet: HandoffPacket, record: AttemptRecord): string | null {
  if (packet.degraded !== null) return `the session's note cannot be used (${packet.degraded.reason})`;
  if (record.outcome?.handoff === true && packet.handoff_reason !== "operator_request")
    return `its newest packet was made for another reason (${packet.handoff_reason})`;
  return null;
}

/** Makes them. */
export function workPorts({ main, open, topic, now }: AttemptBenches): WorkPorts {
  const { root, outDir, env } = main;
  return {
    save: (record) => writeAttempt({ root, outDir }, record),
    checkpoint: async (record) => {
      const { tree, branch, base_commit, ready_at } = record;
      if (ready_at === null) return base_commit;
      // Cleaned up by a start that was killed before it said so: the branch has everything.
      if (!existsSync(tree)) return gitIn(root, env).run(["rev-parse", "--verify", `refs/heads/${branch}`]);
      if (!isTree(tree))
        throw new Error(`${tree} is no worktree any more: nothing in it can be put on ${branch}`);
      const subject = `handoff: the work of ${attemptName(record)}`;
      return checkpointWork({ tree, branch, subject, env });
    },
    validate: async (record) => {
      const session = record.outcome?.session ?? null;
      if (session === null) return "it has no session that a packet could speak of";
      const workbench = await open();
      const left = await leftPacket(workbench, session);
      if (left === null) return "its session has no packet";
      const said = { decisions: [takeOverWords(record)] };
      await writeState(sessionFolderOf(workbench.root, session), said, {
        redactor: workbench.redactor,
        now: now(),
      });
      const { packet } = await previewSession(workbench, optionsOf(session, left, topic));
      return faultOf(packet, record);
    },
    publish: async (record) => {
      const session = record.outcome?.session ?? null;
      const workbench = session === null ? null : await open();
      const left = workbench === null || session === null ? null : await leftPacket(workbench, session);
      if (workbench === null || session === null || left === null) return null;
      const { packet, dir } = await publishSession(workbench, optionsOf(session, left, topic));
      return { packet_id: packet.packet_id, path: mainPath(root, path.join(dir, "handoff.json")) };
    },
    holdCheck: async (record) => {
      const { tree, checkpoint, ready_at } = record;
      if (ready_at === null || !existsSync(tree)) return null;
      if (checkpoint === null) return "its work is on no commit";
      const ref = `refs/heads/${record.branch}`;
      const has = await gitIn(tree, env).ask(["merge-base", "--is-ancestor", checkpoint, ref]);
      if (!has.ok) return `the branch ${record.branch} has lost the checkpoint ${checkpoint.slice(0, 12)}`;
      const more = await notKept({ tree, env }, checkpoint);
      if (more !== null) return more;
      const nested = await nestedRepositories({ tree, env }, checkpoint);
      return nested.length === 0 ? null : `a repository with work of its own lies in ${nested[0] ?? "it"}`;
    },
    release: ({ tree }) => unlockTree(root, tree, env),
    cleanUp: async ({ tree, ready_at, takes_over }) => {
      if (ready_at === null) return takes_over ? undefined : removeUnfinished(root, tree, env);
      if (isTree(tree)) await keepRecords(await rootIn(tree, main), root);
      return removeTree(root, tree, env);
    },
  };
}
