// A roll as it is scheduled, and what is told of one whose place it takes.
import { readPaneFile } from "../recorder/pane-file.js";
import { hasEnded, SCHEDULED } from "./decide-roll.js";
import type { FoundPane } from "./find-pane.js";
import { newRollId, readRoll, type RollFile } from "./roll-file.js";
import { tellOutcome } from "./roll-folder.js";
import { bootstrapText, type RolloverSettings } from "./rollover-settings.js";
import type { Scene } from "./take-action.js";

/** A roll as a confirm schedules it. */
export function newRoll(
  { workbench: { root }, now, facts }: Scene,
  { pane, key, socket, server, agent, process }: FoundPane,
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
    sequence: readPaneFile(root, key)?.sequence ?? 0,
    token_sha256: facts.token_sha256,
    turn_settle_seconds: settings.turn_settle_seconds,
    clear_settle_seconds: settings.clear_settle_seconds,
    max_doc_age_seconds: settings.max_doc_age_seconds,
    why: "",
  };
}

/** A roll whose process died and that this one takes the place of: what became of it is told (L10). */
export async function tellInterrupted({ workbench: { root, env }, now }: Scene, key: string): Promise<void> {
  const before = await readRoll(root, key);
  if (before === null || hasEnded(before)) return;
  const { pane, session_id, roll_id, packet_id, phase } = before;
  const why = `its process died while ${phase}; another takes its place`;
  const line = { at: now.toISOString(), what: "interrupted", pane, session_id, roll_id, packet_id, why };
  await tellOutcome(root, key, line, env);
}
