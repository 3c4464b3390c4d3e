// What a lock file says: its owner in the first line, then what the owner is about to touch, a line at a time. Only ever
// appended to, so a reader sees whole lines or ignores the last one.
import type { ProcessIdentity } from "../io/process-identity.js";
import { parseJson } from "../text/parse-json.js";

/** A lock file's content. `owner` null: empty or not ours, so nothing is known about who wrote it. */
export interface LockText {
  readonly token: string | null;
  readonly owner: ProcessIdentity | null;
  /** Folders relative to the store's root. */
  readonly announced: readonly string[];
}

export function renderOwner(token: string, owner: ProcessIdentity): string {
  return `${JSON.stringify({ token, ...owner })}\n`;
}

export function renderAnnouncement(folders: readonly string[]): string {
  return `${JSON.stringify(folders)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(line: string): Fields | null {
  const parsed = parseJson(line, 4);
  const value = parsed.ok ? parsed.value : null;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function ownerOf(fields: Fields): ProcessIdentity | null {
  const { pid, host, machine, started } = fields;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof host !== "string" || typeof machine !== "string") return null;
  return { pid, host, machine, started: typeof started === "string" ? started : null };
}

function foldersOf(line: string): string[] {
  const parsed = parseJson(line, 4);
  const value: unknown = parsed.ok ? parsed.value : null;
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** Never throws. */
export function parseLock(text: string): LockText {
  const [first = "", ...rest] = text.split("\n").slice(0, -1);
  const fields = fieldsOf(first);
  const token = fields?.["token"];
  return {
    token: typeof token === "string" && /^[0-9a-f]{16}$/u.test(token) ? token : null,
    owner: fields === null ? null : ownerOf(fields),
    announced: rest.filter((line) => line !== "").flatMap(foldersOf),
  };
}
