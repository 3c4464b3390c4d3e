// What each phase of a roll waits for, as a look at the pane shows it (L6). Pure: a roll and a look in, an event out.
import type { AgentPane } from "../agents/agent-pane.js";
import { promptDigest } from "../recorder/note-pane.js";
import type { RollEffect, RollEvent } from "./decide-roll.js";
import type { RollFile } from "./roll-file.js";
import type { PaneLook } from "./watch-pane.js";

/** An event, and what is learned with it. */
export interface Seen {
  readonly event: RollEvent;
  readonly why?: string;
  readonly new_session?: string;
}

/** What a phase waits for; null: not yet. */
type Watch = (roll: RollFile, look: PaneLook, agent: AgentPane) => Seen | null;

/** A prompt that came after the roll was accepted; null: none did. */
function newPrompt({ sequence }: RollFile, { file }: PaneLook) {
  const prompt = file?.prompt ?? null;
  return prompt !== null && prompt.sequence > sequence ? prompt : null;
}

function watchTurn(roll: RollFile, look: PaneLook): Seen | null {
  const { file } = look;
  if (file !== null && file.session_id !== roll.session_id)
    return { event: "overtaken", why: "another session began in the pane before it was cleared" };
  if (newPrompt(roll, look) !== null)
    return {
      event: "overtaken",
      why: "a person went on with the session; write the handover anew when that is done",
    };
  return look.unsettled === null ? { event: "settled" } : null;
}

function watchClear(roll: RollFile, look: PaneLook, { freshBy }: AgentPane): Seen | null {
  const began = look.file?.began ?? null;
  if (look.file !== null && look.file.session_id !== roll.session_id)
    return began?.session_id === look.file.session_id && began.source === "clear"
      ? { event: "cleared", new_session: began.session_id }
      : { event: "overtaken", why: "another session began in the pane" };
  if (freshBy === "hook" || !look.isFresh || look.typed !== "") return null;
  // Hooks tell of this session with its first prompt.
  return newPrompt(roll, look) === null ? { event: "cleared" } : null;
}

/** Was the first prompt picked up, where it belongs, and is it ours? */
export function watchPickup(roll: RollFile, look: PaneLook): Seen | null {
  const prompt = newPrompt(roll, look);
  const session = look.file?.session_id ?? null;
  // The one that was cleared may be back, too: somebody resumed it.
  const isAnother = roll.new_session !== null && session !== null && session !== roll.new_session;
  if (isAnother) return { event: "overtaken", why: "another session began in the pane" };
  if (prompt === null) return null;
  if (prompt.session_id === roll.session_id)
    return {
      event: "astray",
      why: `a prompt reached session ${roll.session_id}, which was to be cleared and was not: it still has its whole context`,
    };
  if (prompt.sha256 !== promptDigest(roll.bootstrap_text))
    return { event: "overtaken", why: "a person went on in the fresh session" };
  const isHere = roll.new_session === null || prompt.session_id === roll.new_session;
  return isHere
    ? { event: "picked_up", new_session: prompt.session_id }
    : { event: "overtaken", why: "another session began in the pane" };
}

/** How what is to be watched is watched. */
export const WATCHES: Readonly<Partial<Record<RollEffect, Watch>>> = {
  watch_turn: watchTurn,
  watch_clear: watchClear,
  watch_pickup: watchPickup,
};

/** Why the time was over, in words. */
export const LATE: Readonly<Partial<Record<RollEffect, (look: PaneLook | null) => string>>> = {
  watch_turn: (look) => `its turn has not settled: ${look?.unsettled ?? "nothing was seen"}`,
  watch_clear: (look) =>
    look?.typed === null || look?.typed === "" || look === null
      ? "no fresh session was seen in the pane"
      : "no fresh session was seen in the pane, and its input line is not empty",
  watch_pickup: () => "the first prompt was not picked up; the packet is there for a start by hand",
};
