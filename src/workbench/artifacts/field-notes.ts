// Collects what had to be left out of one artifact file: bounded, in reading order, each with its JSON pointer.
import type { ArtifactName, Diagnostic, DiagnosticCode, DiagnosticSeverity } from "../../model/diagnostic.js";
import { relativePath } from "./relative-path.js";

/** After so many notes on one file the rest is only counted. */
const MAX_NOTES = 20;

/** RFC 6901: the pointer of `key` below `base`. */
export function pointerTo(base: string, key: string | number): string {
  return `${base}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A diagnostic about one artifact file, or about none when `path` is null. */
export function diagnose(
  artifact: ArtifactName,
  code: DiagnosticCode,
  severity: DiagnosticSeverity,
  path: string | null,
  args: Diagnostic["args"] = {},
  line: number | null = null,
): Diagnostic {
  const source = path === null ? null : line === null ? { path } : { path, line };
  return { code, severity, artifact, source, args };
}

/** Notes on one file. */
export class FieldNotes {
  private readonly found: Diagnostic[] = [];
  private further = 0;
  /** The line that is being read, in files with one object a line. */
  line: number | null = null;

  /**
   * @param path the file, relative to the root
   * @param roots absolute spellings of the workbench root, for files named by absolute paths
   */
  constructor(
    readonly artifact: ArtifactName,
    readonly path: string,
    private readonly roots: readonly string[] = [],
  ) {}

  /** Something worth saying about the file. */
  add(code: DiagnosticCode, severity: DiagnosticSeverity, args: Diagnostic["args"]): void {
    if (this.found.length >= MAX_NOTES) this.further += 1;
    else this.found.push(diagnose(this.artifact, code, severity, this.path, args, this.line));
  }

  /** A field that is left out. `expected` completes "expected …". */
  invalid(pointer: string, expected: string): void {
    this.add("artifact.field_invalid", "warn", { pointer, expected });
  }

  /** A path as an artifact spells it, relative to the root where it lies inside. */
  relative(file: string): string {
    return relativePath(file, this.roots);
  }

  /** Everything noted; past the bound one last note counts the rest. */
  diagnostics(): Diagnostic[] {
    if (this.further === 0) return [...this.found];
    const args = { pointer: `(${this.further} more fields)`, expected: "the documented shape" };
    return [...this.found, diagnose(this.artifact, "artifact.field_invalid", "warn", this.path, args)];
  }
}
