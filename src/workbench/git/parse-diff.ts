// Reads `git diff-index --raw --numstat -z`. Names stay as bytes, one latin1 character each (see parse-status.ts).

/** One difference between a tree and the working tree. */
export interface DiffEntry {
  /** git's letter: A, C, D, M, R, T, U. */
  readonly letter: string;
  readonly path: string;
  /** The source of a rename or copy. */
  readonly oldPath: string | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldSha: string;
  /** null: the file's time or size differs from the index, so git has not looked at its content here. */
  readonly newSha: string | null;
  /** undefined: git counted nothing for this path; null: binary. */
  readonly lines: { readonly insertions: number; readonly deletions: number } | null | undefined;
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/u;
const NUMSTAT = /^(\d+|-)\t(\d+|-)\t(.*)$/su;
const NO_OBJECT = /^0+$/u;

/** Parses the whole output: raw records, then counts. */
export function parseDiff(stdout: Buffer): DiffEntry[] {
  const raws: Omit<DiffEntry, "lines">[] = [];
  const counts = new Map<string, DiffEntry["lines"]>();
  const fields = stdout.toString("latin1").split("\0");
  let i = 0;
  const next = (): string => fields[i++] ?? "";
  while (i < fields.length) {
    const field = next();
    const raw = RAW.exec(field);
    if (raw !== null) {
      const letter = raw[5] ?? "";
      const first = next();
      const moved = letter === "R" || letter === "C";
      const newSha = raw[4] ?? "";
      raws.push({
        letter,
        path: moved ? next() : first,
        oldPath: moved ? first : null,
        oldMode: raw[1] ?? "",
        newMode: raw[2] ?? "",
        oldSha: raw[3] ?? "",
        newSha: NO_OBJECT.test(newSha) ? null : newSha,
      });
      continue;
    }
    const count = NUMSTAT.exec(field);
    if (count === null) continue;
    let path = count[3] ?? "";
    if (path === "") {
      next(); // a rename's old name
      path = next();
    }
    counts.set(path, count[1] === "-" ? null : { insertions: Number(count[1]), deletions: Number(count[2]) });
  }
  return raws.map((raw) => ({ ...raw, lines: counts.get(raw.path) }));
}
