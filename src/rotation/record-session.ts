// What the runner records of a session itself (R29): with hooks installed too, a command is one record all the same, since
// both name it by the tool call's id. A fault here is told and never stops the job.
import type { CommandFact, EditFact } from "../agents/agent.js";
import { JOB_DONE } from "../model/artifacts.js";
import { isValidId } from "../model/valid-id.js";
import { appendEdits } from "../recorder/append-edits.js";
import { appendRecord } from "../recorder/append-record.js";
import { keptText, readSessionFile, updateSession } from "../recorder/session-file.js";
import { sessionFolderOf } from "../recorder/session-folder.js";
import { readTreeMark } from "../recorder/tree-mark.js";
import { isSecret, type Workbench } from "../session/open-workbench.js";
import { RESERVED_NAMES } from "../store/store-folder.js";
import { sha256Hex } from "../text/digest.js";

/** The recorder of one session. */
export interface SessionRecorder {
  /** The session's name in workbench and store. */
  readonly name: string;
  /** `.handoff/sessions/<name>`, absolute. */
  readonly folder: string;
  readonly command: (fact: CommandFact) => void;
  readonly edit: (fact: EditFact) => void;
  /** Everything that was begun is on disk, with what hooks left out. Never rejects. */
  readonly settled: (model: string | null) => Promise<void>;
  /** The session brought its job to an end; `said`: its last words, null: not known. Never rejects. */
  readonly done: (said: string | null) => Promise<void>;
}

export interface SessionFacts {
  readonly session_id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly task: string;
  readonly now: () => Date;
  readonly onFault: (error: unknown) => void;
}

/** The name that folders and packets of a session get: its id, or, where that cannot be one, a digest of it (P43, S13). */
export function sessionName(sessionId: string, workbench: Workbench): string {
  const isUsable =
    isValidId(sessionId) && !RESERVED_NAMES.has(sessionId.toLowerCase()) && !isSecret(sessionId, workbench);
  return isUsable ? sessionId : `session-${sha256Hex(sessionId).slice(0, 16)}`;
}

/** Begins to record. */
export function recordSession(workbench: Workbench, facts: SessionFacts): SessionRecorder {
  const { root, redactor, outDir, env } = workbench;
  const { session_id, agent, task, now, onFault } = facts;
  const name = sessionName(session_id, workbench);
  const folder = sessionFolderOf(root, name);
  const begin = async (): Promise<void> => {
    // Hooks were first: they know more.
    if ((readSessionFile(folder)?.started_at ?? null) !== null) return;
    const { branch, head, tree } = await readTreeMark(root, outDir, env);
    const before = readSessionFile(folder);
    if ((before?.started_at ?? null) !== null) return;
    await updateSession(folder, {
      agent,
      model: before?.model ?? facts.model,
      goal: before?.goal ?? keptText(task, redactor),
      source: before?.source ?? "run",
      branch,
      base_commit: head,
      tree,
      started_at: now().toISOString(),
    });
  };
  /** A successor's prompt is a brief, which hooks take for no goal; and some agents say late which model they are. */
  const complete = async (model: string | null): Promise<void> => {
    const before = readSessionFile(folder);
    await updateSession(folder, {
      agent,
      goal: before?.goal ?? keptText(task, redactor),
      model: before?.model ?? model,
    });
  };
  const begun = begin().catch(onFault);
  const guarded = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      onFault(error);
    }
  };
  return {
    name,
    folder,
    command: (fact) =>
      guarded(() =>
        appendRecord(folder, fact, { agent, session_id: name, source: "runner", redactor, now: now() }),
      ),
    edit: (fact) => guarded(() => appendEdits(folder, fact, { cwd: root, redactor, now: now() })),
    settled: async (model) => {
      await begun;
      await complete(model).catch(onFault);
    },
    done: async (said) => {
      const message = said === null ? null : keptText(said, redactor);
      const before = readSessionFile(folder);
      await updateSession(folder, {
        ...(message === null ? {} : { last_message: message }),
        ended_at: before?.ended_at ?? now().toISOString(),
        end_reason: JOB_DONE,
      }).catch(onFault);
    },
  };
}
