// Gathers everything a packet may know (P13): artifacts, feedback, git. Same inputs, same snapshot: nothing of the clock,
// file times, directory order or current folder gets in. Reads only, except for the scan's cursor where one is asked for.
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Loaded, TouchedLog } from "../model/artifacts.js";
import type { HandoffConfig } from "../model/config.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import type { HandoffPacket } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { commandKey } from "../text/shell-words.js";
import { type Bench, type LoadedAt, valueOf } from "./artifacts/load-artifact.js";
import { loadSessionRecord } from "./artifacts/load-artifacts.js";
import { placesOf } from "./artifacts/places.js";
import { relativePath } from "./artifacts/relative-path.js";
import { checkIdOption } from "./choose-ids.js";
import { scanFeedback } from "./feedback/scan-feedback.js";
import { guessBranch } from "./git/guess-branch.js";
import { readGitFacts } from "./git/read-git-facts.js";
import { resolveCommits } from "./git/resolve-commits.js";
import { identifySession, type SessionSearch } from "./identify-session.js";
import { loadConfig } from "./load-config.js";
import { loadReports, type Reports } from "./load-reports.js";
import { ownPaths } from "./own-paths.js";
import { GIT_TIME_MS, openBudget, type Git } from "./git/run-git.js";
import { readBranch } from "./read-branch.js";
import { readReportFact } from "./read-report-fact.js";
import { sortDiagnostics } from "./sort-diagnostics.js";

/** The store's root when nothing else is configured, relative to the workbench root. */
export const DEFAULT_OUT = "outputs/handoff";

/** Everything is optional: `loadSnapshot(root)` is enough. */
export interface LoadOptions {
  /** Ids given by a person; a bad one throws UsageError. */
  readonly sessionId?: string | null;
  readonly taskId?: string | null;
  readonly topic?: string | null;
  /** The id a hook payload carried. */
  readonly hookSessionId?: string | null;
  /** Finds a session that neither names. Default: state, CI or branch do. */
  readonly search?: SessionSearch;
  /** A revision to compare with, instead of the one that is found. */
  readonly base?: string | null;
  /** Default: `handoff.config.json` of the root, if there is one. */
  readonly config?: HandoffConfig;
  /** The store's root, relative to the root or absolute; its files are the workbench's own. */
  readonly outDir?: string;
  /** Folder of the scan's cursor (P20), relative to the root or absolute. Default: none, nothing is written. */
  readonly cacheDir?: string | null;
  /** Reads the whole log, whatever the cursor says. */
  readonly rescan?: boolean;
  readonly onProgress?: (progress: { bytes: number; totalBytes: number }) => void;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Git that has begun what will be asked first (git/begin-git-facts.ts), opened with the same environment.
   * @internal Its types are of Node, which users of the library need not have.
   */
  readonly git?: Git | null;
  /** Tells an id that holds a secret (S13): such a one is as bad as one that is not allowed. Default: none does. */
  readonly isSecret?: (id: string) => boolean;
  /** The packet this one will follow, or how to find it once the ids are known: its open items come along. */
  readonly predecessor?: HandoffPacket | null | FindPredecessor;
}

/** Finds the packet that a new one of this session, branch and topic follows. */
type FindPredecessor = (line: {
  readonly session: string;
  readonly branch: string | null;
  readonly topic: string;
}) => Promise<HandoffPacket | null>;

async function realRoot(root: string): Promise<string> {
  const isFolder = await stat(root).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (isFolder) return realpath(root);
  throw new UsageError("root.not_a_folder", `${root} is not a folder`, "name an existing folder", {
    path: root,
  });
}

/**
 * Keys of the commands whose passing settles something: acceptance criteria (P28), failures the predecessor left
 * open (P33).
 */
function watchedCommands(
  acceptance: readonly { text: string }[],
  predecessor: HandoffPacket | null,
): string[] {
  const open = (predecessor?.failed_attempts ?? []).filter(
    ({ kind, resolved }) => kind === "command" && !resolved,
  );
  const commands = [...acceptance.map(({ text }) => text), ...open.map(({ what }) => what)];
  return [...new Set(commands.map(commandKey))];
}

/** Edits of the workbench's own files are no more changes than the files themselves (P10). */
function withoutOwn(log: Loaded<TouchedLog>, isOwnPath: (file: string) => boolean): Loaded<TouchedLog> {
  if (log.status !== "present") return log;
  return {
    ...log,
    value: { ...log.value, files: log.value.files.filter(({ path: file }) => !isOwnPath(file)) },
  };
}

