// Finds and loads one artifact: the first of its places that holds it decides; everything left aside is said.
// What is there but broken stops the search: an older copy elsewhere must not speak in its place.
import type { Loaded } from "../../model/artifacts.js";
import type { ArtifactName, Diagnostic } from "../../model/diagnostic.js";
import { type FileProblem, type FileText, readArtifactFile } from "../../io/read-artifact-file.js";
import { parseJson } from "../../text/parse-json.js";
import { diagnose, FieldNotes } from "./field-notes.js";
import { findCandidates, findTaskFiles } from "./find-candidates.js";
import type { PatternIds } from "./places.js";

/** Later places that are looked into to tell whether they hold a second copy. */
const MAX_SHADOWED = 20;

/** Where to look, for every loader. */
export interface Bench {
  /** Real path of the workbench root. */
  readonly root: string;
  /** Other absolute spellings of it. */
  readonly spellings: readonly string[];
  readonly ids: PatternIds;
}

/** How one artifact is recognised and normalised. */
export interface ArtifactKind<T> {
  readonly artifact: ArtifactName;
  /** For people: "is not a …". */
  readonly expected: string;
  /** Gives null for content that is not this artifact's. `value` is parsed JSON, or the text when `lines`. */
  readonly build: (value: unknown, notes: FieldNotes) => T | null;
  /** One JSON object a line. */
  readonly lines?: true;
  /** The task the artifact names, where it belongs to one. */
  readonly taskOf?: (value: T) => string | null;
  /** The session the artifact names, where it belongs to one. */
  readonly sessionOf?: (value: T) => string | null;
  /** Content of another artifact that may lie at the same place: passed over in silence. */
  readonly passOver?: (value: unknown) => boolean;
  /** Places whose faults another loader reports. */
  readonly quietAt?: readonly string[];
  /** Its absence is worth saying. */
  readonly missed?: true;
  /** Unrecognised content counts as no artifact at all (P6). */
  readonly ignorable?: true;
}

/** A loaded artifact, the paths it was looked for at, and those among them that hold something else. */
export interface LoadedAt<T> {
  readonly loaded: Loaded<T>;
  readonly considered: readonly string[];
  readonly foreign: readonly string[];
}

/** The artifact's value, or null when it is not there or cannot be used. */
export function valueOf<T>({ loaded }: LoadedAt<T>): T | null {
  return loaded.status === "present" ? loaded.value : null;
}

type Outcome<T> =
  | {
      readonly is: "good";
      readonly value: T;
      readonly file: FileText;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly is: "missing" }
  | { readonly is: "passed_over" }
  | { readonly is: "broken"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly is: "foreign"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly is: "others"; readonly diagnostic: Diagnostic };

/** Said of an artifact that names another task, or another session, than the one that was asked for (P27, A8); else null. */
function othersDiagnostic<T>(bench: Bench, kind: ArtifactKind<T>, path: string, value: T): Diagnostic | null {
  const { task_id, session_id } = bench.ids;
  const task = kind.taskOf?.(value) ?? null;
  if (task !== null && task_id !== null && task !== task_id)
    return diagnose(kind.artifact, "artifact.other_task", "warn", path, { task_id: task });
  const session = kind.sessionOf?.(value) ?? null;
  if (session !== null && session_id !== null && session !== session_id)
    return diagnose(kind.artifact, "artifact.other_session", "warn", path, { session_id: session });
  return null;
}

/** The diagnostic for a file that could not be read. */
export function problemDiagnostic(
  artifact: ArtifactName,
  path: string,
  problem: Exclude<FileProblem, { status: "missing" }>,
): Diagnostic {
  const { status, ...args } = problem;
  return diagnose(artifact, `artifact.${status}`, "error", path, args);
}

async function readCandidate<T>(bench: Bench, kind: ArtifactKind<T>, path: string): Promise<Outcome<T>> {
  const { artifact } = kind;
  const file = await readArtifactFile(bench.root, path);
  if (file.status === "missing") return { is: "missing" };
  if (file.status !== "read") return { is: "broken", diagnostics: [problemDiagnostic(artifact, path, file)] };
  const encoding =
    file.invalid_sequences === 0
      ? []
      : [diagnose(artifact, "artifact.encoding", "warn", path, { count: file.invalid_sequences })];
  let value: unknown = file.text;
  if (kind.lines === undefined) {
    const parsed = parseJson(file.text);
    if (!parsed.ok) {
      const fault = diagnose(
        artifact,
        "artifact.not_json",
        "error",
        path,
        { reason: parsed.reason },
        parsed.line,
      );
      return { is: "broken", diagnostics: [...encoding, fault] };
    }
    value = parsed.value;
  }
  if (kind.passOver?.(value) === true) return { is: "passed_over" };
  const notes = new FieldNotes(artifact, path, [bench.root, ...bench.spellings]);
  const built = kind.build(value, notes);
  const diagnostics = [...encoding, ...notes.diagnostics()];
  if (built === null) return { is: "foreign", diagnostics };
  const diagnostic = othersDiagnostic(bench, kind, path, built);
  if (diagnostic !== null) return { is: "others", diagnostic };
  return { is: "good", value: built, file, diagnostics };
}

