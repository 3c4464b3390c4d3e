// Whose work a command is about when nobody says so (P43, A11): the environment's word, else what hooks have left on record
// here; and what a person is told when it was found so.
import { hookSpeechOf } from "../agents/registry.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { isValidId } from "../model/valid-id.js";
import { findSessionInEnvironment } from "../recorder/current-session.js";
import { findRecordedSession, type RecordedWhy } from "../recorder/recorded-session.js";
import { isSecret, type Workbench } from "../session/open-workbench.js";
import type { SessionSearch } from "../workbench/identify-session.js";

const WHY: Readonly<Record<RecordedWhy, string>> = {
  at_work: "the newest on record here that has not ended",
  unpublished: "it is over, and no packet has all of its work",
  last: "the newest on record of this branch",
};

/** A search, and what it came to. */
export interface SearchedSession extends SessionSearch {
  /** Ids of the environment that are not allowed. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why the session is this one, in words; null: it was not found by this search. */
  readonly reasonFor: (session: WorkbenchSnapshot["session"]) => string | null;
}

/** Sets it up. Nothing on disk is read before it is asked for. */
export function searchSession(workbench: Workbench): SearchedSession {
  const { root, env } = workbench;
  const isAllowed = (id: string): boolean => isValidId(id) && !isSecret(id, workbench);
  const question = { root, env, isAllowed, now: new Date() };
  const { named, diagnostics } = findSessionInEnvironment(question);
  let recorded: { readonly agent: string; readonly why: RecordedWhy } | null = null;
  const titled = (agent: string | null, why: string): string => {
    const title = agent === null ? null : (hookSpeechOf(agent)?.title ?? null);
    return title === null ? why : `${title}, ${why}`;
  };
  return {
    environment: named?.id ?? null,
    readRecorded: async (branch) => {
      const found = await findRecordedSession(question, branch);
      recorded = found;
      return found?.id ?? null;
    },
    diagnostics,
    reasonFor: ({ from }) => {
      if (from === "environment" && named !== null) return titled(named.agent, `by ${named.variable}`);
      return from === "record" && recorded !== null ? titled(recorded.agent, WHY[recorded.why]) : null;
    },
  };
}
