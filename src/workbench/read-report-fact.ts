// Digest and size of the further report a verification points to (P29): a path is only ever shown if the file exists.
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { VerificationReport } from "../model/artifacts.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { FileFact } from "../model/snapshot.js";
import { diagnose } from "./artifacts/field-notes.js";
import { type LoadedAt, problemDiagnostic, valueOf } from "./artifacts/load-artifact.js";

/** The fact, or null with a diagnostic when the file cannot be read; null alone when no report is pointed to. */
export async function readReportFact(
  root: string,
  verification: LoadedAt<VerificationReport>,
): Promise<{ readonly fact: FileFact | null; readonly diagnostics: readonly Diagnostic[] }> {
  const file = valueOf(verification)?.report_path ?? null;
  if (file === null) return { fact: null, diagnostics: [] };
  const read = await readArtifactFile(root, file);
  if (read.status === "read")
    return { fact: { path: file, sha256: read.sha256, bytes: read.bytes }, diagnostics: [] };
  if (read.status !== "missing")
    return {
      fact: null,
      diagnostics: [{ ...problemDiagnostic("verification", file, read), severity: "warn" }],
    };
  const args = { pointer: "/report_path", expected: "a file that exists" };
  return {
    fact: null,
    diagnostics: [diagnose("verification", "artifact.field_invalid", "warn", verification.loaded.path, args)],
  };
}
