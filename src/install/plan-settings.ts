// What becomes of one settings file: its text before, its text after, and what is to be remembered. Pure (A1).
import type { AgentSettings, HooksForm } from "../agents/agent-settings.js";
import { UsageError } from "../model/errors.js";
import { parseJson } from "../text/parse-json.js";
import { isOwnHook } from "./hook-command.js";
import type { RecordEntry } from "./install-record.js";
import { blankComments, firstCommentLine } from "./json-comments.js";
import {
  mergeHooks,
  newHooksText,
  readOurHooks,
  removeHooks,
  type HooksFile,
  type OurHook,
  type WantedHook,
} from "./merge-hooks.js";

/** A file's text as it is and as it shall be. */
export interface TextPlan {
  /** null: there is no file. */
  readonly before: string | null;
  /** null: there shall be none. */
  readonly after: string | null;
  /** Kept until it is uninstalled. */
  readonly entry: RecordEntry;
}

/** An agent's settings file, and what it holds. */
export interface SettingsFile {
  readonly agent: AgentSettings;
  /** For errors and the record. */
  readonly path: string;
  readonly text: string | null;
}

const isBlank = (text: string): boolean => /^[\s\ufeff]*$/u.test(text);

function hooksFile({ agent, path }: SettingsFile, form: HooksForm): HooksFile {
  return {
    path,
    allowsComments: form.allowsComments,
    isOurs: (command) => isOwnHook(command, agent.name),
  };
}

/** Throws UsageError for a text that is not the JSON its agent reads. */
export function checkJson(
  source: string,
  path: string,
  { allowsComments, ifIgnored }: Pick<HooksForm, "allowsComments" | "ifIgnored">,
): void {
  const parsed = parseJson(allowsComments ? blankComments(source) : source);
  if (parsed.ok) return;
  const line = firstCommentLine(source);
  const isCommented = line !== null && parseJson(blankComments(source)).ok;
  throw new UsageError(
    "settings.not_json",
    isCommented
      ? `it has a comment or a trailing comma, so it stays as it is; ${ifIgnored}`
      : `it is no valid JSON (${parsed.reason}), so it stays as it is; ${ifIgnored}`,
    "mend it by hand, then run this again",
    { path, line: isCommented ? line : parsed.line },
  );
}

function wantedHooks({ form }: AgentSettings, program: string): readonly WantedHook[] {
  if (form.kind !== "hooks") return [];
  return form.hooks.map(({ event, matcher, fields }) => ({
    event,
    matcher,
    handler: { type: "command", command: `${program} ${event}${form.guard}`, ...fields },
  }));
}

/** Hooks of ours in a settings file. Throws UsageError for a file that cannot be read as settings. */
export function hooksIn(settings: SettingsFile): readonly OurHook[] {
  const { form } = settings.agent;
  if (form.kind !== "hooks" || settings.text === null || isBlank(settings.text)) return [];
  checkJson(settings.text, settings.path, form);
  return readOurHooks(settings.text, hooksFile(settings, form));
}

function planHooks(settings: SettingsFile, form: HooksForm, program: string, entry: RecordEntry): TextPlan {
  const wanted = wantedHooks(settings.agent, program);
  const { text, path } = settings;
  const ignored = text === null ? null : form.whyIgnored(text);
  if (ignored !== null)
    throw new UsageError(
      "settings.ignored",
      `${ignored}, so it stays as it is; ${form.ifIgnored}`,
      "mend it by hand, then run this again",
      { path },
    );
  if (text === null) return { before: null, after: newHooksText(wanted, ""), entry: {} };
  if (isBlank(text)) return { before: text, after: newHooksText(wanted, text), entry: { text } };
  const file = hooksFile(settings, form);
  // Without hooks of ours what is remembered is of a time before somebody took them out by hand.
  const known = hooksIn(settings).length > 0 ? entry : {};
  const merged = mergeHooks(text, wanted, file, known.empty);
  const isBare = /^\ufeff?\s*\{\s*\}\s*$/u.test(form.allowsComments ? blankComments(text) : text);
  return {
    before: text,
    after: merged.text,
    entry: {
      ...known,
      ...(isBare ? { text } : {}),
      ...(Object.keys(merged.empty).length > 0 ? { empty: merged.empty } : {}),
    },
  };
}

/**
 * Installs: our hooks in the settings, or our file.
 * @param program the words that call us for this agent, quoted
 * @param entry what an earlier installation remembered
 * @throws UsageError for a file that cannot be changed without damage
 */
export function planInstall(settings: SettingsFile, program: string, entry: RecordEntry): TextPlan {
  const { form } = settings.agent;
  const { text, path } = settings;
  if (form.kind === "hooks") return planHooks(settings, form, program, entry);
  if (text !== null && !form.isOurs(text))
    throw new UsageError(
      "settings.foreign_file",
      "a file that is not ours has the name of ours, so it stays as it is",
      "move it away, then run this again",
      { path },
    );
  return { before: text, after: form.text(program), entry: text === null ? {} : entry };
}

/** Uninstalls: what is ours goes, and what was there before it is there again. Throws UsageError as {@link planInstall}. */
export function planRemoval(settings: SettingsFile, entry: RecordEntry): TextPlan {
  const { form } = settings.agent;
  const { text } = settings;
  const unchanged = { before: text, after: text, entry: {} };
  // What cannot hold a command of ours need not be readable as settings either.
  if (text === null || !/handoff|main\.js/u.test(text)) return unchanged;
  if (form.kind === "own_file") return form.isOurs(text) ? { ...unchanged, after: null } : unchanged;
  if (hooksIn(settings).length === 0) return unchanged;
  const left = removeHooks(text, hooksFile(settings, form), entry.empty ?? {});
  return { before: text, after: left.isEmpty ? (entry.text ?? null) : left.text, entry: {} };
}
