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
  "git",
  "packet",
];

/** Sorted, without repeats. Total: the same set gives the same list in any order. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map(diagnostics.map((diagnostic) => [canonicalJson(diagnostic), diagnostic]));
  return [...unique]
    .sort(
      ([textA, a], [textB, b]) =>
        ORDER.indexOf(a.artifact) - ORDER.indexOf(b.artifact) ||
        byCodeUnit(a.source?.path ?? "", b.source?.path ?? "") ||
        (a.source?.line ?? 0) - (b.source?.line ?? 0) ||
        byCodeUnit(textA, textB),
    )
    .map(([, diagnostic]) => diagnostic);
}
