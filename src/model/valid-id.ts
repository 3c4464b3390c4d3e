// Which session, task and topic ids are allowed (P43): they become folder names, so nothing that could climb out of one.
// Apart from ids.ts, which needs zod: start-up counts in hooks.

/** Characters and length of an id. */
export const ID_PATTERN = /^(?!\.)[A-Za-z0-9._-]{1,128}$/;
/** Words that stand for "no id" in the wild; as an id they would make unrelated sessions overwrite each other. */
const PLACEHOLDER_IDS = new Set(["current", "default", "unknown", "null", "undefined", "none"]);

/** True for an id that may name a session, task or topic: `[A-Za-z0-9._-]{1,128}`, no leading dot, no placeholder. */
export function isValidId(id: string): boolean {
  return ID_PATTERN.test(id) && !PLACEHOLDER_IDS.has(id.toLowerCase());
}
