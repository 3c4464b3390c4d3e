// Where every request and roll of a workbench stands (L10), and going on with a roll whose process died (L11).
import { hasEnded } from "./decide-roll.js";
import { startExecutor, STARTED_WITHIN_MS } from "./execute-roll.js";
import { readPending } from "./pending.js";
import { readExecutor, readRoll, type RollFile } from "./roll-file.js";
import { listPanes } from "./roll-folder.js";

/** What is on record of a pane. Times are ISO 8601 in UTC. */
export interface PaneStatus {
  readonly pane: string;
  /** Names its folder below `.handoff/rollover`. */
  readonly key: string;
  /** `requested`: confirm has not come yet. `interrupted`: its process died; `phase` is where it stood. */
  readonly state: "requested" | "rolling" | "interrupted" | "bootstrapped" | "refused" | "cancelled";
  readonly phase: RollFile["phase"] | null;
  readonly ending: RollFile["ending"];
  readonly why: string;
  readonly roll_id: string | null;
  readonly session_id: string;
  /** The session that took over; null: none yet. */
  readonly new_session: string | null;
  readonly packet_id: string | null;
  readonly packet_path: string | null;
  readonly at: string;
  /** What to do, where something is to be done. */
  readonly hint: string;
}

export interface RolloverStatus {
  readonly panes: readonly PaneStatus[];
}

const BY_HAND = "the packet is there: start an agent in that pane, or handoff brief";
const HINTS: Readonly<Partial<Record<NonNullable<RollFile["ending"]>, string>>> = {
  TURN_NOT_SETTLED: "nothing was cleared: let the turn end, then open a new request",
  CLEAR_NOT_SEEN: "look at the pane: clear it by hand if it is not, and give it the packet's path",
  BOOTSTRAP_NOT_SEEN: "look at the pane: give the fresh session the packet's path",
  BOOTSTRAP_ASTRAY: "the old session got the first prompt: clear it by hand, and give it the packet's path",
  PANE_GONE: BY_HAND,
  OVERTAKEN: "somebody was faster; open a new request when it is wanted still",
};

/** An executor takes its time to start: until it must have, nobody says that it died. */
function isStarting({ phase, accepted_at }: RollFile): boolean {
  const age = Date.now() - Date.parse(accepted_at);
  return phase === "accepted" && age >= 0 && age < STARTED_WITHIN_MS;
}

async function rollStatus(root: string, key: string): Promise<PaneStatus | null> {
  // Looked at first: an executor that is gone has written down before how the roll ended.
  const executor = await readExecutor(root, key);
  const roll = await readRoll(root, key);
  if (roll === null) return null;
  const { phase, ending, why, roll_id, session_id, new_session, packet_id, packet_path, pane, at } = roll;
  const isDead = !hasEnded(roll) && !isStarting(roll) && executor !== "alive";
  const state =
    phase === "bootstrapped" || phase === "refused" || phase === "cancelled"
      ? phase
      : isDead
        ? "interrupted"
        : "rolling";
  return {
    pane,
    key,
    state,
    phase,
    ending,
    why,
    roll_id,
    session_id,
    new_session,
    packet_id,
    packet_path,
    at,
    hint:
      state === "interrupted"
        ? `its process died while ${phase}: handoff rollover resume goes on with it`
        : ending === null
          ? ""
          : (HINTS[ending] ?? ""),
  };
}

/** Every pane, the newest last. */
export async function readStatus(root: string): Promise<RolloverStatus> {
  const panes: PaneStatus[] = [];
  for (const key of await listPanes(root)) {
    const roll = await rollStatus(root, key);
    if (roll !== null) panes.push(roll);
    const pending = await readPending(root, key);
    if (pending === null) continue;
    const { pane, session_id, opened_at: at, expires_at, reason } = pending;
    panes.push({
      pane,
      key,
      state: "requested",
      phase: null,
      ending: null,
      why: reason ?? "",
      roll_id: null,
      session_id,
      new_session: null,
      packet_id: null,
      packet_path: null,
      at,
      hint: `waits for confirm until ${expires_at}`,
    });
  }
  return { panes: panes.toSorted((a, b) => (a.at < b.at ? -1 : 1)) };
}

/**
 * Goes on with every roll whose process died; what was sent before is never sent again. Gives those that are gone on with.
 * Throws UsageError `rollover.not_started`.
 */
export async function resumeRolls(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly PaneStatus[]> {
  const { panes } = await readStatus(root);
  const interrupted = panes.filter(({ state }) => state === "interrupted");
  // One that does not start keeps no other waiting.
  const starts = await Promise.allSettled(interrupted.map(({ key }) => startExecutor(root, key, env)));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
  return interrupted;
}
