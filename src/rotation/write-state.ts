// What a session said in its writing turn, or what is said for it, goes into its own agent_state.json (R17): its fields are
// replaced, its lists grow, and everything else in the file stays.
import path from "node:path";
import { HANDOFF_FOLDER } from "../io/handoff-folder.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { writeAtomic } from "../io/write-atomic.js";
import { makeSessionFolder, rootOf } from "../recorder/session-folder.js";
import type { Redactor } from "../redact/create-redactor.js";
import { withStoreLock } from "../store/store-lock.js";
import { cleanText } from "../text/clean.js";
import { parseJson } from "../text/parse-json.js";
import type { WrittenState } from "./state-from-sections.js";

const NAME = "agent_state.json";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const whatOf = (item: unknown): unknown => (isObject(item) ? item["what"] : item);

/** The old items, then those that are not among them. */
function joined(before: unknown, added: readonly { readonly what: string }[]): unknown[] {
  const known = new Set(listOf(before).map(whatOf));
  return [...listOf(before), ...added.filter(({ what }) => !known.has(what))];
}

/**
 * Writes it.
 * @param folder `.handoff/sessions/<session_id>`, absolute
 * Throws UsageError for what the system refuses. A file that is no JSON object is replaced: nothing in it could be read.
 */
export async function writeState(
  folder: string,
  written: Partial<WrittenState> & {
    /** Ids of what is done with. */
    readonly resolved?: readonly string[];
  },
  { redactor, now }: { readonly redactor: Redactor; readonly now: Date },
): Promise<void> {
  makeSessionFolder(folder);
  // Under the lock that notes are written under: the agent may note something this very moment.
  const locked = path.join(rootOf(folder), HANDOFF_FOLDER);
  await withStoreLock(locked, {}, () => replaceState(folder, written, { redactor, now }));
}

async function replaceState(
  folder: string,
  written: Parameters<typeof writeState>[1],
  { redactor, now }: Parameters<typeof writeState>[2],
): Promise<void> {
  const file = path.join(folder, NAME);
  const read = await readArtifactFile(folder, file);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  const before = parsed?.ok === true && isObject(parsed.value) ? parsed.value : {};
  const { doing = null, next_action = null, resolved = [] } = written;
  const clean = redactor.redactStrings({
    ...(doing === null ? {} : { doing: cleanText(doing) }),
    ...(next_action === null ? {} : { next_action: cleanText(next_action) }),
    decisions: (written.decisions ?? []).map(({ what, why }) => ({ what: cleanText(what), why })),
    dead_ends: (written.dead_ends ?? []).map(({ what, why }) => ({ what: cleanText(what), why })),
    scene: (written.scene ?? []).map(cleanText),
  }).value;
  const { decisions, dead_ends, scene, ...words } = clean;
  const state = {
    schema_version: 1,
    session_id: path.basename(folder),
    ...before,
    ...words,
    ...(decisions.length === 0 ? {} : { decisions: joined(before["decisions"], decisions) }),
    ...(dead_ends.length === 0 ? {} : { dead_ends: joined(before["dead_ends"], dead_ends) }),
    ...(scene.length === 0 ? {} : { scene }),
    ...(resolved.length === 0
      ? {}
      : { resolved: [...new Set([...listOf(before["resolved"]), ...resolved])] }),
    updated_at: now.toISOString(),
  };
  await writeAtomic(file, `${JSON.stringify(state, null, 2)}\n`, { base: rootOf(folder) });
}
