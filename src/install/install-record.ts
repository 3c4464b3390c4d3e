// What uninstalling cannot tell from a file itself: an empty file, object or list that was there before ours went in, folders
// that were made. Most installations leave nothing to remember, and then there is no record.
import os from "node:os";
import path from "node:path";
import type { SettingsPlace, SettingsScope } from "../agents/agent-settings.js";
import { isFields } from "../agents/payload-fields.js";
import { jsonText } from "../text/json-text.js";
import { parseJson } from "../text/parse-json.js";
import type { EmptyContainers } from "./merge-hooks.js";

/** What is remembered of one file. */
export interface RecordEntry {
  /** The whole text it had, where that was nothing, white space or an empty object. Absent: there was no file, or more than that. */
  readonly text?: string;
  /** Containers that were empty. */
  readonly empty?: EmptyContainers;
  /** How many folders were made for it. Absent: as many as its agent's settings usually need, if the file was made. */
  readonly folders?: number;
}

/** By file: relative to the workbench with forward slashes, absolute where it lies outside. */
export type InstallRecord = Readonly<Record<string, RecordEntry>>;

/** Absolute path of the record. In a home it lies where programs keep their state: a `.handoff` there would make it a workbench. */
export function recordPath(scope: SettingsScope, { root, home, env }: SettingsPlace): string {
  if (scope === "project") return path.join(root, ".handoff", "install.json");
  const state =
    env["XDG_STATE_HOME"] ||
    (os.platform() === "win32" ? env["LOCALAPPDATA"] : undefined) ||
    path.join(home, ".local/state");
  return path.join(state, "handoff", "install.json");
}

/**
 * The folder that no link may lead the record out of (P43); null: any. A project's comes with its repository, from whoever
 * wrote that.
 */
export function recordBase(scope: SettingsScope, { root }: SettingsPlace): string | null {
  return scope === "project" ? root : null;
}

/** The name a record has for a file. */
export function recordKey(file: string, root: string): string {
  const way = path.relative(root, file);
  return (way.startsWith("..") || path.isAbsolute(way) ? file : way).replaceAll(path.sep, "/");
}

function entryOf(value: unknown): RecordEntry {
  if (!isFields(value)) return {};
  const { text, empty, folders } = value;
  const texts = isFields(empty)
    ? Object.fromEntries(
        Object.entries(empty).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
      )
    : {};
  return {
    ...(typeof text === "string" ? { text } : {}),
    ...(Object.keys(texts).length > 0 ? { empty: texts } : {}),
    ...(typeof folders === "number" && Number.isInteger(folders) && folders >= 0 ? { folders } : {}),
  };
}

/** A record's text, read. One that is damaged remembers nothing. */
export function parseRecord(text: string | null): InstallRecord {
  const parsed = text === null ? null : parseJson(text);
  const files = parsed?.ok === true && isFields(parsed.value) ? parsed.value["files"] : null;
  return isFields(files)
    ? Object.fromEntries(Object.entries(files).map(([file, entry]) => [file, entryOf(entry)]))
    : {};
}

/** A record's text; null when there is nothing to remember. */
export function recordText(record: InstallRecord): string | null {
  const files = Object.fromEntries(
    Object.entries(record)
      .filter(([, entry]) => Object.keys(entry).length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  return Object.keys(files).length === 0 ? null : `${jsonText({ schema_version: 1, files })}\n`;
}
