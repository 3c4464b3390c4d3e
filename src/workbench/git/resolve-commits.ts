// Looks up commits that artifacts name (P12). Names come from untrusted files: only hexadecimal strings are looked up,
// and only among objects, so that no name is ever read as an option, a branch or an expression.
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GitFacts, ResolvedCommit } from "../../model/snapshot.js";
import { explainFailure, gitDiagnostic, openGit, type Git, type GitBudget } from "./run-git.js";

const COMMIT_NAME = /^[0-9a-f]{4,64}$/iu;
/** Each name that resolves costs one walk of the history. */
const MAX_NAMES = 64;
const AT_ONCE = 4;

export interface ResolveOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** For all git calls together: milliseconds (default 10,000), or a budget shared with others. */
  readonly timeoutMs?: number | GitBudget;
}

/**
 * Every name, as written, with the one commit it abbreviates; null when there is none or more than one. `distance` is
 * `rev-list --count <commit>..HEAD`. Without a repository every name is null and nothing is diagnosed: that gap is
 * already on record.
 */
export async function resolveCommits(
  root: string,
  facts: Pick<GitFacts, "available" | "head">,
  names: readonly string[],
  options: ResolveOptions = {},
): Promise<{ resolved: GitFacts["resolved"]; diagnostics: Diagnostic[] }> {
  const all = [...new Set(names)];
  const found = new Map<string, ResolvedCommit>();
  const diagnostics: Diagnostic[] = [];
  const wanted = all.filter((name) => COMMIT_NAME.test(name));
  const lookedUp = wanted.slice(0, MAX_NAMES);
  const git =
    facts.available && lookedUp.length > 0
      ? await openGit(options.env ?? process.env, options.timeoutMs ?? 10_000)
      : null;
  if (git !== null) {
    const commits = await listCommits(git, root, lookedUp, diagnostics);
    const shas = new Map<string, string>();
    for (const name of lookedUp) {
      const matches = commits.filter((sha) => sha.startsWith(name.toLowerCase()));
      if (matches.length === 1 && matches[0] !== undefined) shas.set(name, matches[0]);
    }
    const bySha = await relateToHead(
      git,
      root,
      facts.head?.sha ?? null,
      [...new Set(shas.values())],
      diagnostics,
    );
    for (const [name, sha] of shas) {
      const commit = bySha.get(sha);
      if (commit !== undefined) found.set(name, commit);
    }
  }
  if (facts.available) {
    for (const rev of all) {
      if (!found.has(rev) && !wanted.slice(MAX_NAMES).includes(rev)) {
        diagnostics.push(gitDiagnostic("git.commit_unresolved", "warn", { rev }));
      }
    }
    const omitted = wanted.length - lookedUp.length;
    if (omitted > 0) {
      diagnostics.push(gitDiagnostic("git.truncated", "warn", { list: "commit names", omitted }));
    }
  }
  // fromEntries defines own properties: a name such as __proto__ stays a plain key.
  return { resolved: Object.fromEntries(all.map((name) => [name, found.get(name) ?? null])), diagnostics };
}

/** Full hashes of all commits that any of the prefixes abbreviates. */
async function listCommits(
  git: Git,
  root: string,
  prefixes: readonly string[],
  diagnostics: Diagnostic[],
): Promise<string[]> {
  const listed = await git.run(root, [
    "rev-parse",
    ...prefixes.map((prefix) => `--disambiguate=${prefix.toLowerCase()}`),
  ]);
  if (listed.status !== "ok") {
    diagnostics.push(explainFailure(listed, "rev-parse", git));
    return [];
  }
  const shas = [...new Set(listed.stdout.toString("latin1").split("\n"))].filter((sha) => sha !== "");
  if (shas.length === 0) return [];
  const typed = await git.run(
    root,
    ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    `${shas.join("\n")}\n`,
  );
  if (typed.status !== "ok") {
    diagnostics.push(explainFailure(typed, "cat-file", git));
    return [];
  }
  const lines = typed.stdout.toString("latin1").split("\n");
  return lines.filter((line) => line.endsWith(" commit")).map((line) => line.slice(0, -" commit".length));
}

/** One symmetric count a commit tells both: whether HEAD has all of it, and how far back it lies. */
async function relateToHead(
  git: Git,
  root: string,
  head: string | null,
  shas: readonly string[],
  diagnostics: Diagnostic[],
): Promise<Map<string, ResolvedCommit>> {
  const related = new Map<string, ResolvedCommit>();
  const unreachable = (sha: string): ResolvedCommit => ({ sha, reachable_from_head: false, distance: null });
  for (let start = 0; start < shas.length; start += AT_ONCE) {
    await Promise.all(
      shas.slice(start, start + AT_ONCE).map(async (sha) => {
        if (head === null || sha === head) {
          related.set(
            sha,
            head === null ? unreachable(sha) : { sha, reachable_from_head: true, distance: 0 },
          );
          return;
        }
        const counted = await git.run(root, [
          "rev-list",
          "--left-right",
          "--count",
          `${sha}...${head}`,
          "--",
        ]);
        if (counted.status !== "ok") diagnostics.push(explainFailure(counted, "rev-list", git));
        const [missing, distance] = counted.stdout.toString("latin1").trim().split("\t").map(Number);
        const reachable = counted.status === "ok" && missing === 0 && distance !== undefined;
        related.set(sha, reachable ? { sha, reachable_from_head: true, distance } : unreachable(sha));
      }),
    );
  }
  return related;
}
