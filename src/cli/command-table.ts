// Every command: its options, its examples and where its code is. Light on purpose: the code is loaded when it runs.
import type { Options } from "yargs";
import type { ExitCode } from "../model/errors.js";
import type { Arguments } from "./arguments.js";
import type { Terminal } from "./terminal.js";

/** What a command does with checked options; throws HandoffError for everything it cannot do. */
type RunCommand = (args: Arguments, terminal: Terminal) => Promise<ExitCode>;

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** Positional arguments, in yargs' notation. */
  readonly positionals: string;
  readonly describe: string;
  readonly options: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [string, string])[];
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

const text = (describe: string, placeholder: string): Options => ({
  type: "string",
  requiresArg: true,
  describe: `${describe} [${placeholder}]`,
});
const flag = (describe: string): Options => ({ type: "boolean", describe });

const PLACE = {
  root: text("the workbench; default: the nearest folder upwards that is one", "DIR"),
  config: text("configuration file; default: handoff.config.json in the root", "FILE"),
  out: text("where packets live; default: outputs/handoff", "DIR"),
} as const;
const SUBJECT = {
  session: text("session id; default: the state's, else one made from the branch", "ID"),
  task: text("task id; default: the active task", "ID"),
  topic: text("packets of one branch and topic belong together; default: main", "ID"),
} as const;
const VERBOSE = { verbose: flag("show what is merely worth knowing too") } as const;
const JSON_RESULT = { json: flag("print the result as JSON, failures too") } as const;

export const COMMANDS: readonly Command[] = [
  {
    name: "generate",
    positionals: "",
    describe: "write handoff.md and handoff.json from what the workbench holds",
    options: {
      ...PLACE,
      ...SUBJECT,
      base: text("commit the work started from; default: where the branch left its upstream", "REV"),
      last: text("how many of the newest commands to show, 0 to 30; default: 5", "K"),
      "max-bytes": text("largest handoff.json; default: 65536", "N"),
      stdout: text("print the bytes of one file instead of writing both", "md|json"),
      "dry-run": flag("say what would be written, write nothing"),
      "allow-degraded": flag("write a packet even if nothing says what comes next"),
      rescan: flag("read the whole log, whatever an earlier scan left"),
      ...JSON_RESULT,
      ...VERBOSE,
    },
    examples: [
      ["$0 generate", "the packet of the session at work here"],
      ["$0 generate --task T-001 --base origin/main", "of one task, counted from a commit"],
      ["$0 generate --stdout md | less", "look without writing"],
    ],
    load: () => import("./commands/generate.js"),
  },
  {
    name: "show",
    positionals: "[ref]",
    describe: "print a packet: by packet id, by session, or the active one of this branch",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      md: flag("as Markdown, byte for byte (the default)"),
      json: flag("as JSON, byte for byte"),
    },
    examples: [
      ["$0 show", "the active packet of this branch"],
      ["$0 show s-2041 --json | jq .next_action", "one field of a session's packet"],
    ],
    load: () => import("./commands/show.js"),
  },
  {
    name: "check",
    positionals: "[ref]",
    describe: "is a packet still what was generated? exit 0 yes, 1 no",
    options: { ...PLACE, topic: SUBJECT.topic, ...JSON_RESULT },
    examples: [
      ["$0 check", "the active packet of this branch"],
      ["$0 check hp_3f9a1c0d5b7e2a64", "one packet"],
    ],
    load: () => import("./commands/check.js"),
  },
  {
    name: "brief",
    positionals: "[ref]",
    describe: "print the text for the next agent",
    options: { ...PLACE, topic: SUBJECT.topic, "max-bytes": text("largest brief", "N") },
    examples: [["$0 brief | claude -p", "start the next session with it"]],
    load: () => import("./commands/brief.js"),
  },
  {
    name: "pr-body",
    positionals: "[ref]",
    describe: "print the packet as the body of a pull request",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      into: text("put it into this file, between its markers, and keep the rest", "FILE"),
      template: text("template to use instead of the built-in one", "FILE"),
    },
    examples: [
      ["$0 pr-body | gh pr create --title Sign-up --body-file -", "open a pull request with it"],
      ["$0 pr-body --into body.md", "refresh the part of a body that is ours"],
    ],
    load: () => import("./commands/pr-body.js"),
  },
  {
    name: "doctor",
    positionals: "",
    describe: "what is found here, where, and what is missing",
    options: { ...PLACE, ...SUBJECT, ...JSON_RESULT },
    examples: [["$0 doctor", "before you wonder why something is not in the packet"]],
    load: () => import("./commands/doctor.js"),
  },
];
