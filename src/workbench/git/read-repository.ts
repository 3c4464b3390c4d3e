// The first question to git: is there a repository, of what kind, and where does the root lie in it.
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Diagnostic } from "../../model/diagnostic.js";
import { explainFailure, gitDiagnostic, type Git } from "./run-git.js";

export interface Repository {
  /** False in a bare repository and inside a `.git` folder. */
  readonly hasWorkTree: boolean;
  readonly shallow: boolean;
  /** Hash of the tree without entries, what an unborn branch is compared with. */
  readonly emptyTree: string;
  /** The working tree's own git folder, absolute. */
  readonly gitDir: string;
  /** The working tree's top level, absolute. */
  readonly top: string;
  /** The root from the top level, with forward slashes; empty at the top. */
  readonly prefix: string;
}

/** Known to every git without being stored; by hash function. */
const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** The answer to the first question. `commit`: the one that was asked for with it; null: there is none, or nobody asked. */
export type Opened =
  | { readonly repository: Repository; readonly problem: null; readonly commit: string | null }
  | { readonly repository: null; readonly problem: Diagnostic; readonly commit: null };

/** The arguments of {@link readRepository}. */
export function repositoryArgs(hash: string | null): string[] {
  return [
    "rev-parse",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--is-shallow-repository",
    "--show-object-format",
    "--show-cdup",
    "--absolute-git-dir",
    ...(hash === null ? [] : [`${hash}^{commit}`]),
  ];
}

/**
 * The repository `root` lies in, or the diagnostic that says why there is none to read.
 * @param hash a commit by its whole hash, looked up in the same call
 */
export async function readRepository(git: Git, root: string, hash: string | null = null): Promise<Opened> {
  const result = await git.run(root, repositoryArgs(hash));
  // One unknown commit, and git gives up altogether.
  if (hash !== null && result.status === "exit") return readRepository(git, root);
  if (result.status !== "ok")
    return { repository: null, problem: await explainAbsence(git, root, result), commit: null };
  const lines = result.stdout.toString("utf8").replace(/\n$/u, "").split("\n");
  const commit = hash === null ? null : (lines.pop() ?? null);
  const [bare, inside, shallow, format, cdup = "", ...rest] = lines;
  const real = await realpath(root).catch(() => path.resolve(root));
  // `../../` rather than the prefix itself: no name takes part, so no newline in a name can shift a line.
  const levels = inside === "true" ? cdup.split("/").filter((part) => part === "..").length : 0;
  const parts = real.split(path.sep);
  return {
    problem: null,
    commit,
    repository: {
      hasWorkTree: bare === "false" && inside === "true",
      shallow: shallow === "true",
      emptyTree: format === "sha256" ? EMPTY_TREE.sha256 : EMPTY_TREE.sha1,
      gitDir: rest.join("\n"),
      top: path.resolve(real, ...Array.from({ length: levels }, () => "..")),
      prefix: levels === 0 ? "" : parts.slice(-levels).join("/"),
    },
  };
}

/** Git calls a repository with a broken HEAD "not a git repository" too: then one is there, and that is a failure. */
async function explainAbsence(
  git: Git,
  root: string,
  result: Parameters<typeof explainFailure>[0],
): Promise<Diagnostic> {
  if (!/not a git repository/u.test(result.stderr)) return explainFailure(result, "rev-parse", git);
  for (let folder = path.resolve(root); ; folder = path.dirname(folder)) {
    const found = await stat(path.join(folder, ".git")).then(
      () => true,
      () => false,
    );
    if (found) return explainFailure(result, "rev-parse", git);
    if (path.dirname(folder) === folder) return gitDiagnostic("git.no_repository", "warn");
  }
}