/** Commits that artifacts name, to be looked up in the repository. */
function namedCommits({ artifacts }: Reports, predecessor: HandoffPacket | null): string[] {
  const names = [
    predecessor?.last_known_good_commit,
    valueOf(artifacts.last_known_good)?.commit,
    valueOf(artifacts.verification)?.head_commit,
    valueOf(artifacts.review)?.head_commit,
    ...(valueOf(artifacts.overrides) ?? []).map(({ head_commit }) => head_commit),
  ];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** What depends on the branch: the packet that is followed, and the log as far as that one's failures are watched for. */
interface Followed {
  readonly branch: string | null;
  readonly predecessor: HandoffPacket | null;
  readonly scanned: Awaited<ReturnType<typeof scanFeedback>>;
}

/**
 * Loads the snapshot of the workbench at `root`. Bad input becomes diagnostics; only a bad option, a bad configuration
 * or a root that does not exist throws (UsageError).
 */
export async function loadSnapshot(root: string, options: LoadOptions = {}): Promise<WorkbenchSnapshot> {
  const real = await realRoot(root);
  const env = options.env ?? process.env;
  const config = options.config ?? (await loadConfig(real, null));
  const places = placesOf(config.artifacts);
  const topic = checkIdOption("topic", options.topic ?? config.topic ?? "main");
  const isAllowed = (id: string): boolean => isValidId(id) && options.isSecret?.(id) !== true;
  const given = (id: string | null | undefined): string | null =>
    typeof id === "string" && isAllowed(id) ? id : null;
  const timeoutMs = options.git?.budget ?? openBudget(GIT_TIME_MS);

  const first: Bench = {
    root: real,
    spellings: [path.resolve(root)],
    ids: {
      task_id: given(options.taskId),
      session_id:
        given(options.sessionId) ?? given(options.hookSessionId) ?? given(options.search?.environment),
    },
  };
  const identity = await identifySession(first, places, {
    option: { session: options.sessionId ?? null, task: options.taskId ?? null },
    hook: options.hookSessionId ?? null,
    search: options.search ?? null,
    env,
    isAllowed,
    readsBranch: false,
    readBranch: () => readBranch(real, env, timeoutMs),
  });
  const { state, board, session, task } = identity;
  const bench: Bench = { ...first, ids: { task_id: task.id, session_id: session.id } };
  const outDir = relativePath(options.outDir ?? config.out ?? DEFAULT_OUT, [
    real,
    path.resolve(root),
  ]).replace(/\/+$/u, "");
  // Git is asked while files are read: what either needs of the other comes as a promise.
  const record = loadSessionRecord(bench);
  const reading = loadReports(bench, places, record);
  const owning = reading.then(({ artifacts, feedback }) =>
    ownPaths(
      places,
      [state, board, ...Object.values(artifacts), { considered: feedback.considered, foreign: [] }],
      outDir,
    ),
  );
  const follow = async (branch: string | null, reports: Reports): Promise<Followed> => {
    const { predecessor: find = null } = options;
    const predecessor =
      typeof find === "function" ? await find({ session: session.id, branch, topic }) : find;
    const activeTask = valueOf(board)?.tasks.find(({ id }) => id === task.id);
    const acceptance = [
      ...(activeTask?.acceptance ?? []),
      ...(valueOf(reports.artifacts.scope_contract)?.acceptance ?? []),
    ];
    const scanned = await scanFeedback(reports.feedback.files, {
      watch: watchedCommands(acceptance, predecessor),
      cacheDir: typeof options.cacheDir === "string" ? path.resolve(real, options.cacheDir) : null,
      rescan: options.rescan ?? false,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    return { branch, predecessor, scanned };
  };
  const [reports, isOwnPath, facts, guessed, reportFile] = await Promise.all([
    reading,
    owning,
    record.then((read) =>
      readGitFacts(real, {
        base: options.base ?? null,
        sessionBase: valueOf(read)?.base_commit ?? null,
        isOwnPath: owning,
        ownFolder: outDir === "" || outDir.startsWith("../") || path.isAbsolute(outDir) ? null : outDir,
        env,
        timeoutMs,
        git: options.git ?? null,
      }),
    ),
    reading.then(async (read) => {
      const wantsBranch = typeof options.predecessor === "function" && session.from !== "local";
      const branch = wantsBranch ? await guessBranch(real) : null;
      const known = branch ?? (wantsBranch ? await readBranch(real, env, timeoutMs) : identity.branch);
      return follow(known, read);
    }),
    reading.then(({ artifacts }) => readReportFact(real, artifacts.verification)),
  ]);
  const isRight = typeof options.predecessor !== "function" || guessed.branch === facts.branch;
  const { predecessor, scanned } = isRight ? guessed : await follow(facts.branch, reports);
  const { artifacts } = reports;
  const loaded: readonly LoadedAt<unknown>[] = [state, board, ...Object.values(artifacts)];
  const named = await resolveCommits(real, facts, namedCommits(reports, predecessor), { env, timeoutMs });

  return {
    session,
    task,
    topic,
    git: {
      ...facts,
      resolved: { ...facts.resolved, ...named.resolved },
      diagnostics: [...facts.diagnostics, ...named.diagnostics],
    },
    state: state.loaded,
    board: board.loaded,
    verification: artifacts.verification.loaded,
    review: artifacts.review.loaded,
    scope_contract: artifacts.scope_contract.loaded,
    scope_report: artifacts.scope_report.loaded,
    rule_report: artifacts.rule_report.loaded,
    last_known_good: artifacts.last_known_good.loaded,
    overrides: artifacts.overrides.loaded,
    session_record: artifacts.session_record.loaded,
    touched_files: withoutOwn(artifacts.touched_files.loaded, isOwnPath),
    feedback: scanned.scan,
    files: Object.fromEntries(reportFile.fact === null ? [] : [[reportFile.fact.path, reportFile.fact]]),
    predecessor,
    diagnostics: sortDiagnostics([
      ...loaded.flatMap((one) => one.loaded.diagnostics),
      ...identity.diagnostics,
      ...reports.feedback.diagnostics,
      ...scanned.diagnostics,
      ...facts.diagnostics,
      ...named.diagnostics,
      ...reportFile.diagnostics,
    ]),
  };
}
