// Joins what status and diff-index say into one row a path (P10). Pure. Names are latin1 bytes until the row is made.
import path from "node:path";
import type { GitChange } from "../../model/snapshot.js";
import type { DiffEntry } from "./parse-diff.js";
import type { StatusEntry } from "./parse-status.js";

/** A row together with its name's bytes (latin1, from the top level), for whoever must open the file. */
export interface ChangeRow {
  readonly change: GitChange;
  readonly bytes: string;
  readonly validName: boolean;
}

export interface ChangeInput {
  /** null: not known; then no change counts as wholly committed. */
  readonly status: readonly StatusEntry[] | null;
  readonly diff: readonly DiffEntry[];
  /** Paths (bytes) whose content turned out to be that of the base. */
  readonly sameAsBase: ReadonlySet<string>;
  /** Copies found in the index: new path to its source (bytes). */
  readonly copies: ReadonlyMap<string, string>;
  /** The root, from the top level, with forward slashes; empty at the top. */
  readonly prefix: string;
  readonly isOwnPath: (path: string) => boolean;
}

type Kind = GitChange["change"];
const KINDS: Readonly<Record<string, Kind>> = {
  A: "added",
  C: "copied",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type_changed",
};
/** The mode of a submodule. */
export const GITLINK = "160000";

/** True when diff-index lists a path only because its times differ from the index, as far as the counts can tell. */
export function isUntouchedText(entry: DiffEntry): boolean {
  if (!isUnlookedAt(entry)) return false;
  return entry.lines === undefined || (entry.lines?.insertions === 0 && entry.lines.deletions === 0);
}

/** Binary files count no lines: only their hash tells whether the content is still that of the base. */
export function needsHash(entry: DiffEntry, counted: boolean): boolean {
  return isUnlookedAt(entry) && entry.oldMode !== GITLINK && (!counted || entry.lines === null);
}

function isUnlookedAt(entry: DiffEntry): boolean {
  return entry.letter === "M" && entry.newSha === null && entry.oldMode === entry.newMode;
}

/** All rows in code unit order of their names, the workbench's own files left out. */
export function buildChanges(input: ChangeInput): ChangeRow[] {
  const { status } = input;
  const listed = new Set(status?.map((entry) => entry.path));
  const rows = new Map<string, ChangeRow>();
  const add = (bytes: string, change: Omit<GitChange, "path" | "committed">, from: string | null): void => {
    const name = showName(bytes, input.prefix);
    if (input.isOwnPath(name.path)) return;
    rows.set(bytes, {
      bytes,
      validName: name.valid,
      change: {
        path: name.path,
        ...change,
        committed: status !== null && !listed.has(bytes) && (from === null || !listed.has(from)),
      },
    });
  };

  for (const entry of input.diff) {
    const kind = KINDS[entry.letter];
    if (kind === undefined || input.sameAsBase.has(entry.path)) continue;
    for (const row of rowsOf(entry, kind, input)) add(row.bytes, row.change, row.from);
  }
  for (const entry of status ?? []) {
    const known = rows.get(entry.path)?.change;
    if (entry.kind === "unmerged") {
      const { insertions = null, deletions = null } = known ?? {};
      const { submodule } = entry;
      add(entry.path, { change: "conflicted", renamed_from: null, insertions, deletions, submodule }, null);
    } else if (entry.kind === "untracked" && known === undefined) {
      // A path that was only taken out of the index keeps its row: that is what the next commit will say.
      add(
        entry.path,
        { change: "untracked", renamed_from: null, insertions: null, deletions: null, submodule: false },
        null,
      );
    }
  }
  return [...rows.values()].sort((a, b) => (a.change.path < b.change.path ? -1 : 1));
}

interface Draft {
  readonly bytes: string;
  readonly from: string | null;
  readonly change: Omit<GitChange, "path" | "committed">;
}

function rowsOf(entry: DiffEntry, kind: Kind, input: ChangeInput): Draft[] {
  const submodule = entry.oldMode === GITLINK || entry.newMode === GITLINK;
  const lines = submodule ? null : (entry.lines ?? null);
  const counts = { insertions: lines?.insertions ?? null, deletions: lines?.deletions ?? null };
  const source = kind === "added" ? (input.copies.get(entry.path) ?? null) : entry.oldPath;
  if (source === null) {
    return [
      { bytes: entry.path, from: null, change: { change: kind, renamed_from: null, ...counts, submodule } },
    ];
  }
  const from = showName(source, input.prefix).path;
  const unknown = { renamed_from: null, insertions: null, deletions: null, submodule };
  if (kind === "renamed" && input.isOwnPath(showName(entry.path, input.prefix).path)) {
    // Moved into the workbench's own files: what remains to tell is that the old one is gone.
    return [{ bytes: source, from: null, change: { ...unknown, change: "deleted" } }];
  }
  if (input.isOwnPath(from)) {
    return [{ bytes: entry.path, from: null, change: { ...unknown, change: "added" } }];
  }
  const change = kind === "renamed" ? kind : "copied";
  return [{ bytes: entry.path, from: source, change: { change, renamed_from: from, ...counts, submodule } }];
}

/** A name as it is shown: relative to the root, invalid UTF-8 replaced. */
export function showName(bytes: string, prefix: string): { readonly path: string; readonly valid: boolean } {
  const base = Buffer.from(prefix, "utf8").toString("latin1");
  const relative = base === "" ? bytes : path.posix.relative(`/${base}`, `/${bytes}`);
  const raw = Buffer.from(relative, "latin1");
  const text = raw.toString("utf8");
  return { path: text, valid: Buffer.from(text, "utf8").equals(raw) };
}
