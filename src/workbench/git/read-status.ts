// The status of one working tree, its submodules looked into one by one, so that no filter of anybody's runs (P9, P10).
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import type { Diagnostic } from "../../model/diagnostic.js";
import { findFiltered, matchPointers } from "./find-filtered.js";
import { parseStatus, type GitStatus } from "./parse-status.js";
import { readIndex } from "./read-index.js";
import { explainFailure, gitDiagnostic, type Git } from "./run-git.js";
import { switchOffFilters, type SafeGit } from "./switch-off-filters.js";

const STATUS = [
  "status",
  "--porcelain=v2",
  "--branch",
  "--show-stash",
  "--ahead-behind",
  "--no-renames",
  "-z",
  // Not `none`: git would run itself in each submodule, with the drivers of that one's configuration.
  "--ignore-submodules=dirty",
];
const MAX_DEPTH = 8;
const MAX_SUBMODULES = 256;
const AT_ONCE = 4;

export interface TreeStatus {
  /** null: git could not say; a diagnostic tells why. */
  readonly status: GitStatus | null;
  /** False: no other call may compare the working tree, either. */
  readonly mayLook: boolean;
  /** Submodules with changes inside (latin1 bytes); they have an entry in `status`. */
  readonly dirtySubmodules: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a working tree lies; `exclude` is a folder, relative to `folder`, that git need not walk. */
export interface TreePlace {
  readonly folder: string;
  readonly top: string;
  readonly gitDir: string;
  readonly exclude: string | null;
}

/** Status by `safe` git. Files that only a large-file driver made look changed are left out. */
export async function readStatus(git: Git, safe: SafeGit, place: TreePlace, depth = 0): Promise<TreeStatus> {
  if (safe.git === null) return failed(safe.problem, false);
  const index = await readIndex(place.gitDir);
  if (!index.readable) {
    const reason = "the index is not a regular file";
    return failed(gitDiagnostic("git.failed", "error", { command: "status", reason }), false);
  }
  const files = depth === 0 ? "--untracked-files=all" : "--untracked-files=normal";
  const without = place.exclude === null ? [] : ["--", ":(top)", `:(exclude,literal)${place.exclude}`];
  const [run, submodules] = await Promise.all([
    safe.git.run(place.folder, [...STATUS, files, ...without]),
    index.maybeSubmodules ? findDirtySubmodules(git, place.top, depth) : { dirty: [], diagnostics: [] },
  ]);
  if (run.status !== "ok") return failed(explainFailure(run, "status", git), true);
  const parsed = parseStatus(run.stdout);
  const looksChanged = parsed.entries.flatMap(({ path: name, onlyWorkingFile: blob }) =>
    blob === null ? [] : [{ path: name, blob }],
  );
  const names = looksChanged.map((file) => file.path);
  const filtered = await findFiltered(safe.git, place.top, names, safe.drivers);
  const same = await matchPointers(
    safe.git,
    place.top,
    looksChanged.filter((file) => filtered?.has(file.path)),
  );
  const listed = new Set(parsed.entries.map((entry) => entry.path));
  const inside = submodules.dirty.filter((name) => !listed.has(name));
  return {
    status: {
      ...parsed,
      entries: [
        ...parsed.entries.filter((entry) => !same.has(entry.path)),
        ...inside.map(
          (name) => ({ path: name, kind: "tracked", submodule: true, onlyWorkingFile: null }) as const,
        ),
      ],
    },
    mayLook: true,
    dirtySubmodules: submodules.dirty,
    diagnostics: submodules.diagnostics,
  };
}

function failed(problem: Diagnostic, mayLook: boolean): TreeStatus {
  return { status: null, mayLook, dirtySubmodules: [], diagnostics: [problem] };
}

interface Submodules {
  readonly dirty: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Submodules of the index that hold changes of their own, at any depth, without any program of theirs being run. */
async function findDirtySubmodules(git: Git, top: string, depth: number): Promise<Submodules> {
  const listed = await git.run(top, ["ls-files", "-s", "-z"]);
  if (listed.status !== "ok") return { dirty: [], diagnostics: [explainFailure(listed, "ls-files", git)] };
  const links = listed.stdout
    .toString("latin1")
    .split("\0")
    .flatMap((line) => /^160000 [0-9a-f]+ 0\t(.+)$/su.exec(line)?.[1] ?? []);
  const looked = depth < MAX_DEPTH ? links.slice(0, MAX_SUBMODULES) : [];
  const diagnostics: Diagnostic[] = [];
  const omitted = links.length - looked.length;
  if (omitted > 0) diagnostics.push(gitDiagnostic("git.truncated", "warn", { list: "submodules", omitted }));
  const dirty: string[] = [];
  for (let start = 0; start < looked.length; start += AT_ONCE) {
    await Promise.all(
      looked.slice(start, start + AT_ONCE).map(async (name) => {
        const inside = await readSubmodule(git, top, name, depth);
        // What could not be looked at is not called clean: the row stays, with the reason beside it.
        if (inside === null) return;
        if (inside.status === null || inside.status.entries.length > 0) dirty.push(name);
        diagnostics.push(...inside.diagnostics);
      }),
    );
  }
  return { dirty: dirty.sort(), diagnostics };
}

/** The status inside one submodule; null when none is checked out there. */
async function readSubmodule(
  git: Git,
  top: string,
  bytes: string,
  depth: number,
): Promise<TreeStatus | null> {
  const folder = path.join(top, Buffer.from(bytes, "latin1").toString("utf8"));
  const [real, marker] = await Promise.all([
    realpath(folder).catch(() => null),
    lstat(path.join(folder, ".git")).catch(() => null),
  ]);
  // A link would lead out of this repository.
  if (real !== folder || marker === null) return null;
  const [found, safe] = await Promise.all([
    git.run(folder, ["rev-parse", "--show-cdup", "--absolute-git-dir"]),
    switchOffFilters(git, folder),
  ]);
  if (found.status !== "ok") {
    return failed(explainFailure(found, "rev-parse", git), false);
  }
  const [cdup, ...rest] = found.stdout.toString("utf8").split("\n");
  // Not a repository of its own: git found the one around it.
  if (cdup !== "") return null;
  const gitDir = rest.join("\n").replace(/\n$/u, "");
  return readStatus(git, safe, { folder, top: folder, gitDir, exclude: null }, depth + 1);
}
