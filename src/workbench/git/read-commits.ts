// Reads commits: HEAD, and those since the base. Subjects are as found, except that invalid UTF-8 is replaced.
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GitFacts } from "../../model/snapshot.js";
import { explainFailure, gitDiagnostic, type Git } from "./run-git.js";

/** Commits since the base that are listed. */
export const MAX_COMMITS = 500;
const LOG = ["log", "-z", "--no-show-signature", "--encoding=UTF-8", "--no-color"];

/** HEAD with its commit time in milliseconds; null with a problem when git cannot read it (also: unborn). */
export async function readHead(
  git: Git,
  root: string,
): Promise<{ readonly head: GitFacts["head"]; readonly problem: Diagnostic | null }> {
  const result = await git.run(root, [...LOG, "-1", "--format=%H%x00%ct%x00%s", "HEAD", "--"]);
  if (result.status !== "ok") return { head: null, problem: explainFailure(result, "log", git) };
  const [sha = "", seconds = "", subject = ""] = result.stdout.toString("utf8").split("\0");
  return { head: { sha, subject, committed_at: Number(seconds) * 1000 }, problem: null };
}

/** Commits since a base. */
interface CommitLog {
  readonly commits: GitFacts["commits"];
  readonly omitted: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** The arguments of {@link readHeadAndCommits}. */
export function headAndCommitsArgs(base: string, max: number): string[] {
  // All but what the base's parents reach: the base itself is among it, and with it HEAD, also where that is the base.
  const range = ["HEAD", "--not", `${base}^@`];
  return [...LOG, `--max-count=${max + 2}`, "--format=%H%x00%ct%x00%s", ...range, "--"];
}

/**
 * HEAD and the commits since `base` in one call; `log` is null where that one could not tell.
 * @param base a commit's full hash; of anything else `head` is right, and `log` says nothing of use
 */
export async function readHeadAndCommits(
  git: Git,
  root: string,
  base: string,
  max: number,
): Promise<Awaited<ReturnType<typeof readHead>> & { readonly log: CommitLog | null }> {
  const result = await git.run(root, headAndCommitsArgs(base, max));
  if (result.status !== "ok") return { ...(await readHead(git, root)), log: null };
  const fields = result.stdout.toString("utf8").split("\0");
  const all: { sha: string; subject: string }[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3)
    all.push({ sha: fields[i] ?? "", subject: fields[i + 2] ?? "" });
  const commits = all.filter(({ sha }) => sha !== base);
  const [newest] = all;
  // HEAD lies behind the base.
  if (newest === undefined)
    return { ...(await readHead(git, root)), log: { commits, omitted: 0, diagnostics: [] } };
  const head = { ...newest, committed_at: Number(fields[1]) * 1000 };
  const log = commits.length <= max ? { commits, omitted: 0, diagnostics: [] } : null;
  return { head, problem: null, log };
}

/** Commits of `base..head`, newest first, at most `max` of them; the rest counted. */
export async function readCommits(
  git: Git,
  root: string,
  base: string | null,
  head: string | null,
  max: number,
): Promise<CommitLog> {
  if (base === null || head === null || base === head) return { commits: [], omitted: 0, diagnostics: [] };
  const range = `${base}..${head}`;
  const result = await git.run(root, [...LOG, `--max-count=${max + 1}`, "--format=%H%x00%s", range, "--"]);
  if (result.status !== "ok") {
    return { commits: [], omitted: 0, diagnostics: [explainFailure(result, "log", git)] };
  }
  const fields = result.stdout.toString("utf8").split("\0");
  const commits: { sha: string; subject: string }[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    commits.push({ sha: fields[i] ?? "", subject: fields[i + 1] ?? "" });
  }
  if (commits.length <= max) return { commits, omitted: 0, diagnostics: [] };
  const counted = await git.run(root, ["rev-list", "--count", range, "--"]);
  const total = counted.status === "ok" ? Number(counted.stdout.toString("latin1").trim()) : commits.length;
  const omitted = total - max;
  const cut = gitDiagnostic("git.truncated", "info", { list: "commits", omitted });
  return { commits: commits.slice(0, max), omitted, diagnostics: [cut] };
}
