// Which session and which task this is (P43): pure, the environment is handed in. Ids become folder names, so a bad one
// given by a person is an error, and a bad one found in a file is said and passed by.
import type { BoardTask } from "../model/artifacts.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { sha256Hex } from "../text/digest.js";

export type Environment = Readonly<Record<string, string | undefined>>;
const LONGEST_ID = 128;
/** Ids of sessions that no agent named. */
const LOCAL = "local";

/** Board words for a task that is being worked on, compared whole, in any case, spaces and hyphens alike. */
const STARTED = new Set(["in_progress", "doing", "active", "started"]);

/** A value found in a file, and where. */
interface FoundId {
  readonly id: string | null;
  readonly path: string | null;
}

interface Chosen<T> {
  readonly chosen: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** An id given as an option. Throws UsageError (exit 2) when it is not allowed. */
export function checkIdOption(kind: "session" | "task" | "topic", id: string): string {
  if (isValidId(id)) return id;
  throw new UsageError(
    "usage.bad_id",
    `${kind} id ${JSON.stringify(id)} is not allowed`,
    "ids are 1 to 128 of A-Z a-z 0-9 . _ - , do not start with a dot, and are no placeholders like current or null",
  );
}

function badId(
  kind: "session" | "task",
  artifact: Diagnostic["artifact"],
  { id, path }: FoundId,
): Diagnostic {
  const source = path === null ? null : { path };
  // Cut: whatever stands in a file may be a whole book, and half a character.
  return {
    code: "id.invalid",
    severity: "warn",
    artifact,
    source,
    args: { kind, value: (id ?? "").slice(0, 200).toWellFormed() },
  };
}

/**
 * A branch name as part of an id: `feat/Sign up!` -> `feat-Sign-up`. Never empty, never starting with a dot or hyphen,
 * at most `longest` characters. Where letters were lost (not ASCII, or too long) eight hex of the name's digest tell two
 * such branches apart.
 */
export function branchSlug(branch: string, longest: number = LONGEST_ID - LOCAL.length - 1): string {
  const words = branch.replaceAll(/[^A-Za-z0-9._-]+/gu, "-").replaceAll(/^[-.]+|-+$/gu, "");
  const lost = /[^\u0000-\u007f]/u.test(branch) || words.length > longest || words === "";
  if (!lost) return words;
  const digest = sha256Hex(branch).slice(0, 8);
  return [words.slice(0, longest - digest.length - 1).replaceAll(/-+$/gu, ""), digest]
    .filter(Boolean)
    .join("-");
}

/** Run and attempt of the CI job we are in, by the variables of the CI itself; null outside CI. */
function ciRun(env: Environment): { run: string; attempt: string } | null {
  const known: readonly (readonly [run: string | undefined, attempt: string | undefined])[] = [
    [env["GITHUB_RUN_ID"], env["GITHUB_RUN_ATTEMPT"]],
    [env["CI_PIPELINE_ID"], env["CI_JOB_ID"]], // GitLab
    [env["BUILDKITE_BUILD_ID"], env["BUILDKITE_RETRY_COUNT"]],
    [env["CIRCLE_BUILD_NUM"], env["CIRCLE_NODE_INDEX"]],
    [env["TF_BUILD"] === undefined ? undefined : env["BUILD_BUILDID"], env["SYSTEM_JOBATTEMPT"]], // Azure
    [
      /^(?:true|1)$/iu.test(env["CI"] ?? "") ? (env["BUILD_ID"] ?? env["BUILD_NUMBER"]) : undefined,
      undefined,
    ],
  ];
  const hit = known.find(([run]) => run !== undefined && run.trim() !== "");
  if (hit?.[0] === undefined) return null;
  const attempt = hit[1]?.trim() ?? "";
  return { run: hit[0].trim(), attempt: attempt === "" ? "1" : attempt };
}

/** `ci-<run id>-<attempt>` in a CI job, else null. */
export function ciSessionId(env: Environment): string | null {
  const job = ciRun(env);
  return job === null ? null : `ci-${branchSlug(`${job.run}-${job.attempt}`, LONGEST_ID - 3)}`;
}

export interface SessionSources {
  readonly option: string | null;
  readonly hook: string | null;
  /** Named in the environment by who runs us, as good as a hook's. Default: none. */
  readonly environment?: string | null;
  readonly state: FoundId;
  readonly env: Environment;
  /** Which ids found by ourselves may be used. Default: the valid ones. */
  readonly isAllowed?: (id: string) => boolean;
}

/**
 * The session's id as far as it is known without git; null when only the branch can name it.
 * Throws UsageError for a bad option.
 */
export function chooseSession(sources: SessionSources): Chosen<WorkbenchSnapshot["session"] | null> {
  const { isAllowed = isValidId } = sources;
  const diagnostics: Diagnostic[] = [];
  if (sources.option !== null)
    return { chosen: { id: checkIdOption("session", sources.option), from: "option" }, diagnostics };
  for (const from of ["hook", "environment"] as const) {
    const id = sources[from] ?? null;
    if (id === null) continue;
    if (isAllowed(id)) return { chosen: { id, from }, diagnostics };
    diagnostics.push(badId("session", "session_record", { id, path: null }));
  }
  if (sources.state.id !== null) {
    if (isAllowed(sources.state.id)) return { chosen: { id: sources.state.id, from: "state" }, diagnostics };
    diagnostics.push(badId("session", "state", sources.state));
  }
  const ci = ciSessionId(sources.env);
  return { chosen: ci === null || !isAllowed(ci) ? null : { id: ci, from: "ci" }, diagnostics };
}

/** The id of a session that nothing else names: `local-<branch-slug>`, without git `local`. */
export function localSession(branch: string | null): WorkbenchSnapshot["session"] {
  return { id: branch === null ? LOCAL : `${LOCAL}-${branchSlug(branch)}`, from: "local" };
}

export interface TaskSources {
  readonly option: string | null;
  readonly state: FoundId;
  readonly board: { readonly tasks: readonly BoardTask[]; readonly path: string | null };
  /** As {@link SessionSources}' one. */
  readonly isAllowed?: (id: string) => boolean;
}

/** The active task: option, else the state's, else the only task of the board that is in progress, else none. Throws UsageError for a bad option. */
export function chooseTask(sources: TaskSources): Chosen<WorkbenchSnapshot["task"]> {
  const { isAllowed = isValidId } = sources;
  const diagnostics: Diagnostic[] = [];
  if (sources.option !== null)
    return { chosen: { id: checkIdOption("task", sources.option), from: "option" }, diagnostics };
  if (sources.state.id !== null) {
    if (isAllowed(sources.state.id)) return { chosen: { id: sources.state.id, from: "state" }, diagnostics };
    diagnostics.push(badId("task", "state", sources.state));
  }
  const started = sources.board.tasks.filter(({ status }) =>
    STARTED.has(
      (status ?? "")
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/gu, "_"),
    ),
  );
  const [only] = started;
  if (only === undefined || started.length > 1) return { chosen: { id: null, from: "none" }, diagnostics };
  if (isAllowed(only.id)) return { chosen: { id: only.id, from: "board" }, diagnostics };
  diagnostics.push(badId("task", "board", { id: only.id, path: sources.board.path }));
  return { chosen: { id: null, from: "none" }, diagnostics };
}
