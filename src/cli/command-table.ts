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
  /** It takes the words behind `--` as they are. */
  readonly takesRest?: true;
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
const JSON_RESULT = {
  json: flag("print the result as JSON: ok, packet, path, error, diagnostics, and more"),
} as const;

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
      check: flag(
        "write nothing; exit 1 when this branch's packet is stale, degraded or has a blocking risk",
      ),
      "fail-on": text(
        "what makes --check, or without it the packet just written, exit 1; default: block",
        "block|warn|never",
      ),
      rescan: flag("read the whole log, whatever an earlier scan left"),
      "from-transcript": text(
        "first record what the agent's own transcript tells, for a session that ran without hooks",
        "FILE|SESSION_ID",
      ),
      ...JSON_RESULT,
      ...VERBOSE,
    },
    examples: [
      ["$0 generate", "the packet of the session at work here"],
      ["$0 generate --task T-001 --base origin/main", "of one task, counted from a commit"],
      ["$0 generate --stdout md | less", "look without writing"],
      ["$0 generate --from-transcript 5b1c…", "of a Claude Code or Codex session without hooks, by its id"],
      ["$0 generate --check", "in CI: is the packet that this branch brings along fit to merge?"],
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
      md: flag("as Markdown, byte for byte (the default in a pipe)"),
      json: flag("as JSON, byte for byte: the packet itself, with nothing around it"),
      brief: flag("as the next agent would read it, whatever changed since"),
    },
    examples: [
      ["$0 show", "the active packet of this branch"],
      ["$0 show s-2041 --json | jq .next_action", "one field of a session's packet"],
    ],
    load: () => import("./commands/show.js"),
  },
  {
    name: "list",
    positionals: "",
    describe: "every packet there is, newest first",
    options: {
      ...PLACE,
      status: text("only those: active, superseded or archived", "S"),
      branch: text("only those of this branch", "B"),
      topic: text("only those of this topic", "ID"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 list --status active", "which branches have a packet"],
      ["$0 list --json | jq -r .packets[].path", "their files"],
    ],
    load: () => import("./commands/list.js"),
  },
  {
    name: "log",
    positionals: "",
    describe: "how the packets of a branch and topic followed each other, newest first",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      branch: text("of this branch; default: the one that is checked out", "B"),
      ...JSON_RESULT,
    },
    examples: [["$0 log", "the sessions on this branch, and who took over from whom"]],
    load: () => import("./commands/log.js"),
  },
  {
    name: "diff",
    positionals: "[ref] [other]",
    describe: "what changed between two packets; with one, since the packet that it superseded",
    options: { ...PLACE, topic: SUBJECT.topic, ...JSON_RESULT },
    examples: [
      ["$0 diff", "what the last session changed"],
      ["$0 diff hp_3f9a1c0d s-2042", "two packets"],
    ],
    load: () => import("./commands/diff.js"),
  },
  {
    name: "check",
    positionals: "[ref]",
    describe: "is a packet still what was generated, and still about this workbench? exit 0 fresh, 1 not",
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
    describe: "print the text for the next agent, with what changed since the packet",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      for: text("the agent that reads it; names the taker where --by does not", "AGENT"),
      consume: flag("note who takes the packet over, and when"),
      by: text("the session that takes it; default: the CI job, else the local session", "SESSION"),
      "max-bytes": text("largest brief", "N"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 brief | claude -p", "start the next session with it"],
      ["$0 brief --consume --by s-2042", "take it over: whoever comes next is told"],
    ],
    load: () => import("./commands/brief.js"),
  },
  {
    name: "edit",
    positionals: "[ref]",
    describe: "change what people may change in a packet, in $VISUAL or $EDITOR",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      from: text("take the edited text from a file instead of an editor", "FILE"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 edit", "next action, doing, decisions, dead ends, questions, scene of this branch's packet"],
      ["EDITOR='code --wait' $0 edit", "in another editor"],
    ],
    load: () => import("./commands/edit.js"),
  },
  {
    name: "archive",
    positionals: "[ref]",
    describe: "put packets away: they stay readable and never drive a session again",
    options: {
      ...PLACE,
      "older-than": text("those generated so long ago: 30d, 12h, 2w", "AGE"),
      keep: text("all but the newest N of each branch and topic", "N"),
      merged: flag("those whose commits the default branch has"),
      branch: text("only those of this branch", "B"),
      topic: text("only those of this topic", "ID"),
      "dry-run": flag("say which, change nothing"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 archive --merged --dry-run", "what is done with"],
      ["$0 archive --older-than 30d --keep 3", "old ones, but three of each branch stay"],
    ],
    load: () => import("./commands/archive.js"),
  },
  {
    name: "pr-body",
    positionals: "[ref]",
    describe: "print the packet as the body of a pull request",
    options: {
      ...PLACE,
      topic: SUBJECT.topic,
      into: text(
        "put it into this file, between its markers, and keep the rest; -: from stdin to stdout",
        "FILE",
      ),
      template: text("template to use instead of the built-in one", "FILE"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 pr-body | gh pr create --title Sign-up --body-file -", "open a pull request with it"],
      ["$0 pr-body --into body.md", "refresh the part of a body that is ours"],
      [
        "gh pr view --json body -q .body | $0 pr-body --into - | gh pr edit --body-file -",
        "of a pull request",
      ],
    ],
    load: () => import("./commands/pr-body.js"),
  },
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
    load: () => import("./commands/note.js"),
  },
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
    load: () => import("./commands/init.js"),
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
    load: () => import("./commands/exec.js"),
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
    load: () => import("./commands/doctor.js"),
  },
];
