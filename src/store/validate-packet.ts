// Is this a packet? Answered by the published schema, on the value the bytes on disk hold.
import type { HandoffPacket } from "../model/packet.js";
import { parseJson } from "../text/parse-json.js";
import { handoffCheck } from "./compiled-schema.js";

/** A packet, or the first reason why it is none. */
export type CheckedPacket =
  | { readonly ok: true; readonly packet: HandoffPacket }
  | { readonly ok: false; readonly reason: string };

function isPacket(value: unknown): value is HandoffPacket {
  return handoffCheck()(value);
}

/** Checks a parsed value against schemas/handoff.schema.json. `reason` names the field as a JSON pointer. */
export function checkPacketValue(value: unknown): CheckedPacket {
  if (isPacket(value)) return { ok: true, packet: value };
  const first = handoffCheck().errors?.[0];
  const key: unknown = first?.params["additionalProperty"];
  const detail = typeof key === "string" ? ` (${key})` : "";
  const place = first?.instancePath === "" ? "the packet" : (first?.instancePath ?? "the packet");
  return { ok: false, reason: `${place} ${first?.message ?? "is not valid"}${detail}` };
}

/** What we wrote ourselves is no deeper than a packet is: what {@link parseJson} looks at first need not be looked at. */
function parseOwn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    const parsed = parseJson(json);
    throw new Error(`the packet to be written is not JSON: ${parsed.ok ? "" : parsed.reason}`);
  }
}

/**
 * Checks the very bytes about to be written. Throws a plain Error when they are no packet: that is a bug of ours
 * (exit 70), never a fault of the input.
 */
export function assertPacketBytes(json: string): void {
  const checked = checkPacketValue(parseOwn(json));
  if (!checked.ok) throw new Error(`the packet to be written does not validate: ${checked.reason}`);
}
