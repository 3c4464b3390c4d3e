// What an executor sees of its pane: one look gives everything that the phases of a roll wait for (L6, L7). Looks only.
import type { AgentPane } from "../agents/agent-pane.js";
import { readLiveness, readOwnIdentity } from "../io/process-identity.js";
import { type PaneFile, readPaneFile } from "../recorder/pane-file.js";
import { startOf } from "../recorder/pane-key.js";
import { hasTerminal } from "./find-pane.js";
import { helpersAtWork, readStanding } from "./pane-state.js";
import type { RollFile } from "./roll-file.js";
import { SILENT, type TerminalMultiplexer } from "./terminal-multiplexer.js";

/** A look at a pane. */
export interface PaneLook {
  /** Why the pane or its agent is gone; null: both are there. */
  readonly gone: string | null;
  /** What hooks told last of this very agent; null: nothing that counts. */
  readonly file: PaneFile | null;
  /** What stands in the input line; null: there is none to be seen. */
  readonly typed: string | null;
  /** Why nothing may be typed now; null: the turn has ended and the line is free. */
  readonly unsettled: string | null;
  /** The screen is that of a session in which nothing was said. */
  readonly isFresh: boolean;
}

export interface WatchedPane {
  readonly root: string;
  readonly key: string;
  readonly terminal: TerminalMultiplexer;
  readonly agent: AgentPane;
}

const WAITING: Readonly<Record<string, string>> = {
  BUSY: "its turn goes on",
  BLOCKED: "its turn waits for an answer to a question",
};

function whyUnsettled(
  file: PaneFile | null,
  roll: RollFile,
  seen: { readonly closed: string | null; readonly typed: string | null; readonly working: boolean },
): string | null {
  const { standing, why } = readStanding(file, { server: roll.server, agent: roll.process });
  if (standing === "UNKNOWN") return why;
  if (standing === "BUSY" || standing === "BLOCKED") return WAITING[standing] ?? standing;
  if (helpersAtWork(file, Date.now()).length > 0) return "a helper of it is at work";
  if (seen.closed !== null) return seen.closed;
  if (seen.typed === null) return "its input line is not to be seen";
  if (seen.typed !== "") return "somebody is typing there";
  return seen.working ? "its screen says that it works" : null;
}

/** Looks once. Never rejects. */
export async function lookAtPane(
  { root, key, terminal, agent }: WatchedPane,
  roll: RollFile,
): Promise<PaneLook> {
  const gone = (why: string): PaneLook => ({
    gone: why,
    file: null,
    typed: null,
    unsettled: why,
    isFresh: false,
  });
  /** Nothing is known, and nothing may be done; the next look may tell. */
  const silent = (): PaneLook => ({ ...gone(`${terminal.name} gives no answer`), gone: null });
  const facts = await terminal.look(roll);
  if (facts === SILENT) return silent();
  if (facts === null) return gone(`the pane ${roll.pane} is gone`);
  if (facts.server_pid !== roll.server.pid || startOf(facts.server_pid) !== roll.server.started)
    return gone(`the pane ${roll.pane} is another server's`);
  if ((await readLiveness(roll.process, await readOwnIdentity())) !== "alive")
    return gone("the agent in the pane has ended");
  const screen = await terminal.capture(roll);
  if (screen === SILENT) return silent();
  if (screen === null) return gone(`the pane ${roll.pane} is gone`);
  const found = readPaneFile(root, key);
  const { standing } = readStanding(found, { server: roll.server, agent: roll.process });
  const file = standing === "UNKNOWN" ? null : found;
  const typed = agent.readInputLine(screen);
  const closed =
    facts.closed ??
    ((await hasTerminal(roll.process.pid, facts.tty)) ? null : "the agent is not in the pane's foreground");
  return {
    gone: null,
    file,
    typed,
    unsettled: whyUnsettled(found, roll, { closed, typed, working: agent.isWorking(screen) }),
    isFresh: agent.freshBy !== "hook" && agent.freshBy.isFresh(screen),
  };
}