/** Copies of the artifact at later places, which are not used because of `used`. */
async function findShadowed<T>(
  bench: Bench,
  kind: ArtifactKind<T>,
  later: readonly string[],
  used: string,
): Promise<{ diagnostics: Diagnostic[]; foreign: string[] }> {
  const diagnostics: Diagnostic[] = [];
  const foreign: string[] = [];
  for (const path of later.slice(0, MAX_SHADOWED)) {
    const outcome = await readCandidate(bench, kind, path);
    if (outcome.is === "foreign") foreign.push(path);
    const counts =
      outcome.is === "good" || (outcome.is === "broken" && kind.quietAt?.includes(path) !== true);
    if (counts) diagnostics.push(diagnose(kind.artifact, "artifact.shadowed", "info", path, { used }));
  }
  return { diagnostics, foreign };
}

/**
 * Reports of other tasks that a search without a task passed by: at most {@link MAX_SHADOWED}, by name.
 * Only file names are looked at.
 */
async function findOtherTasks<T>(
  bench: Bench,
  kind: ArtifactKind<T>,
  patterns: readonly string[],
): Promise<Diagnostic[]> {
  if (kind.missed !== true || kind.taskOf === undefined || bench.ids.task_id !== null) return [];
  const found = new Map<string, string>();
  for (const pattern of patterns)
    for (const { path, task_id } of await findTaskFiles(bench.root, pattern))
      if (!found.has(path)) found.set(path, task_id);
  return [...found]
    .slice(0, MAX_SHADOWED)
    .map(([path, task_id]) => diagnose(kind.artifact, "artifact.other_task", "info", path, { task_id }));
}

/** Loads one artifact from the first of `patterns` that holds it. Never throws for what is on disk. */
export async function loadArtifact<T>(
  bench: Bench,
  kind: ArtifactKind<T>,
  patterns: readonly string[],
): Promise<LoadedAt<T>> {
  const { artifact } = kind;
  const { paths, refused } = await findCandidates(bench.root, patterns, bench.ids);
  const diagnostics = refused.map((path) => diagnose(artifact, "artifact.outside_root", "error", path));
  const foreign: string[] = [];
  const foreignNotes: Diagnostic[] = [];
  for (const [index, path] of paths.entries()) {
    const outcome = await readCandidate(bench, kind, path);
    if (outcome.is === "missing" || outcome.is === "passed_over") continue;
    if (outcome.is === "others") {
      diagnostics.push(outcome.diagnostic);
      continue;
    }
    if (outcome.is !== "good" && kind.quietAt?.includes(path) === true) continue;
    if (outcome.is === "foreign") {
      foreign.push(path);
      foreignNotes.push(...outcome.diagnostics);
      continue;
    }
    const shadowed = await findShadowed(bench, kind, paths.slice(index + 1), path);
    const all = [
      ...diagnostics,
      ...unrecognized(kind, foreign, "warn"),
      ...outcome.diagnostics,
      ...shadowed.diagnostics,
    ];
    const loaded: Loaded<T> =
      outcome.is === "broken"
        ? { status: "invalid", artifact, path, diagnostics: all }
        : {
            status: "present",
            artifact,
            path,
            sha256: outcome.file.sha256,
            bytes: outcome.file.bytes,
            value: outcome.value,
            diagnostics: all,
          };
    return { loaded, considered: paths, foreign: [...foreign, ...shadowed.foreign] };
  }
  diagnostics.push(
    ...foreignNotes,
    ...unrecognized(kind, foreign, kind.ignorable === true ? "info" : "error"),
  );
  const [first] = foreign;
  if (first !== undefined && kind.ignorable !== true)
    return { loaded: { status: "invalid", artifact, path: first, diagnostics }, considered: paths, foreign };
  const expectedAt = paths[0] ?? null;
  if (kind.missed === true) diagnostics.push(diagnose(artifact, "artifact.missing", "info", expectedAt));
  diagnostics.push(...(await findOtherTasks(bench, kind, patterns)));
  return {
    loaded: { status: "missing", artifact, path: expectedAt, diagnostics },
    considered: paths,
    foreign,
  };
}

function unrecognized(
  kind: Pick<ArtifactKind<unknown>, "artifact" | "expected">,
  paths: readonly string[],
  severity: "error" | "warn" | "info",
): Diagnostic[] {
  return paths.map((path) =>
    diagnose(kind.artifact, "artifact.unrecognized", severity, path, { expected: kind.expected }),
  );
}
