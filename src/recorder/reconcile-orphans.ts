// Sessions that were killed leave work that no packet knows (A9): the next session to start publishes it first, oldest first,
// so that the newest is the one it takes over. What is older than the packet that drives this branch stays as it is, and so
// does what a session is still at.
import { rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { hookSpeechOf } from "../agents/registry.js";
import { RefusalError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import type { IndexEntry } from "../model/store-index.js";
import { readLivingSession } from "../session/living-session.js";
import { locatePacket } from "../session/locate-packet.js";
import type { Workbench } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";
import { lastSign, WORK_FILES } from "../session/session-signs.js";
import { hasUnpublishedWork } from "../session/session-work.js";
import { readOwnFile } from "./own-file.js";
import { faultText } from "./recorder-log.js";
import type { Recorder } from "./recorder.js";
import { readSessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";
import { sweepTranscript } from "./sweep-transcript.js";

/** Looked at, the ones that did something last; published. A person waits for the session to start. */
const MAX_LOOKED_AT = 200;
const MAX_PUBLISHED = 5;
const TIME_MS = 8000;
/** For another writer, who may be anybody's. */
const WAIT_MS = 3000;
/** In the orphan's folder: for which reason, and as of which sign of life, it was told of that it is left alone. */
const TOLD = "left_alone";
const MAX_TOLD_BYTES = 200;

interface Orphan {
  readonly id: string;
  readonly folder: string;
  /** When it did something last, ms since the epoch. */
  readonly at: number;
  /** null: nobody noted it. */
  readonly branch: string | null;
}

/** It has work that no packet knows, and does not go on by itself: then it will say itself what came of its turn. */
async function isOrphan({ root, event }: Recorder, id: string): Promise<boolean> {
  return (
    (await hasUnpublishedWork(root, id)) && (await readLivingSession(root, id, event.session_id)) === null
  );
}

async function findOrphans(recorder: Recorder): Promise<Orphan[]> {
  const { root, event } = recorder;
  const names = await readdir(path.dirname(sessionFolderOf(root, "any"))).catch(() => []);
  const ids = names.filter((name) => isValidId(name) && name !== event.session_id);
  const signs = await Promise.all(
    ids.map(async (id) => {
      const folder = sessionFolderOf(root, id);
      return { id, folder, at: await lastSign(folder, WORK_FILES) };
    }),
  );
  const newest = signs.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
  const orphans: Orphan[] = [];
  for (const sign of newest.slice(0, MAX_LOOKED_AT)) {
    if (await isOrphan(recorder, sign.id))
      orphans.push({ ...sign, branch: readSessionFile(sign.folder)?.branch ?? null });
  }
  return orphans.reverse();
}

async function activePacket(workbench: Workbench): Promise<IndexEntry | null> {
  try {
    return (await locatePacket(workbench)).entry;
  } catch (error) {
    if (error instanceof RefusalError) return null;
    throw error;
  }
}

/** Why an orphan is left alone: what kind of reason that is, and in words. */
interface Reason {
  readonly kind: "branch" | "older";
  readonly what: string;
}

/** null: it is not left alone. */
function reasonToLeave(orphan: Orphan, branch: string | null, active: IndexEntry | null): Reason | null {
  if (orphan.branch !== null && orphan.branch !== branch)
    return { kind: "branch", what: `has unpublished work on branch ${orphan.branch}` };
  if (active === null || active.session_id === orphan.id || active.generated_at === null) return null;
  return Date.parse(active.generated_at) > orphan.at
    ? { kind: "older", what: `has unpublished work older than packet ${active.packet_id}` }
    : null;
}

/** Tells it once: every start comes by here, and nothing about the orphan changes meanwhile. */
function tellOnce({ tell }: Recorder, { id, folder, at }: Orphan, { kind, what }: Reason): void {
  const file = path.join(folder, TOLD);
  const told = `${kind} ${Math.trunc(at)}\n`;
  if (readOwnFile(file, MAX_TOLD_BYTES) === told) return;
  tell(`session ${id} ${what}`);
  try {
    // Never through a link that somebody put there.
    rmSync(file, { force: true });
    writeFileSync(file, told, { flag: "wx" });
  } catch {
    // Told again next time.
  }
}

/** What the orphan's transcript knows and its log does not. */
async function sweep(recorder: Recorder, orphan: Orphan): Promise<void> {
  const session = readSessionFile(orphan.folder);
  const speech = session === null ? null : hookSpeechOf(session.agent);
  if (session === null || speech === null) return;
  await sweepTranscript({ ...recorder, speech, folder: orphan.folder }, session.transcript_path);
}

/** Publishes what was left behind on this branch. A failure is told, and the next one is tried. */
export async function reconcileOrphans(workbench: Workbench, recorder: Recorder): Promise<void> {
  const { tell, io } = recorder;
  const until = io.elapsed() + TIME_MS;
  const orphans = await findOrphans(recorder);
  if (orphans.length === 0) return;
  const branch = await workbench.branch();
  let published = 0;
  for (const [i, orphan] of orphans.entries()) {
    const reason = reasonToLeave(orphan, branch, await activePacket(workbench));
    // All before it took its time: another start may have published this one since, and others that are newer, or somebody
    // goes on with it.
    if (!(await isOrphan(recorder, orphan.id))) continue;
    if (reason !== null) {
      tellOnce(recorder, orphan, reason);
      continue;
    }
    if (published === MAX_PUBLISHED || io.elapsed() > until) {
      tell(`${orphans.length - i} more sessions have unpublished work`);
      return;
    }
    published += 1;
    try {
      await sweep(recorder, orphan);
      await publishSession(workbench, {
        hookSessionId: orphan.id,
        allowDegraded: true,
        reason: "session_end",
        waitMs: WAIT_MS,
      });
    } catch (error) {
      tell(`session ${orphan.id}: ${faultText(error)}`);
    }
  }
}
