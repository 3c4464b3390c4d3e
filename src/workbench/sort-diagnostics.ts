// One order for all diagnostics of a snapshot, whatever finished first: by artifact, path, line, then content.
import type { ArtifactName, Diagnostic } from "../model/diagnostic.js";
import { canonicalJson } from "../text/digest.js";
import { byCodeUnit } from "./artifacts/find-candidates.js";

const ORDER: readonly ArtifactName[] = [
  "config",
  "state",
  "board",
  "verification",
  "review",
  "feedback",
  "scope_contract",
  "scope_report",
  "rule_report",
  "last_known_good",
  "overrides",
  "session_record",
  "touched_files",
  "git",
  "packet",
];

/**
 * With every string well-formed (P36): args and paths quote input, where a JSON escape can stand for half a character,
 * and neither canonical JSON nor UTF-8 can hold that.
 */
function wellFormed(diagnostic: Diagnostic): Diagnostic {
  const { source } = diagnostic;
  const args = Object.entries(diagnostic.args).map(([key, value]) => [
    key,
    typeof value === "string" ? value.toWellFormed() : value,
  ]);
  return {
    ...diagnostic,
    source: source === null ? null : { ...source, path: source.path.toWellFormed() },
    args: Object.fromEntries(args),
  };
}

/** What speaks of a whole file comes first, but "further lines" after the lines it follows. */
function lineOf({ code, source }: Diagnostic): number {
  return source?.line ?? (code === "feedback.skipped_lines" ? Number.MAX_SAFE_INTEGER : 0);
}

/** Sorted, without repeats, well-formed. Total: the same set gives the same list in any order. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map(
    diagnostics.map(wellFormed).map((diagnostic) => [canonicalJson(diagnostic), diagnostic]),
  );
  return [...unique]
    .sort(
      ([textA, a], [textB, b]) =>
        ORDER.indexOf(a.artifact) - ORDER.indexOf(b.artifact) ||
        byCodeUnit(a.source?.path ?? "", b.source?.path ?? "") ||
        lineOf(a) - lineOf(b) ||
        byCodeUnit(textA, textB),
    )
    .map(([, diagnostic]) => diagnostic);
}
