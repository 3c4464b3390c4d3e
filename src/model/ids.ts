// Which session, task and topic ids are allowed (P43): they become folder names, so nothing that could climb out of one.
import { z } from "zod";

const ID_PATTERN = /^(?!\.)[A-Za-z0-9._-]{1,128}$/;
/** Words that stand for "no id" in the wild; as an id they would make unrelated sessions overwrite each other. */
const PLACEHOLDER_IDS = new Set(["current", "default", "unknown", "null", "undefined", "none"]);

/** True for an id that may name a session, task or topic: `[A-Za-z0-9._-]{1,128}`, no leading dot, no placeholder. */
export function isValidId(id: string): boolean {
  return ID_PATTERN.test(id) && !PLACEHOLDER_IDS.has(id.toLowerCase());
}

/** Schema of such an id, for our own files. */
export const idSchema = z.string().regex(ID_PATTERN);
/** A full commit hash: 40 hex (SHA-1) or 64 hex (SHA-256 repositories), lower case. */
export const commitHashSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
/** SHA-256 in lower-case hex. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
/** Milliseconds since the epoch, rendered as ISO 8601 in UTC with milliseconds. */
export const isoTimeSchema = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
/** A time as others may write it: ISO 8601 with an offset. */
export const offsetTimeSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/);
