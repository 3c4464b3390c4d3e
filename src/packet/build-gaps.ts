// Gaps: everything that could not be read, or was not there where a reader would expect it (contract 1 of the house).
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";
import type { Gap } from "../model/packet.js";
import { describeDiagnostic } from "../text/diagnostic-text.js";
import type { TextKeeper } from "./text-keeper.js";

/** Worth saying while generating, but nothing of the workbench is missing because of it. */
const NOT_A_GAP = new Set<DiagnosticCode>(["artifact.shadowed", "cursor.unusable"]);

function detailOf({ source, ...diagnostic }: Diagnostic): string {
  const sentence = describeDiagnostic({ source, ...diagnostic });
  return source?.line === undefined ? sentence : `line ${source.line}: ${sentence}`;
}

/** One row a diagnostic, in the snapshot's fixed order. */
export function buildGaps(diagnostics: readonly Diagnostic[], keep: TextKeeper): Gap[] {
  return diagnostics
    .filter(({ code }) => !NOT_A_GAP.has(code))
    .map((diagnostic) => ({
      artifact: diagnostic.artifact,
      code: diagnostic.code,
      detail: keep.line(detailOf(diagnostic), "detail"),
      path: diagnostic.source === null ? null : keep.name(diagnostic.source.path),
    }));
}
