// The process an agent's session runs in (A9): told by the agent's own variable, else the nearest above the hook that is called
// like the agent. Noted with its start, so that a session that goes on is not taken for one that was killed.
import path from "node:path";
import type { AgentName, AgentProgram } from "../agents/agent.js";
import { HOOK_SPEECHES } from "../agents/registry.js";
import { type Ancestor, readAncestry } from "../io/process-ancestry.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import type { SessionProcess } from "../session/session-process.js";

/** What runs scripts: the script's name is then the program's. */
const RUNTIMES: ReadonlySet<string> = new Set(["node", "nodejs", "bun", "deno"]);

function nameOf(word: string): string {
  return path.basename(word.replaceAll("\\", "/")).replace(/\.(?:exe|cmd|[cm]?js)$/u, "");
}

/** True for a script that a runtime runs. */
const isScript = ([first = ""]: readonly string[]): boolean => RUNTIMES.has(nameOf(first));

/** What a command line runs. */
function programOf([first = "", ...rest]: readonly string[]): string {
  const name = nameOf(first);
  if (!RUNTIMES.has(name)) return name;
  return nameOf(rest.find((word) => !word.startsWith("-")) ?? first);
}

/**
 * Finds it; null: nothing above `parent` is the agent. Never rejects.
 * @param parent the process that started the hook
 */
export async function findAgentProcess(
  { names, variable, servesMany }: AgentProgram,
  parent: number,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SessionProcess | null> {
  const above = await readAncestry(parent);
  const told = variable === undefined ? Number.NaN : Number(env[variable] ?? "");
  const found =
    above.find(({ pid }) => pid === told) ?? above.find(({ words }) => names.includes(programOf(words)));
  // Where the system shows no ancestors, the agent's word is all there is.
  const pid = found?.pid ?? (above.length === 0 && told > 1 ? told : null);
  if (pid === null || !Number.isSafeInteger(pid)) return null;
  const serves_many = found !== undefined && servesMany?.(found.words) === true;
  return { ...identityOf(pid, await readOwnIdentity()), serves_many };
}

/** An agent's program in a chain of processes. */
export interface AgentAbove {
  readonly agent: AgentName;
  readonly pid: number;
  /** It runs many sessions and outlives them. */
  readonly serves_many: boolean;
}

/**
 * The agents in a chain of processes, nearest first. A package manager's script that waits right above the program that it
 * started is no agent of its own.
 */
export function agentsIn(chain: readonly Ancestor[]): readonly AgentAbove[] {
  return chain.flatMap(({ pid, words }, at): AgentAbove[] => {
    const name = programOf(words);
    const speech = HOOK_SPEECHES.find(({ program }) => program.names.includes(name));
    if (speech === undefined) return [];
    const below = chain[at - 1]?.words;
    if (below !== undefined && isScript(words) && !isScript(below) && programOf(below) === name) return [];
    return [{ agent: speech.name, pid, serves_many: speech.program.servesMany?.(words) === true }];
  });
}
