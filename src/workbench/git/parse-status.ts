// Reads `git status --porcelain=v2 --branch --show-stash -z`. Names stay as bytes, one latin1 character each, until
// they are shown: two names that are not UTF-8 must not become one.

/** One path that differs between HEAD, index and working tree. */
export interface StatusEntry {
  /** From the top level, latin1 bytes. */
  readonly path: string;
  readonly kind: "tracked" | "unmerged" | "untracked";
  readonly submodule: boolean;
  /** Set when only the working file differs from the index, by content: the blob that the index holds. */
  readonly onlyWorkingFile: string | null;
}

export interface GitStatus {
  /** null: unborn, or git did not say. */
  readonly oid: string | null;
  readonly unborn: boolean;
  /** null: detached. */
  readonly branch: string | null;
  /** Short name of the upstream, `origin/main`; null also when the upstream is gone. */
  readonly upstream: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  /** null: this git does not count them here (before 2.35). */
  readonly stashes: number | null;
  readonly entries: readonly StatusEntry[];
}

/** Parses the whole output. Header lines it does not know are skipped, as git's documentation asks. */
export function parseStatus(stdout: Buffer): GitStatus {
  const headers = new Map<string, string>();
  const entries: StatusEntry[] = [];
  const fields = stdout.toString("latin1").split("\0");
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i] ?? "";
    const type = field.charAt(0);
    if (type === "#") {
      const space = field.indexOf(" ", 2);
      headers.set(field.slice(2, space), utf8(field.slice(space + 1)));
    } else if (type === "?") {
      entries.push({ path: field.slice(2).replace(/\/$/u, ""), kind: "untracked", ...NO_BLOB });
    } else if (type === "1") {
      entries.push({ ...tracked(field, 8), onlyWorkingFile: indexBlob(field) });
    } else if (type === "2") {
      entries.push(tracked(field, 9));
      i += 1; // the old name follows in a field of its own
    } else if (type === "u") {
      entries.push({ ...tracked(field, 10), kind: "unmerged" });
    }
  }
  const oid = headers.get("branch.oid") ?? null;
  const head = headers.get("branch.head") ?? null;
  const counts = /^\+(\d+) -(\d+)$/u.exec(headers.get("branch.ab") ?? "");
  const stash = headers.get("stash");
  return {
    oid: oid === "(initial)" ? null : oid,
    unborn: oid === "(initial)",
    branch: head === "(detached)" ? null : head,
    upstream: counts === null ? null : (headers.get("branch.upstream") ?? null),
    ahead: counts === null ? null : Number(counts[1]),
    behind: counts === null ? null : Number(counts[2]),
    stashes: stash === undefined ? null : Number(stash),
    entries,
  };
}

const NO_BLOB = { submodule: false, onlyWorkingFile: null };

function tracked(field: string, spaces: number): StatusEntry {
  return {
    path: afterSpaces(field, spaces),
    kind: "tracked",
    submodule: isSubmodule(field),
    onlyWorkingFile: null,
  };
}

/** `1 .M N... <mode in HEAD> <in index> <in working tree> <hash in HEAD> <in index> <path>` */
function indexBlob(field: string): string | null {
  const [, changed, submodule, , indexMode, workingMode, , blob] = field.split(" ", 8);
  return changed === ".M" && submodule === "N..." && indexMode === workingMode ? (blob ?? null) : null;
}

/** `1 .M N... 100644 …`: the third word starts with S for a submodule. */
function isSubmodule(field: string): boolean {
  return field.charAt(5) === "S";
}

/** What follows the n-th space: a name may itself hold spaces. */
function afterSpaces(field: string, count: number): string {
  let at = -1;
  for (let n = 0; n < count; n += 1) at = field.indexOf(" ", at + 1);
  return field.slice(at + 1);
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
