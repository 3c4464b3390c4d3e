// What only Gemini CLI can tell of hooks that are installed: whether they are switched off, and whether the folder is trusted.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { parseJson } from "../../text/parse-json.js";
import type { HookFinding, InstalledHooks, SettingsPlace } from "../agent-settings.js";
import { fieldsAt, isFields, type Fields } from "../payload-fields.js";
import { geminiSettings } from "./settings.js";

const COMMENT = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//gu;

/** A settings file's content; an empty object where there is none that can be read. */
async function readSettings(file: string): Promise<Fields> {
  const read = await readArtifactFile(null, file);
  if (read.status !== "read") return {};
  const parsed = parseJson(read.text.replaceAll(COMMENT, (_, text: string | undefined) => text ?? " "));
  return parsed.ok && isFields(parsed.value) ? parsed.value : {};
}

function examineSwitches(file: string, settings: Fields): HookFinding[] {
  const { enabled, disabled } = fieldsAt(settings, "hooksConfig");
  const names = (Array.isArray(disabled) ? disabled : []).filter(
    (name): name is string => typeof name === "string" && name.startsWith("handoff-"),
  );
  return [
    ...(enabled === false
      ? [
          {
            ok: false,
            what: `hooks are switched off in ${file}`,
            hint: "take hooksConfig.enabled out there, or use /hooks enable-all",
          },
        ]
      : []),
    ...(names.length > 0
      ? [
          {
            ok: false,
            what: `switched off in ${file}: ${names.join(", ")}`,
            hint: "use /hooks enable with each name",
          },
        ]
      : []),
  ];
}

/** Whether the rule that names the folder, or the longest one that holds it, trusts it; null: none does either. */
async function isTrusted(rules: Fields, root: string): Promise<boolean | null> {
  let longest = -1;
  let trusted: boolean | null = null;
  for (const [rule, level] of Object.entries(rules)) {
    const named = level === "TRUST_PARENT" ? path.dirname(rule) : rule;
    const folder = await realpath(named).catch(() => named);
    const way = path.relative(folder, root);
    if (way.startsWith("..") || path.isAbsolute(way) || rule.length <= longest) continue;
    longest = rule.length;
    trusted = level === "TRUST_FOLDER" || level === "TRUST_PARENT";
  }
  return trusted;
}

async function examineTrust(user: Fields, folder: string, root: string): Promise<HookFinding | null> {
  if (fieldsAt(fieldsAt(user, "security"), "folderTrust")["enabled"] === false) return null;
  const trusted = await isTrusted(await readSettings(path.join(folder, "trustedFolders.json")), root);
  if (trusted === true) return { ok: true, what: "this folder is trusted", hint: null };
  return {
    ok: trusted,
    what:
      trusted === null
        ? "nobody has said yet whether this folder is trusted"
        : "this folder is not trusted: Gemini CLI reads none of its settings",
    hint: "start gemini here and trust the folder (without a terminal: gemini --skip-trust)",
  };
}

/** Looks at the switches in all settings, and at the trust that hooks of a project need. */
export async function examineGemini(
  installed: readonly InstalledHooks[],
  place: SettingsPlace,
): Promise<readonly HookFinding[]> {
  const folders = {
    user: geminiSettings.folder("user", place),
    project: geminiSettings.folder("project", place),
  };
  const [user, project] = await Promise.all(
    [folders.user, folders.project].map((folder) => readSettings(path.join(folder, "settings.json"))),
  );
  const trust = installed.some(({ scope }) => scope === "project")
    ? await examineTrust(user ?? {}, folders.user, place.root)
    : null;
  return [
    ...(trust === null ? [] : [trust]),
    ...examineSwitches(path.join(folders.user, "settings.json"), user ?? {}),
    ...examineSwitches(path.join(folders.project, "settings.json"), project ?? {}),
  ];
}
