// What changed between a tree and the working tree, without touching the index (P9, P10).
import path from "node:path";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { GitChange } from "../../model/snapshot.js";
import { buildChanges, GITLINK, isUntouchedText, needsHash } from "./build-changes.js";
import { countLines } from "./count-lines.js";
import { findFiltered, matchPointers } from "./find-filtered.js";
import { parseDiff, type DiffEntry } from "./parse-diff.js";
import type { StatusEntry } from "./parse-status.js";
import type { Repository } from "./read-repository.js";
import { explainFailure, gitDiagnostic, type Git } from "./run-git.js";

export interface ChangeOptions {
  readonly repository: Repository;
  /** null: git could not say. */
  readonly status: readonly StatusEntry[] | null;
  /** Submodules with changes inside (bytes): git is not let in there to see them. */
  readonly dirtySubmodules: readonly string[];
  /** Filter drivers that are configured, and switched off in `git`. */
  readonly drivers: ReadonlySet<string>;
  /** The tree to compare with: base, HEAD or the empty tree. */
  readonly tree: string;
  /** True when `tree` is what HEAD holds: then only paths that status lists can differ. */
  readonly treeIsHead: boolean;
  readonly isOwnPath: (path: string) => boolean;
  readonly maxChanges: number;
  /** What {@link readDiff} says of `tree`, where it was asked before; null: it was not. */
  readonly diff?: TreeDiff | null;
}

