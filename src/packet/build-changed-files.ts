// Changed files (P25): the union of git's view and the session's own record, each row saying who saw it.
import type { ChangedFile } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import type { TextKeeper } from "./text-keeper.js";

/** `./a//b` and `a\b` are `a/b`. A URL keeps its `//`: else the password in it would not be told from a path (S13). */
function normalisePath(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/(?<![A-Za-z0-9+.-]:)\/{2,}/gu, "/")
    .replace(/^(?:\.\/)+/u, "");
}

/** Outside the workbench git has no say: there nobody contradicts who says that the file was written. */
function isOutside(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/|\.\.(?:\/|$))/u.test(path);
}

/** What the session's own record names: the state's list and, seen by the recorder, its edits (A8). */
function touchedFiles({ state, touched_files }: WorkbenchSnapshot): readonly string[] {
  const listed = state.status === "present" ? state.value.touched_files : [];
  const edited = touched_files.status === "present" ? touched_files.value.files : [];
  return [...listed, ...edited.map(({ path }) => path)];
}

function byPath(a: ChangedFile, b: ChangedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** One row a path, in path order. A touched file that git sees unchanged is kept and marked. */
export function buildChangedFiles(snapshot: WorkbenchSnapshot, keep: TextKeeper): ChangedFile[] {
  const { git } = snapshot;
  const rows = new Map<string, ChangedFile>();
  for (const change of git.changes) {
    rows.set(change.path, {
      path: keep.name(change.path),
      change: change.change,
      renamed_from: change.renamed_from === null ? null : keep.name(change.renamed_from),
      insertions: change.insertions,
      deletions: change.deletions,
      committed: change.committed,
      seen_by: ["git"],
    });
  }
  for (const raw of touchedFiles(snapshot)) {
    // git names an untracked nested repository with a slash at its end; an agent names the folder.
    const path = rows.has(raw) ? raw : normalisePath(raw);
    const row = rows.get(path);
    if (row !== undefined) {
      if (!row.seen_by.includes("state")) row.seen_by.push("state");
    } else if (path !== "" && path !== ".") {
      rows.set(path, {
        path: keep.name(path),
        // Without git nobody contradicts the agent's word.
        change: git.available && !isOutside(path) ? "unchanged" : "modified",
        renamed_from: null,
        insertions: null,
        deletions: null,
        committed: false,
        seen_by: ["state"],
      });
    }
  }
  return [...rows.values()].filter(({ path }) => path !== "").toSorted(byPath);
}
