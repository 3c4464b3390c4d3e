// Commands that set a workbench up and look after it.
import { type Command, flag, JSON_RESULT, PLACE, SUBJECT, text } from "./command.js";

export const SETUP_COMMANDS: readonly Command[] = [
  {
    name: "init",
    positionals: "",
    describe: "record what agents do here: put our hooks into their own settings, or take them out again",
    options: {
      root: PLACE.root,
      config: PLACE.config,
      agent: text("one agent; default: those in use here", "claude-code|codex|opencode|gemini|all"),
      scope: text("the project's settings, or yours for every project; default: project", "project|user"),
      track: flag("packets belong in git"),
      ignore: flag("packets stay out of git, by this clone's .git/info/exclude"),
      "no-mcp": flag(
        "leave out the tools (notes, brief, packet, rollover) that the agent gets from handoff mcp",
      ),
      "pr-template": flag("put a place for the packet into .github/PULL_REQUEST_TEMPLATE.md"),
      uninstall: flag("take everything out again that init put in"),
      "dry-run": flag("show what would change, change nothing"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 init --dry-run", "which files would change, and how"],
      ["$0 init --agent claude-code --ignore", "one agent; packets stay out of git"],
      ["$0 init --uninstall", "the settings as they were before"],
    ],
    load: () => import("../commands/init.js"),
  },
  {
    name: "doctor",
    positionals: "",
    describe: "what is found here, where, and what is missing",
    options: {
      ...PLACE,
      ...SUBJECT,
      repair: flag("make the store's index and packets agree again, and say what was done"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 doctor", "before you wonder why something is not in the packet"],
      ["$0 doctor --repair", "after a crash, or when packets were moved by hand"],
    ],
    load: () => import("../commands/doctor.js"),
  },
];
