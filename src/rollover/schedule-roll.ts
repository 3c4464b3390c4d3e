// A roll as it is scheduled, and what is told of one whose place it takes.
import { withStoreLock } from "../store/store-lock.js";
import { hasEnded, SCHEDULED } from "./decide-roll.js";
import type { FoundPane } from "./find-pane.js";
import { newRollId, readRoll, readRolling, type RollFile, writeRoll } from "./roll-file.js";
import { makePaneFolder, tellOutcome } from "./roll-folder.js";
import { bootstrapText, type RolloverSettings } from "./rollover-settings.js";
import type { Scene } from "./take-action.js";

/** A roll as a confirm schedules it. */
export function newRoll(
  { now, facts, sequence }: Pick<Scene, "now" | "facts" | "sequence">,
  { pane, socket, server, agent, process }: FoundPane,
  settings: RolloverSettings,
  packet: Pick<RollFile, "packet_id" | "packet_path" | "session_id">,
): RollFile {
  return {
    schema_version: 1,
    ...SCHEDULED,
    roll_id: newRollId(),
    pane,
    socket,
    server,
    agent: agent.name,
    process: { ...process, serves_many: false },
    new_session: null,
    ...packet,
    bootstrap_text: bootstrapText(settings, packet.packet_path),
    accepted_at: now.toISOString(),
    at: now.toISOString(),
    sequence,
    token_sha256: facts.token_sha256,
    turn_settle_seconds: settings.turn_settle_seconds,
    clear_settle_seconds: settings.clear_settle_seconds,
    max_doc_age_seconds: settings.max_doc_age_seconds,
    why: "",
  };
}

/** A roll whose process died and that this one takes the place of: what became of it is told (L10). */
async function tellInterrupted(
  { workbench: { root, env }, now }: Pick<Scene, "workbench" | "now">,
  key: string,
): Promise<void> {
  const before = await readRoll(root, key);
  if (before === null || hasEnded(before)) return;
  const { pane, session_id, roll_id, packet_id, phase } = before;
  const why = `its process died while ${phase}; another takes its place`;
  const line = { at: now.toISOString(), what: "interrupted", pane, session_id, roll_id, packet_id, why };
  await tellOutcome(root, key, line, env);
}

/**
 * Puts it on record. Under the lock under which executors take their place: a roll that somebody has gone on with since the gates
 * were looked at is left to them. Its id then; null: it is scheduled. Throws UsageError.
 */
export async function scheduleRoll(
  scene: Pick<Scene, "workbench" | "now">,
  key: string,
  roll: RollFile,
): Promise<string | null> {
  const { root } = scene.workbench;
  return withStoreLock(await makePaneFolder(root, key), {}, async () => {
    const rolling = await readRolling(root, key);
    if (rolling !== null) return rolling.roll_id;
    await tellInterrupted(scene, key);
    await writeRoll(root, key, roll);
    return null;
  });
}
