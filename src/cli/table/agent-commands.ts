// Commands for agents at work: what they note and what they run.
import { type Command, JSON_RESULT, PLACE, text } from "./command.js";

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: "note",
    positionals: "[kind] [text..]",
    takesRest: true,
    describe:
      "note what only the agent knows: next, doing, decided, dead-end, assume, question, blocker, risk; or resolved, by text or id",
    options: {
      root: PLACE.root,
      config: PLACE.config,
      session: text("session id; default: the one at work here", "ID"),
      why: text("the reason", "TEXT"),
      "waits-for": text("whom or what a blocker waits for; `human` makes it a question", "WHOM"),
      severity: text("of a risk; default: warn", "block|warn|info"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 note next 'make test/a.test.js pass: npm test'", "what the next session does first"],
      ["$0 note dead-end 'a global lock' --why 'it deadlocks on reload'", "what nobody needs to try again"],
      ["$0 note blocker 'which limit is right?' --waits-for human", "what a person has to decide"],
    ],
    load: () => import("../commands/note.js"),
  },
  {
    name: "exec",
    positionals: "",
    takesRest: true,
    describe: "run the command behind -- as if it were run alone, and record how it ended",
    options: {
      root: PLACE.root,
      session: text("session id; default: the one at work here", "ID"),
      note: text("why it is run, in one line", "TEXT"),
      timeout: text("stop it after so many seconds", "S"),
    },
    examples: [
      ["$0 exec -- npm test", "output and exit code are the command's own"],
      ["$0 exec --note 'does the fix hold?' -- pytest -q tests/test_a.py", "with a reason"],
    ],
    load: () => import("../commands/exec.js"),
  },
  {
    name: "mcp",
    positionals: "",
    describe: "serve tools to the agent that starts it (MCP, on stdin and stdout); handoff init installs it",
    options: {},
    examples: [
      ["claude mcp add handoff -- $0 mcp", "by hand, where handoff init is not wanted"],
      ["codex mcp add handoff -- $0 mcp", "the same for Codex"],
    ],
    load: () => import("../commands/mcp.js"),
  },
];
