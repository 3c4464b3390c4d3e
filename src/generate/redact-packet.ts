// The gate behind the packet (S13): what was built or edited passes it once more, and its marks are counted.
import type { HandoffPacket } from "../model/packet.js";
import { packetId } from "../packet/packet-id.js";
import type { Redactor } from "../redact/create-redactor.js";

/** Every mark in a text; its kind is in the first group. */
const MARK = /\[redacted:([a-z0-9-]+)\]/gu;

/** How many marks of each kind stand in the packet, whatever the budget left out. */
function countMarks(packet: HandoffPacket): Record<string, number> {
  const counts: Record<string, number> = {};
  const text = JSON.stringify({ ...packet, redactions: {} });
  for (const [, kind = ""] of text.matchAll(MARK)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function isSame(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const kinds = Object.keys(a);
  return kinds.length === Object.keys(b).length && kinds.every((kind) => a[kind] === b[kind]);
}

/** Fields whose values the schema names or shapes, so that no text from outside stands in them: a mark would be a fault. */
const SHAPED = new Set([
  "schema_version",
  "packet_id",
  "supersedes",
  "superseded_by",
  "carried_from",
  "id",
  "status",
  "generated_at",
  "last_at",
  "at",
  "handoff_reason",
  "severity",
  "kind",
  "change",
  "rule",
  "outcome",
  "operation",
  "base_commit",
  "sha",
  "sha256",
]);
/** At the top of the packet: ids that were refused before if they are secrets, and the branch, which has its own gate. */
const NAMES = new Set(["session_id", "task_id", "topic", "branch", "head_commit", "last_known_good_commit"]);
const OUR_LISTS = new Set(["redactions", "carried_forward"]);

function isOurs(path: readonly string[]): boolean {
  const [first = ""] = path;
  if (path.length === 1 && (NAMES.has(first) || OUR_LISTS.has(first))) return true;
  if (first === "open_risks" && path.at(-1) === "code") return true;
  return SHAPED.has(path.at(-1) ?? "");
}

/**
 * The packet passes the gate once more, since cleaning, cutting and joining texts can lay open what could not be seen
 * before; in nearly every case only the counts change.
 */
export function redactPacket(packet: HandoffPacket, redactor: Redactor): HandoffPacket {
  const { value } = redactor.redactStrings(packet, { skip: isOurs });
  const redactions = countMarks(value);
  // Nothing was found and nothing is counted otherwise: the content is what its id was made of.
  if (value === packet && isSame(redactions, packet.redactions)) return packet;
  const counted = { ...value, redactions };
  return { ...counted, packet_id: packetId(counted) };
}
