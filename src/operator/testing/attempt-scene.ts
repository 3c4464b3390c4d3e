// For tests: a repository with a person's unfinished changes in it, attempts in trees of their own, and one request in a file,
// so that several processes can take turns at it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sessionFolderOf } from "../../recorder/session-folder.js";
import { writeState } from "../../rotation/write-state.js";
import { openWorkbench, type Workbench } from "../../session/open-workbench.js";
import { publishSession } from "../../session/publish-session.js";
import type { AttemptRecord, AttemptVerdict } from "../attempt-record.js";
import { workPorts } from "../attempt-ports.js";
import { beginAttempt, type BegunAttempt } from "../begin-attempt.js";
import type { FinalizePorts } from "../finalize-attempt.js";
import { reconcileAttempts, type Reconciled } from "../reconcile-attempts.js";
import { treePath, rootIn } from "../worktree.js";

export const RUN = "run-3f2a91c04d7e";
export const SESSION = "s-1";
const NOW = new Date("2026-11-29T10:00:00.000Z");

/** The request as the scene keeps it: its states in order. */
interface KeptRequest {
  readonly request_id: string;
  readonly states: string[];
  readonly reason: string | null;
}

export interface AttemptScene {
  readonly main: Workbench;
  readonly begin: () => Promise<BegunAttempt>;
  /** Work of an agent: a tracked file changed, a new one, an ignored one, and what the runner records and publishes. */
  readonly work: (begun: BegunAttempt, note?: "usable" | "unusable") => Promise<AttemptRecord>;
  readonly portsOf: (record: AttemptRecord) => Promise<FinalizePorts>;
  readonly reconcile: () => Promise<Reconciled[]>;
  readonly request: () => KeptRequest;
}

/** A scene at a repository's root; `aside` is a folder outside it. */
export async function openScene(root: string, aside: string, env: NodeJS.ProcessEnv): Promise<AttemptScene> {
  const main = await openWorkbench({ cwd: root, env });
  const out = path.resolve(main.root, main.outDir);
  const now = (): Date => NOW;
  const file = path.join(aside, "request.json");
  if (!existsSync(file))
    writeFileSync(
      file,
      JSON.stringify({ request_id: "req-1", states: ["accepted", "delivered", "begun"], reason: null }),
    );
  const request = (): KeptRequest => JSON.parse(readFileSync(file, "utf8"));
  const tree = treePath(main.root, RUN);
  const openTree = async (): Promise<Workbench> =>
    openWorkbench({ cwd: root, env, root: await rootIn(tree, main), out });
  const judge = async (record: AttemptRecord, isRecovery: boolean): Promise<AttemptVerdict> => {
    const { request_id } = request();
    if (isRecovery) return { request_id, state: "not_fulfilled", reason: "crashed", detail: null };
    const why = record.held?.reason ?? null;
    return why === null
      ? { request_id, state: "completed", reason: null, detail: null }
      : {
          request_id,
          state: "not_fulfilled",
          reason: record.packet_valid === false ? "packet_invalid" : "held",
          detail: why,
        };
  };
  const portsOf = async (): Promise<FinalizePorts> => ({
    ...workPorts({ main, open: openTree, topic: null, now }),
    now,
    elapsed: async () => 5000,
    judge,
    complete: async ({ state, reason }) => {
      const kept = request();
      if (state === null || kept.states.at(-1) === state) return;
      writeFileSync(file, JSON.stringify({ ...kept, states: [...kept.states, state], reason }));
    },
  });
  return {
    main,
    request,
    portsOf,
    begin: () => beginAttempt({ main, runId: RUN, sessions: [SESSION], now }),
    reconcile: () => reconcileAttempts(main, RUN, portsOf),
    work: async ({ record, root: at }, note = "usable") => {
      writeFileSync(path.join(at, "README"), "changed by the agent\n");
      mkdirSync(path.join(at, "src"), { recursive: true });
      writeFileSync(path.join(at, "src/new.txt"), "half done\n");
      writeFileSync(path.join(at, "build.log"), "ignored\n");
      const workbench = await openTree();
      const { redactor } = workbench;
      const folder = sessionFolderOf(workbench.root, SESSION);
      await writeState(
        folder,
        { next_action: "finish src/new.txt", doing: "writing it" },
        { redactor, now: NOW },
      );
      await publishSession(workbench, {
        sessionId: SESSION,
        allowDegraded: true,
        degraded: note === "usable" ? null : { reason: "section_missing", detail: "missing: next" },
        reason: "operator_request",
      });
      return { ...record, outcome: { rule: "operator", handoff: true, session: SESSION } };
    },
  };
}
