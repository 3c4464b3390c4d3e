// The packet of a generation (R17, R18, R20): the session's words into its state, everything else from the workbench.
import type { HandoffPacket, HandoffReason } from "../model/packet.js";
import type { Workbench } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";
import { type DegradedReason, degradedHandoff } from "./degraded-packet.js";
import type { Sections } from "./parse-sections.js";
import { stateFromSections } from "./state-from-sections.js";
import { writeState } from "./write-state.js";

export interface GenerationPacket {
  /** The session's name in workbench and store. */
  readonly session_id: string;
  /** `.handoff/sessions/<session_id>`, absolute. */
  readonly folder: string;
  /** What the session said; null: it said nothing that can be used. */
  readonly sections: Sections | null;
  readonly degraded: DegradedReason | null;
  /** More about why. */
  readonly detail: string | null;
  readonly task: string;
  readonly topic: string | null;
  readonly reason: HandoffReason;
  readonly now: Date;
}

/** A published packet and where its handoff.json lies, absolute. */
export interface PublishedGeneration {
  readonly packet: HandoffPacket;
  readonly dir: string;
}

/** Generates and publishes it. Throws what publishing throws. */
export async function publishGeneration(
  workbench: Workbench,
  { session_id, folder, sections, degraded, detail, task, topic, reason, now }: GenerationPacket,
): Promise<PublishedGeneration> {
  const said = sections === null ? null : stateFromSections(sections);
  const how = { redactor: workbench.redactor, now };
  const instead = degraded === null ? null : degradedHandoff({ reason: degraded, detail, task });
  if (instead === null) {
    if (said !== null) await writeState(folder, said, how);
  } else {
    // What it did say counts: a reply without a next action may still know its dead ends.
    const doing = said?.doing ?? instead.doing;
    const scene = [...(said?.scene ?? []), ...instead.scene];
    await writeState(folder, { ...said, doing, scene }, how);
  }
  const { packet, dir } = await publishSession(workbench, {
    sessionId: session_id,
    topic,
    allowDegraded: true,
    degraded: instead?.degraded ?? null,
    reason,
  });
  return { packet, dir };
}
