// Hashes and canonical JSON (RFC 8785): pure functions of their input.
import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/** SHA-256 in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  // In one call: no stream is made for it, which takes longer than digesting a small file.
  return hash("sha256", data, "hex");
}

/** RFC 8785 canonical JSON of a JSON value. Throws for values JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("not a JSON value");
  return text;
}

/** The id of an item (P33): first 8 hex of SHA-256 of its kind and text. */
export function itemId(kind: string, text: string): string {
  return sha256Hex(`${kind}\n${text}`).slice(0, 8);
}
