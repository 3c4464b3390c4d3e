// The log files of a session, in log order: every place, each preceded by its rotated parts, oldest first.
import type { Diagnostic } from "../../model/diagnostic.js";
import { findArtifactFile } from "../../io/read-artifact-file.js";
import { diagnose } from "./field-notes.js";
import { findCandidates } from "./find-candidates.js";
import { type Bench, problemDiagnostic } from "./load-artifact.js";
import { ROTATED_PARTS } from "./places.js";

/** A log file to scan: real path, and the path that sources name. */
interface FeedbackFile {
  readonly absolute: string;
  readonly path: string;
}

/** The logs that exist, what was left aside, and every path that was looked at. */
export interface FeedbackFiles {
  readonly files: readonly FeedbackFile[];
  readonly considered: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the logs without opening them. One file under two names (a link) is read once: its records must not count
 * twice. Never throws for what is on disk.
 */
export async function findFeedbackFiles(bench: Bench, patterns: readonly string[]): Promise<FeedbackFiles> {
  const { paths, refused } = await findCandidates(bench.root, patterns, bench.ids);
  const diagnostics = refused.map((path) => diagnose("feedback", "artifact.outside_root", "error", path));
  const considered = [
    ...new Set(paths.flatMap((path) => [...ROTATED_PARTS.map((part) => path + part), path])),
  ];
  const looked = await Promise.all(
    considered.map(async (path) => ({ path, found: await findArtifactFile(bench.root, path) })),
  );
  const files = new Map<string, FeedbackFile>();
  for (const { path, found } of looked) {
    if (found.status === "missing") continue;
    if (found.status !== "found") {
      diagnostics.push(problemDiagnostic("feedback", path, found));
      continue;
    }
    const same = files.get(found.real_path);
    if (same === undefined) files.set(found.real_path, { absolute: found.real_path, path });
    else diagnostics.push(diagnose("feedback", "artifact.shadowed", "info", path, { used: same.path }));
  }
  if (files.size === 0) diagnostics.push(diagnose("feedback", "artifact.missing", "info", paths[0] ?? null));
  return { files: [...files.values()], considered, diagnostics };
}
