// A packet's life (S1): status and links, kept by the index and repeated in the packet's files. Changing them changes no id.
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { HandoffPacket } from "../model/packet.js";
import type { Consumption, IndexEntry } from "../model/store-index.js";
import { renderJson } from "../render/render-json.js";
import { renderMarkdown } from "../render/render-markdown.js";
import type { TemplateOverrides } from "../render/templates.js";
import { cutText } from "../text/cut.js";
import { sha256Hex } from "../text/digest.js";

/** What a packet's life changes in its files. */
export type Lifecycle = Pick<HandoffPacket, "status" | "supersedes" | "superseded_by">;

/** Longest `next_action` in the index, in bytes. */
const MAX_NEXT_ACTION = 300;

export function hasLifecycle(packet: Lifecycle, life: Lifecycle): boolean {
  return (
    packet.status === life.status &&
    packet.supersedes === life.supersedes &&
    packet.superseded_by === life.superseded_by
  );
}

/** The packet with this life, and the bytes of both its files. */
export function withLifecycle(
  packet: HandoffPacket,
  { status, supersedes, superseded_by }: Lifecycle,
  templates?: TemplateOverrides,
): GeneratedHandoff {
  const changed = { ...packet, status, supersedes, superseded_by };
  const json = renderJson(changed);
  const markdown = renderMarkdown(changed, {
    jsonSha256: sha256Hex(json),
    ...(templates === undefined ? {} : { overrides: templates }),
  });
  return { packet: changed, json, markdown };
}

/** What the index keeps of a packet besides. */
export interface EntryFacts {
  readonly path: string;
  readonly json_sha256: string;
  readonly sequence: number;
  readonly consumed_by: readonly Consumption[];
}

/** A packet's row in the index, its keys in the order in which they are written. */
export function entryOf(packet: HandoffPacket, facts: EntryFacts): IndexEntry {
  const { packet_id, session_id, branch, topic, task_id, status } = packet;
  const { generated_at, next_action, supersedes, superseded_by } = packet;
  return {
    packet_id,
    session_id,
    branch,
    topic,
    task_id,
    status,
    path: facts.path,
    generated_at,
    next_action: cutText(next_action.replaceAll(/\s+/gu, " "), MAX_NEXT_ACTION),
    supersedes,
    superseded_by,
    json_sha256: facts.json_sha256,
    sequence: facts.sequence,
    consumed_by: [...facts.consumed_by],
  };
}
