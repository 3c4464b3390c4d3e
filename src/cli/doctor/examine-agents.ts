// Whether the agents' hooks and tools are there, whole, and run: the settings as they are on disk, the program that they call, and what
// only the agent itself can tell.
import path from "node:path";
import type {
  AgentSettings,
  HookFinding,
  SettingsPlace,
  SettingsScope,
} from "../../agents/agent-settings.js";
import { AGENT_SETTINGS } from "../../agents/settings-registry.js";
import { detectAgents } from "../../install/detect-agents.js";
import { ownWords } from "../../install/hook-command.js";
import { serversIn } from "../../install/plan-servers.js";
import { hooksIn, planInstall, type SettingsFile } from "../../install/plan-settings.js";
import { readText } from "../../install/read-text.js";
import { findPrograms } from "../../io/find-program.js";
import { runProcess } from "../../io/run-process.js";
import { HandoffError } from "../../model/errors.js";
import { quoteWord, splitPlainWords } from "../../text/shell-words.js";
import { settingsPlace } from "../init/settings-place.js";
import { ownVersion } from "../own-version.js";
import type { Terminal } from "../terminal.js";

/** Hooks of ours in one settings file. */
interface InstalledRow {
  readonly scope: SettingsScope;
  /** Absolute. */
  readonly path: string;
  readonly hooks: number;
  /** Events that lack theirs. */
  readonly missing: readonly string[];
  /** How they call us, without the event. */
  readonly program: string | null;
}

/** A tool server of ours in one settings file. */
interface ToolsRow {
  readonly scope: SettingsScope;
  /** Absolute. */
  readonly path: string;
  /** What the agent calls it. */
  readonly name: string;
  /** The words that call us. */
  readonly program: readonly string[];
}

/** What is known of one agent's hooks and tools. */
export interface AgentHealth {
  readonly agent: string;
  readonly title: string;
  readonly in_use: boolean;
  readonly installed: readonly InstalledRow[];
  readonly tools: readonly ToolsRow[];
  readonly findings: readonly HookFinding[];
}

const TIMEOUT_MS = 10_000;
const REINSTALL = "run handoff init again";

const bad = (what: string, hint: string | null): HookFinding => ({ ok: false, what, hint });

/** Our words in front of an event's name, as they stand in a command. */
function programIn(command: string, agent: string): string | null {
  const at = command.indexOf(` hook ${agent}`);
  return at === -1 ? null : command.slice(0, at);
}

/** Who calls us, and by which words. */
interface Caller {
  readonly words: readonly string[];
  readonly who: "hooks" | "tools";
}

/** The words of what hooks call. */
function wordsOf(program: string, agent: string): readonly string[] {
  return splitPlainWords(program) ?? ownWords(`${program} hook ${agent}`, agent) ?? [program];
}

/** Runs what the hooks or tools call, asking for its version only. */
async function examineProgram({ words, who }: Caller, { root, env }: SettingsPlace): Promise<HookFinding> {
  const [name = "", ...args] = words;
  const file = path.isAbsolute(name) ? name : findPrograms(name, env)[0];
  if (file === undefined)
    return bad(
      `${name} is not on PATH: the ${who} call it and do nothing`,
      `install it (npm install --global handoff-packet), or ${REINSTALL}`,
    );
  const run = await runProcess(file, [...args, "--version"], {
    cwd: root,
    env: { ...env },
    timeoutMs: TIMEOUT_MS,
    maxBytes: 4096,
  });
  const version = run.stdout.toString("utf8").trim();
  if (run.status === "ok" && /^\d+\.\d+/u.test(version)) {
    const other = version === ownVersion() ? "" : `, not ${ownVersion()}`;
    return { ok: true, what: `the ${who} call handoff ${version}${other}`, hint: null };
  }
  const missing =
    run.status === "missing" ? "it is not there" : `it ended with ${run.exitCode ?? run.status}`;
  return bad(`the ${who} call ${words.map(quoteWord).join(" ")}, and ${missing}: they do nothing`, REINSTALL);
}

interface ScopeHealth {
  readonly row: InstalledRow | null;
  readonly findings: readonly HookFinding[];
}

