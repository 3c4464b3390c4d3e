// What the workbench looks like now, as far as an existing packet speaks of it (S7). The same readers as for a new packet,
// asked from the packet's own base, session and task, so that nothing but a real change makes a difference. Reads only,
// except for the scan's cursor.
import { realpath } from "node:fs/promises";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { vouchedFiles, type WorkbenchDriftFacts } from "../model/drift.js";
import type { HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { readCommits } from "./git/read-commits.js";
import { readMerged } from "./git/read-merged.js";
import { resolveCommits } from "./git/resolve-commits.js";
import { openGit } from "./git/run-git.js";
import { type LoadOptions, loadSnapshot } from "./load-snapshot.js";

const MAX_COMMITS = 200;

/** As for {@link loadSnapshot}. `predecessor` is the one the packet was generated against: then the scan's cursor fits. */
export type DriftFactsOptions = Pick<
  LoadOptions,
  "config" | "outDir" | "cacheDir" | "env" | "predecessor" | "onProgress"
>;

type HeadFacts = Pick<WorkbenchDriftFacts, "head" | "commits" | "commits_omitted">;

async function readHeadFacts(
  root: string,
  { git: facts }: WorkbenchSnapshot,
  { head_commit: packetHead, git: then }: HandoffPacket,
  env: NodeJS.ProcessEnv,
): Promise<HeadFacts> {
  const nothing = { commits: [], commits_omitted: 0 };
  const head = facts.head?.sha ?? null;
  if (!facts.available || !then.available) return { head: "none", ...nothing };
  // The branch was born since: its newest commit stands for all.
  if (packetHead === null)
    return { head: "none", ...nothing, commits: facts.head === null ? [] : [facts.head] };
  if (head === packetHead) return { head: "head", ...nothing };
  const { resolved } = await resolveCommits(root, facts, [packetHead], { env });
  const commit = resolved[packetHead] ?? null;
  const git = commit === null ? null : await openGit(env, 10_000);
  if (commit === null || git === null) return { head: "gone", ...nothing };
  const { commits, omitted } = await readCommits(git, root, packetHead, head, MAX_COMMITS);
  return { head: commit.reachable_from_head ? "behind" : "unreachable", commits, commits_omitted: omitted };
}

async function readFiles(root: string, packet: HandoffPacket): Promise<WorkbenchDriftFacts["files"]> {
  const real = await realpath(root);
  return Promise.all(
    [...vouchedFiles(packet).keys()].map(async (path) => {
      const read = await readArtifactFile(real, path);
      return { path, sha256: read.status === "read" ? read.sha256 : null };
    }),
  );
}

/** The default branch's name when it has every commit the packet counted since its base. */
async function readMergedInto(
  root: string,
  packet: HandoffPacket,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const { head_commit, branch, git } = packet;
  // Without commits of its own a branch is part of the default branch from the start.
  if (head_commit === null || git.base_commit === null || head_commit === git.base_commit) return null;
  const answer = await readMerged(root, [head_commit], branch, env);
  return answer?.merged.has(head_commit) === true ? answer.into : null;
}

/** Reads them. Throws UsageError only for a root or configuration that cannot be used. */
export async function readDriftFacts(
  root: string,
  packet: HandoffPacket,
  options: DriftFactsOptions = {},
): Promise<WorkbenchDriftFacts> {
  const env = options.env ?? process.env;
  const base = packet.git.base_commit ?? packet.head_commit;
  const [snapshot, files, merged_into] = await Promise.all([
    loadSnapshot(root, {
      ...options,
      sessionId: packet.session_id,
      taskId: packet.task_id,
      topic: packet.topic,
      base,
    }),
    readFiles(root, packet),
    readMergedInto(root, packet, env),
  ]);
  const { git } = snapshot;
  // The base may be gone (a clone that is shallow, a rebase and a cleanup): counts from elsewhere would all differ.
  const comparable =
    git.available && (base === null ? git.unborn : git.base?.from === "option" && git.base.sha === base);
  return {
    git_available: git.available,
    branch: git.branch,
    ...(await readHeadFacts(root, snapshot, packet, env)),
    dirty: git.dirty,
    shallow: git.shallow,
    changes: comparable && git.changes_omitted === 0 ? git.changes : null,
    files,
    feedback: { total: snapshot.feedback.total },
    merged_into,
  };
}
