// One call from a workbench to its session's published packet: load, generate, publish (S3). Another session may publish
// meanwhile: then everything is read once more, since its open items come along.
import {
  generateHandoff,
  type GeneratedHandoff,
  type GenerateOptions,
} from "../generate/generate-handoff.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { UsageError } from "../model/errors.js";
import type { Degraded, HandoffPacket, HandoffReason } from "../model/packet.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { findOutdatedEdits } from "../packet/take-over-edits.js";
import { loadTemplate, TEMPLATE_NAMES } from "../render/templates.js";
import { previewPublication } from "../store/place-packet.js";
import { publishPacket } from "../store/publish-packet.js";
import { readPredecessor, type Predecessor } from "../store/read-predecessor.js";
import { prepareEdits, type PreparedEdits } from "../store/session-edits.js";
import type { LockOptions, LockWait } from "../store/store-lock.js";
import { assertPacketBytes } from "../store/validate-packet.js";
import { sha256Hex } from "../text/digest.js";
import type { SessionSearch } from "../workbench/identify-session.js";
import type { Git } from "../workbench/git/run-git.js";
import { loadSnapshot } from "../workbench/load-snapshot.js";
import { CACHE_FOLDER, gatedBranch, isSecret, type Workbench } from "./open-workbench.js";
import { measureSession, notePublication, readRendered, type SessionWork } from "./session-work.js";

/** A packet is made so often at most while others make the session's own or edit it: the last one is published as it is. */
const MOST_PASSES = 5;

export interface PublishOptions {
  /** Ids that a person gave; a bad one throws UsageError. */
  readonly sessionId?: string | null;
  readonly taskId?: string | null;
  readonly topic?: string | null;
  /** The id a hook payload carried; a bad one is passed by. */
  readonly hookSessionId?: string | null;
  /** Finds a session that neither names. Default: state, CI or branch do. */
  readonly search?: SessionSearch;
  /** A revision to count from; one that names no commit throws UsageError `usage.base`. */
  readonly base?: string | null;
  /** Bounds as in handoff.config.json, which is the default. */
  readonly last?: number | null;
  readonly maxBytes?: number | null;
  /** Where nothing says what comes next: write a packet that says so instead of refusing. */
  readonly allowDegraded?: boolean;
  /** Set by a caller that already knows the packet is less than it should be. */
  readonly degraded?: Degraded | null;
  /** Why the packet is made. Default: asked for by hand. */
  readonly reason?: HandoffReason;
  /** Read the whole log, whatever an earlier scan left. */
  readonly rescan?: boolean;
  /** Folder of the scan's cursor, relative to the root or absolute. Default: `.handoff/cache`; null: none. */
  readonly cacheDir?: string | null;
  /**
   * Git that has begun what will be asked first (workbench/git/begin-git-facts.ts), with the workbench's environment.
   * @internal Its types are of Node, which users of the library need not have.
   */
  readonly git?: Git | null;
  /** Longest wait for another writer, in milliseconds. Default 30,000. */
  readonly waitMs?: number;
  readonly onProgress?: (progress: { bytes: number; totalBytes: number }) => void;
  readonly onWait?: (wait: LockWait) => void;
  /** Problems in the input, as soon as they are known: also those of a call that throws later. */
  readonly onDiagnostics?: (found: readonly Diagnostic[]) => void;
}

/** A packet made from a workbench, and what was learned on the way. */
export interface SessionPacket extends GeneratedHandoff {
  /** Absolute folder of its two files. */
  readonly dir: string;
  readonly snapshot: WorkbenchSnapshot;
  readonly diagnostics: readonly Diagnostic[];
}

/** A published one. Its links are what the index says. */
export interface PublishedSession extends SessionPacket {
  /** False when everything was there already: nothing was written. */
  readonly changed: boolean;
}

/** A snapshot and the packet that the one made from it follows. */
interface Taken {
  readonly snapshot: WorkbenchSnapshot;
  /** Its id, or null: none. */
  readonly against: string | null;
  /** What the session's folder held before it was read; null: it has none. */
  readonly work: SessionWork | null;
}

