// Schemas of the identifiers and times in our own files. The rule for ids itself is in valid-id.ts.
import { z } from "zod";
import { ID_PATTERN } from "./valid-id.js";

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
