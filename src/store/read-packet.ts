// Reads a handoff.json from the store and says what it is: a packet of ours, one that somebody changed, or something else.
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asReadError } from "../io/write-atomic.js";
import type { HandoffPacket } from "../model/packet.js";
import { packetId } from "../packet/packet-id.js";
import { parseJson } from "../text/parse-json.js";
import { mendPacket } from "./mend-packet.js";
import { checkPacketValue } from "./validate-packet.js";

/** Largest handoff.json that is read: four times the largest that can be asked for. */
const MAX_PACKET_BYTES = 64 * 1024 * 1024;

/** A publication reads the same few files several times; what the same bytes are need not be found out again. */
const judged = new Map<string, PacketFile>();
/** Files whose bytes are those that were published. */
const published = new Map<string, PacketFile>();
const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 1024 * 1024;

function keep(files: Map<string, PacketFile>, sha256: string, file: PacketFile, bytes: number): PacketFile {
  if (bytes > MAX_KEPT_BYTES) return file;
  if (files.size >= MAX_KEPT) files.clear();
  files.set(sha256, file);
  return file;
}

/** What stands at a packet's path. Times and modes play no part. */
export type PacketFile =
  | { readonly status: "missing" }
  /** Not made by us: never to be overwritten. */
  | {
      readonly status: "foreign";
      readonly reason: string;
      /** The system's code when it could not be read at all, so that nothing is known about it. */
      readonly unreadable?: string;
      /** What it holds, where that is a text: it can be kept. */
      readonly found?: { readonly text: string; readonly sha256: string };
    }
  /** Made by us, then changed, or made by another version: it names a packet id but does not validate. */
  | {
      readonly status: "invalid";
      readonly reason: string;
      readonly text: string;
      readonly sha256: string;
      /** The packet it is but for the ids of rows that somebody wrote by hand; null: more is wrong. */
      readonly mended: HandoffPacket | null;
    }
  | {
      readonly status: "packet";
      readonly packet: HandoffPacket;
      readonly text: string;
      readonly sha256: string;
      /** False when the content is not what `packet_id` was computed from. */
      readonly id_matches: boolean;
    };

function looksLikeOurs(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (!("packet_id" in value) || !("schema_version" in value)) return false;
  return typeof value.packet_id === "string" && /^hp_[0-9a-f]{16}$/u.test(value.packet_id);
}

/** Throws UsageError when a packet's file is there but could not be read: what is changed must be known. */
export function assertKnown(file: PacketFile, target: string): void {
  if (file.status === "foreign" && file.unreadable !== undefined) throw asReadError(file.unreadable, target);
}

/**
 * Reads the handoff.json at `file`, a path below `folder` (real path). Never throws for what is on disk.
 * @param digest of what was published there, by the index: the same bytes need not be checked a second time. Not for a caller
 *   that goes on with what the packet says.
 */
export async function readPacketFile(
  folder: string,
  file: string,
  digest: string | null = null,
): Promise<PacketFile> {
  const read = await readArtifactFile(folder, file, MAX_PACKET_BYTES);
  if (read.status === "missing") return { status: "missing" };
  if (read.status === "not_regular") return { status: "foreign", reason: `it is a ${read.kind}, not a file` };
  if (read.status === "outside_root") return { status: "foreign", reason: "it is a link that leads outside" };
  if (read.status === "too_large") return { status: "foreign", reason: `it has ${read.bytes} bytes` };
  if (read.status === "unreadable")
    return { status: "foreign", reason: `it cannot be read (${read.reason})`, unreadable: read.reason };
  const { text, sha256, bytes } = read;
  const known = judged.get(sha256) ?? (sha256 === digest ? published.get(sha256) : undefined);
  if (known !== undefined) return known;
  if (sha256 === digest) {
    const packet = parsePublished(text);
    if (packet !== null)
      return keep(published, sha256, { status: "packet", packet, text, sha256, id_matches: true }, bytes);
  }
  return keep(judged, sha256, judge(text, sha256), bytes);
}

/** Bytes that passed all checks when they were published. Null: they cannot have. */
function parsePublished(text: string): HandoffPacket | null {
  try {
    const value: unknown = JSON.parse(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the very bytes were validated before they were written
    return looksLikeOurs(value) ? (value as HandoffPacket) : null;
  } catch {
    return null;
  }
}

/** What a text is, by what it says alone. */
function judge(text: string, sha256: string): PacketFile {
  const parsed = parseJson(text);
  if (!parsed.ok)
    return { status: "foreign", reason: `it is not JSON: ${parsed.reason}`, found: { text, sha256 } };
  const checked = checkPacketValue(parsed.value);
  if (checked.ok)
    return {
      status: "packet",
      packet: checked.packet,
      text,
      sha256,
      id_matches: packetId(checked.packet) === checked.packet.packet_id,
    };
  const { reason } = checked;
  if (looksLikeOurs(parsed.value))
    return { status: "invalid", reason, text, sha256, mended: mendPacket(parsed.value) };
  return { status: "foreign", reason: `it is no packet: ${reason}`, found: { text, sha256 } };
}