/** What is learned on the way. */
interface Learned {
  readonly all: Diagnostic[];
  readonly tell: (found: readonly Diagnostic[]) => void;
  /** Tells what was not told before: everything may be read twice. */
  readonly tellNew: (found: readonly Diagnostic[]) => void;
}

function learn({ onDiagnostics }: PublishOptions): Learned {
  const all: Diagnostic[] = [];
  const tell = (found: readonly Diagnostic[]): void => {
    all.push(...found);
    onDiagnostics?.(found);
  };
  return {
    all,
    tell,
    tellNew: (found) => {
      const before = new Set(all.map((one) => JSON.stringify(one)));
      tell(found.filter((one) => !before.has(JSON.stringify(one))));
    },
  };
}

async function takeSnapshot(
  workbench: Workbench,
  options: PublishOptions,
  cacheDir: string | null,
  { tellNew }: Learned,
): Promise<Taken> {
  const { root, config, outDir, env } = workbench;
  const { base = null, onProgress } = options;
  const named = options.sessionId ?? options.hookSessionId ?? options.search?.environment ?? null;
  let work = named === null ? null : { session: named, is: await measureSession(root, named) };
  let predecessor: Predecessor = { entry: null, packet: null, diagnostics: [] };
  const snapshot = await loadSnapshot(root, {
    sessionId: options.sessionId ?? null,
    hookSessionId: options.hookSessionId ?? null,
    ...(options.search === undefined ? {} : { search: options.search }),
    taskId: options.taskId ?? null,
    topic: options.topic ?? null,
    base,
    config,
    outDir,
    cacheDir,
    rescan: options.rescan ?? false,
    env,
    git: options.git ?? null,
    isSecret: (id) => isSecret(id, workbench),
    ...(onProgress === undefined ? {} : { onProgress }),
    predecessor: async (line) => {
      // A session that only its state names: its log has not been read yet.
      if (work?.session !== line.session)
        work = { session: line.session, is: await measureSession(root, line.session) };
      predecessor = await readPredecessor(
        { root, outDir },
        { ...line, branch: gatedBranch(line.branch, workbench) },
      );
      return predecessor.packet;
    },
  });
  tellNew([...snapshot.diagnostics, ...predecessor.diagnostics]);
  if (base !== null && snapshot.git.base?.from !== "option")
    throw new UsageError(
      "usage.base",
      `--base ${JSON.stringify(base)} does not name a commit here`,
      snapshot.git.available ? "see git log --oneline" : "there is no git repository to look in",
    );
  return { snapshot, against: predecessor.entry?.packet_id ?? null, work: work?.is ?? null };
}

/** What people changed in this session's packet (P39), and what of it stands in front of something newer. */
async function takeEdits(
  workbench: Workbench,
  snapshot: WorkbenchSnapshot,
  options: GenerateOptions,
  { tellNew }: Learned,
): Promise<PreparedEdits> {
  const { root, outDir, redactor } = workbench;
  const { session, topic, git } = snapshot;
  const generate = (edits: GenerateOptions["edits"]): HandoffPacket =>
    generateHandoff(snapshot, { ...options, allowDegraded: true, edits: edits ?? null }).packet;
  const line = { session: session.id, branch: gatedBranch(git.branch, workbench), topic };
  const prepared = await prepareEdits({ root, outDir }, line, generate, redactor);
  const outdated = prepared.kept === null ? [] : findOutdatedEdits(prepared.kept.edits, generate(null));
  const said: Diagnostic[] = [...prepared.diagnostics];
  if (prepared.kept !== null && outdated.length > 0)
    said.push({
      code: "edit.outdated",
      severity: "warn",
      artifact: "packet",
      source: { path: prepared.kept.path },
      args: { fields: outdated.join(", ") },
    });
  tellNew(said);
  return prepared;
}

