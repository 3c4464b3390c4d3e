// Which pane the caller is in, and that it is the pane's one agent that calls (L3): the caller's own environment, checked against
// the multiplexer and against the chain of processes above the caller. Nothing a caller says names a pane.
import { readFileSync, statSync } from "node:fs";
import { agentPaneOf } from "../agents/pane-registry.js";
import type { AgentPane } from "../agents/agent-pane.js";
import { type Ancestor, readAncestry } from "../io/process-ancestry.js";
import { identityOf, type ProcessIdentity, readOwnIdentity } from "../io/process-identity.js";
import { runProcess } from "../io/run-process.js";
import { agentsIn } from "../recorder/agent-process.js";
import { type NamedPane, namedPane, startOf } from "../recorder/pane-key.js";
import { RUN_VARIABLE } from "../recorder/recorder.js";
import { type PaneFacts, SILENT, type TerminalMultiplexer } from "./terminal-multiplexer.js";

/** A pane with the agent in it. */
export interface FoundPane extends NamedPane {
  readonly server: { readonly pid: number; readonly started: string | null };
  readonly agent: AgentPane;
  readonly process: ProcessIdentity;
  readonly pane_pid: number;
}

/** `gone`: the environment names a pane that is not there any more. */
export type PaneFinding =
  | { readonly kind: "found"; readonly pane: FoundPane }
  | { readonly kind: "not_primary"; readonly why: string; readonly hint: string }
  | { readonly kind: "gone"; readonly named: NamedPane; readonly why: string };

type Environment = Readonly<Record<string, string | undefined>>;

const IN_PANE = "start the lead in a pane of tmux, and let it ask from there";
const ITSELF = "a lead can only roll itself: ask from its own session, not from a helper or another agent";

const refuse = (why: string, hint: string): PaneFinding => ({ kind: "not_primary", why, hint });

/** Terminal and group of a process against its terminal's foreground group: `fg`, `bg`, or null where nothing tells. */
async function readForeground(pid: number, tty: string): Promise<"fg" | "bg" | "elsewhere" | null> {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [, , group, , terminal, foreground] = fields;
      // The kernel tells a terminal by its numbers, minor ones in two pieces.
      const device = Number(terminal);
      const { rdev } = statSync(tty);
      if (device !== rdev) return "elsewhere";
      return group === foreground ? "fg" : "bg";
    } catch {
      return null;
    }
  }
  const listed = await runProcess("ps", ["-o", "tty=,stat=", "-p", String(pid)], {
    cwd: "/",
    timeoutMs: 5000,
    maxBytes: 4096,
  });
  const [name = "", stat = ""] = listed.stdout.toString("utf8").trim().split(/\s+/u);
  if (listed.status !== "ok" || name === "") return null;
  if (!tty.endsWith(name)) return "elsewhere";
  return stat.includes("+") ? "fg" : "bg";
}

/** True while the agent has the pane's terminal: what is typed reaches it, and not a shell. */
export async function hasTerminal(pid: number, tty: string): Promise<boolean> {
  return (await readForeground(pid, tty)) === "fg";
}

/** The one agent between the caller and the pane's own program. */
function findAgent(
  chain: readonly Ancestor[],
  { pane_pid }: PaneFacts,
): PaneFinding | { readonly agent: AgentPane; readonly pid: number } {
  const top = chain.findIndex(({ pid }) => pid === pane_pid);
  if (top === -1)
    return refuse(
      `the caller does not run below the pane's own program (pid ${pane_pid})`,
      `${ITSELF}; Codex: with daemon_auto_start = false under [features], its sessions run in the pane`,
    );
  const agents = agentsIn(chain.slice(0, top + 1));
  const [agent, other] = agents;
  if (agent === undefined) return refuse("no agent runs between the pane and the caller", ITSELF);
  if (other !== undefined)
    return refuse(
      `the caller belongs to an agent that another one started (${agents.length} above it)`,
      ITSELF,
    );
  if (agent.serves_many) return refuse("the caller's process serves many sessions", ITSELF);
  const known = agentPaneOf(agent.agent);
  if (known === null)
    return refuse(
      `how ${agent.agent} is cleared in its terminal is not known`,
      "Claude Code and Codex can be rolled over",
    );
  return { agent: known, pid: agent.pid };
}

/**
 * Finds it. Never rejects.
 * @param caller the process that asks
 */
export async function findPane(
  env: Environment,
  caller: number,
  terminal: TerminalMultiplexer,
): Promise<PaneFinding> {
  const named = namedPane(env);
  if (named === null) return refuse("the caller's environment names no pane (TMUX, TMUX_PANE)", IN_PANE);
  if ((env[RUN_VARIABLE] ?? "") !== "")
    return refuse(
      "the caller is inside handoff run, which replaces its sessions itself",
      "go on with the work: the run hands over when the context is full",
    );
  const facts = await terminal.look(named);
  if (facts === SILENT)
    return { kind: "gone", named, why: `${terminal.name} gives no answer at ${named.socket}` };
  if (facts === null)
    return { kind: "gone", named, why: `${terminal.name} knows no pane ${named.pane} at ${named.socket}` };
  if (facts.server_pid !== named.server_pid)
    return refuse(
      `the pane's server is another one than the caller was started under (${facts.server_pid}, not ${named.server_pid})`,
      IN_PANE,
    );
  const found = findAgent(await readAncestry(caller), facts);
  if ("kind" in found) return found;
  const foreground = await readForeground(found.pid, facts.tty);
  if (foreground !== "fg")
    return refuse(
      foreground === "elsewhere"
        ? `the agent's terminal is not the pane's (${facts.tty})`
        : "the agent is not in the foreground of its pane",
      IN_PANE,
    );
  return {
    kind: "found",
    pane: {
      ...named,
      server: { pid: facts.server_pid, started: startOf(facts.server_pid) },
      agent: found.agent,
      process: identityOf(found.pid, await readOwnIdentity()),
      pane_pid: facts.pane_pid,
    },
  };
}