/** Paths whose content in the working tree is not the tree's. */
export interface TreeDiff {
  readonly entries: readonly DiffEntry[];
  /** Lines were counted and renames looked for. */
  readonly counted: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Changes {
  readonly changes: readonly GitChange[];
  readonly omitted: number;
  readonly diagnostics: readonly Diagnostic[];
}

const DIFF = [
  "diff-index",
  "--raw",
  "-z",
  "--no-abbrev",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "-l1000",
];
const MAX_NAME_DIAGNOSTICS = 10;

/**
 * `git` must have its filter drivers switched off. Rows from `tree` to the working tree, at most `maxChanges` of them, in code unit
 * order of their paths.
 */
export async function readChanges(git: Git, options: ChangeOptions): Promise<Changes> {
  const { repository, status, tree } = options;
  const diagnostics: Diagnostic[] = [];
  const clean = options.treeIsHead && status?.every((entry) => entry.kind === "untracked") === true;
  const { entries, counted, ...asked } = clean
    ? { entries: [], counted: true, diagnostics: [] }
    : (options.diff ?? (await readDiff(git, repository.top, tree)));
  diagnostics.push(...asked.diagnostics);
  const touched = counted ? entries.filter((entry) => !isUntouchedText(entry)) : entries;
  const filtered = await findFiltered(
    git,
    repository.top,
    touched.filter(isFileOnDisk).map(nameOf),
    options.drivers,
  );
  const looked = addSubmodules(
    // Git counted lines of the file as it lies; stored, it would have others.
    touched.map((entry) =>
      isFileOnDisk(entry) && filtered?.has(entry.path) !== false ? { ...entry, lines: null } : entry,
    ),
    options.dirtySubmodules,
  );
  const unseen = looked.filter((entry) => needsHash(entry, counted));
  const [sameBytes, samePointers, copies] = await Promise.all([
    findSameAsBase(git, repository.top, unseen),
    matchPointers(
      git,
      repository.top,
      unseen.flatMap((e) => (filtered?.has(e.path) ? [{ path: e.path, blob: e.oldSha }] : [])),
    ),
    findCopies(git, repository.top, tree, looked),
  ]);
  const sameAsBase = new Set([...sameBytes, ...samePointers]);
  const rows = buildChanges({
    status,
    diff: looked,
    sameAsBase,
    copies,
    prefix: repository.prefix,
    isOwnPath: options.isOwnPath,
  });
  const kept = rows.slice(0, options.maxChanges);
  const omitted = rows.length - kept.length;
  if (omitted > 0)
    diagnostics.push(gitDiagnostic("git.truncated", "warn", { list: "changed files", omitted }));
  const invalid = kept.filter((row) => !row.validName).slice(0, MAX_NAME_DIAGNOSTICS);
  for (const row of invalid) {
    diagnostics.push(gitDiagnostic("git.path_encoding", "info", {}, row.change.path));
  }
  const untracked = kept.filter((row) => row.change.change === "untracked");
  const lines = await countLines(untracked.map((row) => absolute(repository.top, row.bytes)));
  const counts = new Map(untracked.map((row, i) => [row.bytes, lines[i] ?? null]));
  return {
    changes: kept.map(({ change, bytes }) => {
      const insertions = counts.get(bytes) ?? null;
      return insertions === null ? change : { ...change, insertions, deletions: 0 };
    }),
    omitted,
    diagnostics,
  };
}

/**
 * diff-index rather than diff: `git diff` rewrites the index even with GIT_OPTIONAL_LOCKS=0 (seen with 2.39.5). The price
 * is that it lists files whose times alone differ; the counts and {@link findSameAsBase} sort those out.
 */
export async function readDiff(git: Git, top: string, tree: string): Promise<TreeDiff> {
  const full = await git.run(top, [...DIFF, "--numstat", "--diff-algorithm=myers", "-M", tree, "--"]);
  if (full.status === "ok") return { entries: parseDiff(full.stdout), counted: true, diagnostics: [] };
  // Objects may be missing (a partial clone, damage) or too many: names alone need none of them.
  const names = await git.run(top, [...DIFF, "--no-renames", tree, "--"]);
  return {
    entries: names.status === "ok" ? parseDiff(names.stdout) : [],
    counted: false,
    diagnostics: [explainFailure(full, "diff-index", git)],
  };
}

/** True when git compared the working file itself, not what the index holds. */
function isFileOnDisk(entry: DiffEntry): boolean {
  return entry.newSha === null && entry.newMode.startsWith("100");
}

function nameOf(entry: DiffEntry): string {
  return entry.path;
}

/** Rows for submodules that differ only by changes inside. */
function addSubmodules(entries: readonly DiffEntry[], dirty: readonly string[]): DiffEntry[] {
  const listed = new Set(entries.map(nameOf));
  const inside = dirty
    .filter((name) => !listed.has(name))
    .map((name) => ({
      letter: "M",
      path: name,
      oldPath: null,
      oldMode: GITLINK,
      newMode: GITLINK,
      oldSha: "",
      newSha: null,
      lines: null,
    }));
  return [...entries, ...inside];
}

/** Those of `entries` whose file has the content that the tree has, line endings converted; nothing is stored. */
async function findSameAsBase(
  git: Git,
  top: string,
  entries: readonly DiffEntry[],
): Promise<ReadonlySet<string>> {
  const files = entries.filter((entry) => entry.newMode.startsWith("100"));
  if (files.length === 0) return new Set();
  const input = files.map((entry) => `${quoteName(entry.path)}\n`).join("");
  const hashed = await git.run(top, ["hash-object", "--stdin-paths"], input);
  if (hashed.status !== "ok") return new Set();
  const hashes = hashed.stdout.toString("latin1").split("\n");
  return new Set(files.filter((entry, i) => hashes[i] === entry.oldSha).map((entry) => entry.path));
}

/** git's own quoting of names on stdin, every byte as octal: names hold newlines, quotes and bytes that are not UTF-8. */
function quoteName(bytes: string): string {
  const octal = Array.from(bytes, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return `"${octal.join("")}"`;
}

/**
 * Copies, from the index only. With the working tree compared, a file that was merely touched would become a possible
 * source, and file times would change the result. As with `git diff -C`, a source must itself have changed.
 */
async function findCopies(
  git: Git,
  top: string,
  tree: string,
  entries: readonly DiffEntry[],
): Promise<ReadonlyMap<string, string>> {
  const added = entries.some((entry) => entry.letter === "A");
  const sources = entries.some((entry) => "MRDT".includes(entry.letter));
  if (!added || !sources) return new Map();
  const result = await git.run(top, [...DIFF, "--cached", "-M", "-C", "--diff-filter=C", tree, "--"]);
  if (result.status !== "ok") return new Map();
  const copies = parseDiff(result.stdout).flatMap(({ path: to, oldPath }) =>
    oldPath === null ? [] : ([[to, oldPath]] as const),
  );
  return new Map(copies);
}

function absolute(top: string, bytes: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}${path.sep}`, "utf8"), Buffer.from(bytes, "latin1")]);
}
