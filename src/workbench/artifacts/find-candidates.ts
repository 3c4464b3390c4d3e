// Turns the places of one artifact into candidate paths: in order of preference, matches of one pattern sorted, bounded.
import { Dirent, readdir as listFolder } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { asShortage, throwShortage } from "../../io/system-shortage.js";
import { isInside } from "../../io/read-artifact-file.js";
import { UsageError } from "../../model/errors.js";
import { climbs, fillPattern, isDynamic, type PatternIds } from "./places.js";
import { refusePattern } from "./refuse-pattern.js";

/** Most matches of one pattern that are looked at: the first ones by name. */
const MAX_MATCHES = 1000;
const MAX_DEPTH = 16;

/** By code unit: the same on every machine, whatever its language. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The path of one match in object mode; null for a folder. The stream's own type says no more than "a chunk". */
function pathOfMatch(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null || !("path" in entry) || !("dirent" in entry)) return null;
  const isFolder = entry.dirent instanceof Dirent && entry.dirent.isDirectory();
  return isFolder || typeof entry.path !== "string" ? null : entry.path;
}

/** The error for a pattern that comes past the configuration's own check: an id filled in, the API. */
function unusable(pattern: string, reason: string): UsageError {
  return new UsageError(
    "config.invalid",
    `the search pattern ${JSON.stringify(pattern.slice(0, 200))} ${reason}`,
    "write a simpler pattern, or several",
  );
}

/**
 * Paths (files, links, special files; no folders) that match a wildcard pattern. Links are never walked
 * through. Throws UsageError for a pattern that cannot be read or would take for ever.
 */
async function matchesOf(root: string, pattern: string): Promise<string[]> {
  const reason = refusePattern(pattern);
  if (reason !== null) throw unusable(pattern, reason);
  // Loaded only for wildcards: the usual places need no globbing, and start-up is a feature.
  const { default: glob } = await import("fast-glob");
  let short: unknown = null;
  // Folders that may not be read are passed by; for want of open files, nothing is (S5).
  // The library calls it in this one way of several that its type allows.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const watched = ((folder: string, options: { withFileTypes: true }, done: (...all: unknown[]) => void) => {
    listFolder(folder, options, (error, entries) => {
      if (asShortage(error) !== error) short ??= asShortage(error);
      done(error, entries);
    });
  }) as typeof listFolder;
  let stream: NodeJS.ReadableStream;
  try {
    stream = glob.stream(pattern, {
      cwd: root,
      dot: true,
      onlyFiles: false,
      objectMode: true,
      followSymbolicLinks: false,
      suppressErrors: true,
      fs: { readdir: watched },
      deep: MAX_DEPTH,
      ignore: ["**/node_modules/**", "**/.git/**"],
    });
  } catch {
    // The matcher reads the whole pattern first, and fails on some that mix braces and brackets without closing them.
    throw unusable(pattern, "cannot be read");
  }
  let kept: string[] = [];
  for await (const entry of stream) {
    const match = pathOfMatch(entry);
    if (match === null) continue;
    kept.push(match);
    // Sorting before cutting keeps the choice the same whatever order the disk lists its folders in.
    if (kept.length >= 2 * MAX_MATCHES) kept = kept.sort(byCodeUnit).slice(0, MAX_MATCHES);
  }
  if (short !== null) throw short;
  return kept.sort(byCodeUnit).slice(0, MAX_MATCHES);
}

/** What a search found: candidate paths relative to the root, and patterns that were refused because they climb. */
export interface Candidates {
  readonly paths: readonly string[];
  readonly refused: readonly string[];
}

/**
 * Candidates for `patterns`, without repeats. A plain path is a candidate whether or not it exists.
 * Throws UsageError for a wildcard pattern that cannot be used.
 */
export async function findCandidates(
  root: string,
  patterns: readonly string[],
  ids: PatternIds,
): Promise<Candidates> {
  const paths: string[] = [];
  const refused: string[] = [];
  for (const pattern of patterns) {
    const filled = fillPattern(pattern, ids);
    if (filled === null) continue;
    if (climbs(filled)) refused.push(pattern);
    else if (isDynamic(filled)) paths.push(...(await matchesOf(root, filled)));
    else paths.push(path.posix.normalize(filled));
  }
  return { paths: [...new Set(paths)], refused };
}

/**
 * Files that a plain pattern with one `<task_id>` in its last segment would name for some task, sorted by name. Wildcards
 * and task folders are left alone: this only serves a hint.
 */
export async function findTaskFiles(
  root: string,
  pattern: string,
): Promise<{ readonly path: string; readonly task_id: string }[]> {
  const folder = path.posix.dirname(pattern);
  const [before, after, ...more] = path.posix.basename(pattern).split("<task_id>");
  if (before === undefined || after === undefined || more.length > 0) return [];
  if (isDynamic(pattern) || climbs(pattern) || folder.includes("<")) return [];
  let names: string[];
  try {
    const real = await realpath(path.join(root, folder));
    if (!isInside(real, root)) return [];
    names = await readdir(real);
  } catch (error) {
    throwShortage(error);
    // No such folder, or none that may be listed: nothing to hint at.
    return [];
  }
  const fitting = names.filter(
    (name) => name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length,
  );
  return fitting.sort(byCodeUnit).map((name) => ({
    path: path.posix.join(folder, name),
    task_id: name.slice(before.length, name.length - after.length),
  }));
}