/** Everything up to the packet: nothing is written but the scan's cursor. */
async function prepare(
  workbench: Workbench,
  options: PublishOptions,
  cacheDir: string | null,
  learned: Learned,
) {
  const { config, templates, redactor } = workbench;
  // All of them, also those that only another call uses: a broken one is told now (U8).
  for (const name of TEMPLATE_NAMES) loadTemplate(name, templates);
  const last = options.last ?? config.last;
  const maxBytes = options.maxBytes ?? config.max_bytes;
  const plain: GenerateOptions = {
    ...(last === undefined ? {} : { last }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    allowDegraded: options.allowDegraded ?? false,
    degraded: options.degraded ?? null,
    templates,
    redactor,
  };
  const taken = await takeSnapshot(workbench, options, cacheDir, learned);
  const edits = await takeEdits(workbench, taken.snapshot, plain, learned);
  const generated = generateHandoff(taken.snapshot, { ...plain, edits: edits.kept });
  return { taken, edits, plain, generated };
}

/**
 * The packet as it would be published. Writes nothing at all. Throws as {@link publishSession}.
 */
export async function previewSession(
  workbench: Workbench,
  options: PublishOptions = {},
): Promise<SessionPacket> {
  const { root, outDir, templates } = workbench;
  const learned = learn(options);
  const { taken, generated } = await prepare(workbench, options, null, learned);
  const preview = await previewPublication({ root, outDir }, generated, templates);
  assertPacketBytes(preview.json);
  return { ...preview, snapshot: taken.snapshot, diagnostics: learned.all };
}

function lockOf({ waitMs, onWait }: PublishOptions): LockOptions {
  return { ...(waitMs === undefined ? {} : { waitMs }), ...(onWait === undefined ? {} : { onWait }) };
}

/**
 * Publishes the session's packet and makes it the active one of its branch and topic; the same content again writes
 * nothing. Throws RefusalError `next_action.unknown` when nothing says what comes next (unless `allowDegraded` or
 * `degraded`), UsageError for an option, a template, an id or a store that cannot be used.
 */
export async function publishSession(
  workbench: Workbench,
  options: PublishOptions = {},
): Promise<PublishedSession> {
  const { root, outDir, templates } = workbench;
  const learned = learn(options);
  const { cacheDir = CACHE_FOLDER } = options;
  const first = await prepare(workbench, options, cacheDir, learned);
  await first.edits.save();
  const session = first.taken.snapshot.session.id;
  const before = first.taken.work === null ? null : await readRendered(root, session);
  const rendered = (jsonSha256: string): string | null =>
    before !== null && before.json_sha256 === jsonSha256 ? before.markdown_sha256 : null;
  const place = { root, outDir, templates, lock: lockOf(options), rendered };
  let { taken } = first;
  let published = await publishPacket({
    ...place,
    ...first.generated,
    against: taken.against,
    stillHolds: first.edits.stillHold,
  });
  for (let pass = 2; published.status === "moved"; pass += 1) {
    // From now on, when another session publishes once more, only the packet is made again, with the store locked.
    taken = await takeSnapshot(workbench, options, cacheDir, learned);
    const { snapshot, against } = taken;
    const edits = await takeEdits(workbench, snapshot, first.plain, learned);
    await edits.save();
    const generateOptions: GenerateOptions = { ...first.plain, edits: edits.kept };
    const again = {
      ...place,
      ...generateHandoff(snapshot, generateOptions),
      against,
      rebase: (predecessor: HandoffPacket | null) =>
        generateHandoff({ ...snapshot, predecessor }, generateOptions),
    };
    published =
      pass < MOST_PASSES
        ? await publishPacket({ ...again, stillHolds: edits.stillHold })
        : await publishPacket(again);
  }
  learned.tell(published.diagnostics);
  const { snapshot, work } = taken;
  const { packet, json, markdown, dir, changed } = published;
  if (work !== null) {
    const note = {
      ...work,
      packet_id: packet.packet_id,
      head: snapshot.git.head?.sha ?? null,
      json_sha256: sha256Hex(json),
      markdown_sha256: sha256Hex(markdown),
    };
    learned.tell(await notePublication(root, snapshot.session.id, note));
  }
  return { packet, json, markdown, dir, changed, snapshot, diagnostics: learned.all };
}
