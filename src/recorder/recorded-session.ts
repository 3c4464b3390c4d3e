// The session on record here that work without a name belongs to: the one at work, else the one that was here last (P43, A11).
import { readdir } from "node:fs/promises";
import path from "node:path";
import { isValidId } from "../model/valid-id.js";
import { isKnownDead } from "../session/living-session.js";
import { ALL_FILES, lastSign, SILENT_MS } from "../session/session-signs.js";
import { hasUnpublishedWork } from "../session/session-work.js";
import { parseTime } from "../text/parse-time.js";
import { readSessionFile, type SessionFile } from "./session-file.js";
import { sessionFolderOf } from "./session-folder.js";

/** Of the sessions whose files changed last, so many are looked into. */
const MAX_RECORDS = 50;

/** Where to look. */
export interface RecordQuestion {
  /** Real path of the workbench. */
  readonly root: string;
  /** Which ids may be used. Default: the valid ones. */
  readonly isAllowed?: (id: string) => boolean;
  readonly now: Date;
}

/**
 * Why it is this one. `at_work`: the newest that has not ended; `unpublished`: it is over, and no packet has all of its
 * work; `last`: the newest on this branch.
 */
export type RecordedWhy = "at_work" | "unpublished" | "last";

export interface RecordedSession {
  readonly id: string;
  /** The agent's name; empty: not on record. */
  readonly agent: string;
  readonly why: RecordedWhy;
}

/** A session on record. */
export interface Recorded {
  readonly id: string;
  readonly file: SessionFile;
  /** When anything in its folder was last written, ms since the epoch. */
  readonly at: number;
}

/** Newest first: by when they began, and where that says nothing by name, so that the choice is always the same. */
export function byStart(a: Pick<Recorded, "id" | "file">, b: Pick<Recorded, "id" | "file">): number {
  const at = ({ file }: Pick<Recorded, "file">): number => parseTime(file.started_at) ?? 0;
  return at(b) - at(a) || (a.id < b.id ? 1 : -1);
}

/** The sessions with a record, the newest first; of many, those that changed last. */
export async function readRecorded({ root, isAllowed = isValidId }: RecordQuestion): Promise<Recorded[]> {
  const names = await readdir(path.dirname(sessionFolderOf(root, "x"))).catch((): string[] => []);
  const signs = await Promise.all(
    names
      .filter((name) => isValidId(name) && isAllowed(name))
      .map(async (id) => ({ id, at: await lastSign(sessionFolderOf(root, id), ALL_FILES) })),
  );
  return signs
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_RECORDS)
    .flatMap(({ id, at }): Recorded[] => {
      const file = readSessionFile(sessionFolderOf(root, id));
      return file === null ? [] : [{ id, file, at }];
    })
    .toSorted(byStart);
}

/** One that was killed never ends on record: without a sign of life for so long, or without its process, it is not at work. */
async function isAtWork({ file, at }: Recorded, now: Date): Promise<boolean> {
  return file.ended_at === null && now.getTime() - at < SILENT_MS && !(await isKnownDead(file.process));
}

async function firstAtWork(recorded: readonly Recorded[], now: Date): Promise<Recorded | null> {
  for (const one of recorded) if (await isAtWork(one, now)) return one;
  return null;
}

/** The newest session that has not ended and shows signs of life; null: none does. */
export async function findSessionAtWork(question: RecordQuestion): Promise<RecordedSession | null> {
  const found = await firstAtWork(await readRecorded(question), question.now);
  return found === null ? null : { id: found.id, agent: found.file.agent, why: "at_work" };
}

/**
 * That one, else of those that are over and worked on `branch` the newest with work that no packet knows, else the newest;
 * null: nobody worked on it.
 * @param branch the one that is checked out; null: none
 */
export async function findRecordedSession(
  question: RecordQuestion,
  branch: string | null,
): Promise<RecordedSession | null> {
  const { root, now } = question;
  const recorded = await readRecorded(question);
  const found = (one: Recorded, why: RecordedWhy): RecordedSession => ({
    id: one.id,
    agent: one.file.agent,
    why,
  });
  const atWork = await firstAtWork(recorded, now);
  if (atWork !== null) return found(atWork, "at_work");
  // Nobody noted the branch of a session whose start no hook told.
  const here = recorded.filter(({ file }) => file.branch === null || file.branch === branch);
  for (const one of here) if (await hasUnpublishedWork(root, one.id)) return found(one, "unpublished");
  const [last] = here;
  return last === undefined ? null : found(last, "last");
}
