// What the person at the terminal is told when a session takes another's packet over (A14): one line, since the brief itself
// goes to the model unseen.
import type { HandoffPacket } from "../model/packet.js";
import { hookSpeechOf } from "../agents/registry.js";
import type { LivingSession } from "../session/living-session.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";

/** Of the next action, and of an id that is no UUID, in bytes. */
const ACTION_BYTES = 100;
const ID_BYTES = 40;

/** What people know a session by: the beginning of a UUID, any other name itself. */
function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/iu.test(id) ? id.slice(0, 8) : cutText(id, ID_BYTES);
}

/**
 * The line. Texts have passed the gate (S13) already; here they are cleaned and cut.
 * @param agent the name of the agent whose packet it is; empty: not known
 * @param living the packet's session, if it still runs
 */
export function takeOverNotice(
  { session_id, next_action }: Pick<HandoffPacket, "session_id" | "next_action">,
  agent: string,
  living: LivingSession | null,
): string {
  const title = hookSpeechOf(agent)?.title ?? "";
  const who = `${title === "" ? "" : `${title} `}session ${shortId(cleanLine(session_id))}`;
  const runs = living === null ? "" : `, which is still running (pid ${living.pid})`;
  return `handoff: taking over from ${who}${runs}: ${cutText(cleanLine(next_action), ACTION_BYTES)}`;
}
