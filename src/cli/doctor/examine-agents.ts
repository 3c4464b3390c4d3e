// Whether the agents' hooks are there, whole, and run: the settings as they are on disk, the program that they call, and what
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
import { hooksIn, planInstall, type SettingsFile } from "../../install/plan-settings.js";
import { readText } from "../../install/read-text.js";
import { findPrograms } from "../../io/find-program.js";
import { runProcess } from "../../io/run-process.js";
import { HandoffError } from "../../model/errors.js";
import { splitPlainWords } from "../../text/shell-words.js";
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

/** What is known of one agent's hooks. */
export interface AgentHealth {
  readonly agent: string;
  readonly title: string;
  readonly in_use: boolean;
  readonly installed: readonly InstalledRow[];
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

/** Runs what the hooks call, asking for its version only. */
async function examineProgram(
  program: string,
  agent: string,
  { root, env }: SettingsPlace,
): Promise<HookFinding> {
  const words = splitPlainWords(program) ?? ownWords(`${program} hook ${agent}`, agent) ?? [program];
  const [name = "", ...args] = words;
  const file = path.isAbsolute(name) ? name : findPrograms(name, env)[0];
  if (file === undefined)
    return bad(
      `${name} is not on PATH: the hooks call it and do nothing`,
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
    return { ok: true, what: `the hooks call handoff ${version}${other}`, hint: null };
  }
  const missing =
    run.status === "missing" ? "it is not there" : `it ended with ${run.exitCode ?? run.status}`;
  return bad(`the hooks call ${program}, and ${missing}: they do nothing`, REINSTALL);
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

async function examineAgent(
  agent: AgentSettings,
  inUse: boolean,
  place: SettingsPlace,
): Promise<AgentHealth> {
  const scopes = [await examineScope(agent, "project", place), await examineScope(agent, "user", place)];
  const installed = scopes.flatMap(({ row }) => row ?? []);
  const programs = new Set(installed.flatMap(({ program }) => program ?? []));
  const findings = scopes.flatMap((one) => one.findings);
  for (const program of programs) findings.push(await examineProgram(program, agent.name, place));
  if (installed.length > 0) {
    const files = installed.map(({ scope, path: file }) => ({ scope, file }));
    findings.push(...(await agent.examine(files, place)));
  }
  return { agent: agent.name, title: agent.title, in_use: inUse, installed, findings };
}

/** Looks at every agent that can be set up. Throws only what the system throws. */
export async function examineAgents(root: string, env: Terminal["env"]): Promise<readonly AgentHealth[]> {
  const place = settingsPlace(root, env);
  const inUse = await detectAgents(AGENT_SETTINGS, place);
  const all: AgentHealth[] = [];
  for (const agent of AGENT_SETTINGS) all.push(await examineAgent(agent, inUse.includes(agent), place));
  return all;
}