async function examineScope(
  agent: AgentSettings,
  scope: SettingsScope,
  place: SettingsPlace,
): Promise<ScopeHealth> {
  const file = path.join(agent.folder(scope, place), agent.form.file);
  try {
    const settings: SettingsFile = { agent, path: file, text: await readText(file) };
    if (agent.form.kind === "own_file") {
      const isOurs = settings.text !== null && agent.form.isOurs(settings.text);
      const row = { scope, path: file, hooks: 1, missing: [], program: null };
      return { row: isOurs ? row : null, findings: [] };
    }
    const ours = hooksIn(settings);
    const [first] = ours;
    if (first === undefined) return { row: null, findings: [] };
    const missing = agent.form.hooks
      .filter(({ event }) => !ours.some((one) => one.event === event))
      .map(({ event }) => event);
    const program = programIn(first.command, agent.name);
    const row = { scope, path: file, hooks: ours.length, missing, program };
    if (missing.length > 0) return { row, findings: [bad("some hooks are missing", REINSTALL)] };
    const fresh =
      program === null ? settings.text : planInstall(settings, `${program} hook ${agent.name}`, {}).after;
    return fresh === settings.text
      ? { row, findings: [] }
      : {
          row,
          findings: [{ ok: null, what: "the hooks are not as this version writes them", hint: REINSTALL }],
        };
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    return { row: null, findings: [bad(`${file}: ${error.message}`, error.hint)] };
  }
}

/** The tool servers of ours in one scope. */
async function examineTools(
  { servers: form }: AgentSettings,
  scope: SettingsScope,
  place: SettingsPlace,
): Promise<{ readonly rows: readonly ToolsRow[]; readonly findings: readonly HookFinding[] }> {
  if (form === undefined) return { rows: [], findings: [] };
  const file = form.file(scope, place);
  try {
    const ours = serversIn({ form, path: file, text: await readText(file) });
    const rows = ours.map(({ name, program }) => ({ scope, path: file, name, program }));
    const findings: HookFinding[] = [];
    for (const { name } of ours) findings.push(...((await form.examine?.(name, scope, place)) ?? []));
    return { rows, findings };
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    return { rows: [], findings: [bad(`${file}: ${error.message}`, error.hint)] };
  }
}

async function examineAgent(
  agent: AgentSettings,
  inUse: boolean,
  place: SettingsPlace,
): Promise<AgentHealth> {
  const scopes = [await examineScope(agent, "project", place), await examineScope(agent, "user", place)];
  const installed = scopes.flatMap(({ row }) => row ?? []);
  const tools = [await examineTools(agent, "project", place), await examineTools(agent, "user", place)];
  const rows = tools.flatMap((one) => one.rows);
  const callers = new Map<string, Caller>();
  for (const { program } of installed) {
    const words = program === null ? [] : wordsOf(program, agent.name);
    if (words.length > 0) callers.set(words.join("\0"), { words, who: "hooks" });
  }
  // One program that both call is told of once.
  for (const { program: words } of rows)
    if (!callers.has(words.join("\0"))) callers.set(words.join("\0"), { words, who: "tools" });
  const findings = scopes.flatMap((one) => one.findings);
  for (const caller of callers.values()) findings.push(await examineProgram(caller, place));
  findings.push(...tools.flatMap((one) => one.findings));
  if (installed.length > 0) {
    const files = installed.map(({ scope, path: file }) => ({ scope, file }));
    findings.push(...(await agent.examine(files, place)));
  }
  return { agent: agent.name, title: agent.title, in_use: inUse, installed, tools: rows, findings };
}

/** Looks at every agent that can be set up. Throws only what the system throws. */
export async function examineAgents(root: string, env: Terminal["env"]): Promise<readonly AgentHealth[]> {
  const place = settingsPlace(root, env);
  const inUse = await detectAgents(AGENT_SETTINGS, place);
  const all: AgentHealth[] = [];
  for (const agent of AGENT_SETTINGS) all.push(await examineAgent(agent, inUse.includes(agent), place));
  return all;
}
