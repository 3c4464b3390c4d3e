// What only Claude Code can tell of what is installed: whether it is a version that knows our hooks, whether hooks are switched
// off, and whether a person has approved the tools.
import path from "node:path";
import { findPrograms } from "../../io/find-program.js";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { runProcess } from "../../io/run-process.js";
import { parseJson } from "../../text/parse-json.js";
import { PLUGIN_TOO, type HookFinding, type InstalledHooks, type SettingsPlace } from "../agent-settings.js";
import { fieldsAt, isFields, type Fields } from "../payload-fields.js";
import { claudeCodeSettings } from "./settings.js";

/** Older ones skip events that they do not know, PostToolUseFailure among them. */
const SINCE = [2, 1] as const;

async function examineVersion({ root, env }: SettingsPlace): Promise<HookFinding> {
  const [program] = findPrograms("claude", env);
  if (program === undefined) return { ok: null, what: "claude is not on PATH", hint: null };
  const run = await runProcess(program, ["--version"], {
    cwd: root,
    env: { ...env },
    timeoutMs: 10_000,
    maxBytes: 4096,
  });
  const told = /(\d+)\.(\d+)\.(\d+)/u.exec(run.stdout.toString("utf8"));
  if (told === null) return { ok: null, what: "claude --version tells no version", hint: null };
  const [version, major, minor] = [told[0], Number(told[1]), Number(told[2])];
  const isKnown = major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
  return {
    ok: isKnown,
    what: isKnown ? `claude ${version}` : `claude ${version} is older than ${SINCE.join(".")}`,
    hint: isKnown ? null : "update it: older versions do not run all of the hooks",
  };
}

/** All settings that count here, as far as they can be read, with their files. */
async function readSettings(place: SettingsPlace): Promise<{ file: string; fields: Fields }[]> {
  const { folder } = claudeCodeSettings;
  const files = [
    path.join(folder("user", place), "settings.json"),
    path.join(folder("project", place), "settings.json"),
    path.join(folder("project", place), "settings.local.json"),
  ];
  const found: { file: string; fields: Fields }[] = [];
  for (const file of files) {
    const read = await readArtifactFile(null, file);
    const parsed = read.status === "read" ? parseJson(read.text) : null;
    if (parsed?.ok === true && isFields(parsed.value)) found.push({ file, fields: parsed.value });
  }
  return found;
}

/** What the files in which a person may switch all hooks off, or our plugin on, say of it. */
async function examineSwitches(place: SettingsPlace): Promise<HookFinding[]> {
  const findings: HookFinding[] = [];
  for (const { file, fields } of await readSettings(place)) {
    const plugins = fieldsAt(fields, "enabledPlugins");
    if (Object.entries(plugins).some(([id, on]) => on === true && id.startsWith("handoff@")))
      findings.push(PLUGIN_TOO);
    if (fields["disableAllHooks"] === true)
      findings.push({
        ok: false,
        what: `disableAllHooks is set in ${file}: Claude Code runs no hook`,
        hint: "take it out there",
      });
  }
  return findings;
}

/** What a person answered when they were asked about the tools of the project's .mcp.json; a session without a screen asks nobody. */
export async function examineApproval(name: string, place: SettingsPlace): Promise<HookFinding> {
  const settings = await readSettings(place);
  const names = (fields: Fields, key: string): boolean => {
    const list = fields[key];
    return Array.isArray(list) && list.includes(name);
  };
  const refused = settings.find(({ fields }) => names(fields, "disabledMcpjsonServers"));
  if (refused !== undefined)
    return {
      ok: null,
      what: `the tools of .mcp.json were refused: disabledMcpjsonServers in ${refused.file}`,
      hint: "take it out there to be asked again, or leave the tools out: handoff init --uninstall, then handoff init --no-mcp",
    };
  const isApproved = settings.some(
    ({ fields }) => fields["enableAllProjectMcpServers"] === true || names(fields, "enabledMcpjsonServers"),
  );
  if (isApproved) return { ok: true, what: "the tools of .mcp.json are approved", hint: null };
  return {
    ok: null,
    what: "the tools of .mcp.json are not approved yet: Claude Code leaves them out",
    hint: "start claude here once and say yes when it asks",
  };
}

/** Looks at the version and the switch. */
export async function examineClaudeCode(
  _installed: readonly InstalledHooks[],
  place: SettingsPlace,
): Promise<readonly HookFinding[]> {
  return [await examineVersion(place), ...(await examineSwitches(place))];
}
