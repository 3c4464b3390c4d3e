// The last line of handoff.md: which packet it renders and the digest of that packet's JSON bytes (P39).
// Written by code behind the template's output, so neither a template nor a text can forge or lose it.
import type { HandoffPacket } from "../model/packet.js";

/** What the stamp says. */
export interface MarkdownStamp {
  readonly packet_id: string;
  /** SHA-256 of the bytes of handoff.json, lower-case hex. */
  readonly sha256: string;
}

const STAMP = /(?:^|\n)<!-- handoff-packet (hp_[0-9a-f]{16}) sha256:([0-9a-f]{64}) -->\s*$/u;

/** The stamp's line, without a newline. */
export function renderStamp(packet: HandoffPacket, jsonSha256: string): string {
  return `<!-- handoff-packet ${packet.packet_id} sha256:${jsonSha256} -->`;
}

/** Reads the stamp from the end of a Markdown text; null when the last line is not one. */
export function readMarkdownStamp(markdown: string): MarkdownStamp | null {
  const [, packet_id, sha256] = STAMP.exec(markdown.slice(-400)) ?? [];
  return packet_id === undefined || sha256 === undefined ? null : { packet_id, sha256 };
}
