// What starts of runs have left that nobody has put in order (O6, O9): attempts whose runner is gone, trees that were held. Reads only.
import { existsSync } from "node:fs";
import { HandoffError } from "../model/errors.js";
import { quoteWord } from "../text/shell-words.js";
import { readAttempts } from "./attempt-files.js";
import { attemptName } from "./attempt-record.js";
import { knownRuns, runAtWork } from "./find-runs.js";
import type { RunPlace } from "./run-file.js";

/** One of them, and what to do about it. */
export interface LeftAttempt {
  readonly run_id: string;
  /** null: what is on record cannot be read. */
  readonly attempt: number | null;
  readonly branch: string | null;
  /** Absolute; null: it is gone. */
  readonly tree: string | null;
  readonly what: string;
  readonly hint: string;
}

/** The newest attempt of a run that nobody runs, if something is left of it. */
async function leftOf(place: RunPlace, runId: string): Promise<LeftAttempt | null> {
  try {
    const last = (await readAttempts(place, runId)).at(-1);
    if (last === undefined) return null;
    const { attempt, branch, held, outcome, finalized_at } = last;
    const tree = existsSync(last.tree) ? last.tree : null;
    const facts = { run_id: runId, attempt, branch, tree };
    const goOn = `handoff run --resume ${runId}`;
    if (finalized_at === null)
      return {
        ...facts,
        what: `${attemptName(last)} was not finished: its runner is gone`,
        hint: `${goOn} puts its work on ${branch} and goes on`,
      };
    if (held === null || tree === null) return null;
    // A job that is done is not gone on with.
    const next = outcome?.rule === "done" ? "" : `${goOn} goes on there, `;
    return {
      ...facts,
      what: held.reason,
      hint: `its files are in ${tree}: ${next}git worktree remove -f -f ${quoteWord(tree)} gives them up`,
    };
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    const { message: what, hint } = error;
    return { run_id: runId, attempt: null, branch: null, tree: null, what, hint };
  }
}

/** All of them, the newest first. */
export async function leftAttempts(place: RunPlace): Promise<LeftAttempt[]> {
  const found: LeftAttempt[] = [];
  for (const id of await knownRuns(place)) {
    // A run at work is not left. Asked before its records are read, since it finishes them before it goes, and after, since another
    // start may have come.
    if ((await runAtWork(place, id)) !== null) continue;
    const left = await leftOf(place, id);
    if (left !== null && (await runAtWork(place, id)) === null) found.push(left);
  }
  return found;
}
