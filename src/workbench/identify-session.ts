// Whose work this is: state and board name session and task (P43), and once the session is known its own state comes first
// (A8): what an agent noted for a session is that session's, whatever file lies at the common places.
import type { AgentState, TaskBoard } from "../model/artifacts.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { type Bench, type LoadedAt, valueOf } from "./artifacts/load-artifact.js";
import { loadBoard, loadState } from "./artifacts/load-artifacts.js";
import type { Places } from "./artifacts/places.js";
import { chooseSession, chooseTask, type Environment, localSession } from "./choose-ids.js";

/** How a session is found that neither option nor hook names. */
export interface SessionSearch {
  /** The id that the environment names, as good as a hook's; null: none. */
  readonly environment: string | null;
  /** The session on record here that work without a name belongs to: asked after state and CI, before the branch names one. */
  readonly readRecorded: (branch: string | null) => Promise<string | null>;
}

/** What is known before anything is read. */
interface Hints {
  /** Given by a person. */
  readonly option: { readonly session: string | null; readonly task: string | null };
  /** The session a hook payload named. */
  readonly hook: string | null;
  readonly search: SessionSearch | null;
  readonly env: Environment;
  readonly isAllowed: (id: string) => boolean;
  /** The branch is wanted, whether or not the session is named by it. */
  readonly readsBranch: boolean;
  readonly readBranch: () => Promise<string | null>;
}

interface Identity {
  readonly state: LoadedAt<AgentState>;
  readonly board: LoadedAt<TaskBoard>;
  readonly session: WorkbenchSnapshot["session"];
  readonly task: WorkbenchSnapshot["task"];
  /** null also when nobody asked for it. */
  readonly branch: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of a session whose id was found only now: its own, if it has one, else the one that was read already. */
async function stateOf(
  bench: Bench,
  places: Places,
  first: LoadedAt<AgentState>,
  session: string,
): Promise<LoadedAt<AgentState>> {
  if (bench.ids.session_id === session) return first;
  const again = await loadState({ ...bench, ids: { ...bench.ids, session_id: session } }, places);
  return again.loaded.status === "missing" || again.loaded.path === first.loaded.path ? first : again;
}

/** The session that neither a person nor an agent nor a file names. */
async function nameless(
  branch: string | null,
  { search, isAllowed }: Hints,
): Promise<WorkbenchSnapshot["session"]> {
  const recorded = (await search?.readRecorded(branch)) ?? null;
  if (recorded !== null && isAllowed(recorded)) return { id: recorded, from: "record" };
  return [localSession(branch)].find(({ id }) => isAllowed(id)) ?? localSession(null);
}

/** Reads state and board and decides. Throws UsageError for a bad option only. */
export async function identifySession(bench: Bench, places: Places, hints: Hints): Promise<Identity> {
  const { option, hook, search, env, isAllowed } = hints;
  const [first, board] = await Promise.all([loadState(bench, places), loadBoard(bench, places)]);
  const chosen = chooseSession({
    option: option.session,
    hook,
    environment: search?.environment ?? null,
    state: { id: valueOf(first)?.session_id ?? null, path: first.loaded.path },
    env,
    isAllowed,
  });
  const branch = chosen.chosen === null || hints.readsBranch ? await hints.readBranch() : null;
  const session = chosen.chosen ?? (await nameless(branch, hints));
  const state = await stateOf(bench, places, first, session.id);
  const task = chooseTask({
    option: option.task,
    state: { id: valueOf(state)?.active_task_id ?? null, path: state.loaded.path },
    board: { tasks: valueOf(board)?.tasks ?? [], path: board.loaded.path },
    isAllowed,
  });
  const diagnostics = [...task.diagnostics, ...chosen.diagnostics];
  return { state, board, session, task: task.chosen, branch, diagnostics };
}
