// The command that runs agents: a long job, one session after the other.
import { type Command, flag, JSON_RESULT, PLACE, SUBJECT, text } from "./command.js";

export const RUN_COMMANDS: readonly Command[] = [
  {
    name: "run",
    positionals: "[job..]",
    describe:
      "run a long job: watch how full the agent's context is, and hand over to a fresh session in time",
    dashes: { exact: ["prompt", "agent-args", "next-args"], alone: "stdin" },
    options: {
      agent: text("who works", "claude-code|codex|command"),
      next: text("who runs every second session; default: the same agent", "claude-code|codex|command"),
      prompt: text("the job", "TEXT"),
      stdin: flag("the job comes from stdin, as with - alone"),
      "prompt-file": text("the job, from a file; -: from stdin, as through a pipe", "FILE"),
      window: text("tokens that the model's context holds; default: what the agent says", "N"),
      headroom: text("tokens to leave free; default: a quarter of the window, 50000 at least", "N"),
      "at-percent": text("the other way to say it: hand over when so much of the window is full", "N"),
      "max-generations": text("sessions that may be retired; default: 8", "N"),
      "max-attempts": text("tries in a row within one session; default: 6", "N"),
      "agent-bin": text(
        "another executable that speaks the agent's protocol; with --agent command: any program",
        "PATH",
      ),
      "agent-args": text("further arguments for the agent, quoted as for a shell", "…"),
      "next-bin": text("the same for --next", "PATH"),
      "next-args": text("the same for --next", "…"),
      compact: text(
        "the agent's own compaction: turned off, left alone, or the manual one forbidden too; default: no_summary",
        "no_summary|auto|off",
      ),
      worktree: flag("the agent works in a git worktree of its own, on a branch handoff/<run>/<n>"),
      pause: flag("wait for Enter before each next session: look at the packet, change it"),
      events: text("append what happens as JSON lines to a file; -: to stdout", "FILE|-"),
      resume: text("go on with a run that was stopped or killed", "RUN_ID"),
      "dry-run": flag("say what would be run, where the line is and why; run nothing"),
      topic: SUBJECT.topic,
      ...PLACE,
      ...JSON_RESULT,
    },
    examples: [
      [
        "$0 run --agent claude-code --prompt-file job.md",
        "until the job is done, over as many sessions as it takes",
      ],
      ["$0 run --agent claude-code --next codex --prompt-file job.md", "two agents, taking turns"],
      [
        "$0 run --agent claude-code --agent-args '--permission-mode acceptEdits' --prompt 'fix the tests'",
        "with arguments of the agent's own",
      ],
      ["$0 run --agent claude-code --at-percent 60 --dry-run --prompt x", "where the line would be, and why"],
      [
        "$0 run --agent codex --prompt-file job.md --pause",
        "look at each packet before the next session starts",
      ],
      ["$0 run --resume run-3f2a91c04d7e", "go on after Ctrl-C, a crash or a reboot"],
    ],
    load: () => import("../commands/run.js"),
  },
  {
    name: "now",
    positionals: "",
    describe: "ask the run at work here to hand over at its next message, so that somebody else can go on",
    options: {
      run: text("which run; default: the one at work here", "RUN_ID"),
      "request-id": text("an id of your own, or one that was kept: asking again with it is safe", "ID"),
      reason: text("why, in a line", "TEXT"),
      wait: flag("say what becomes of it, until the packet is out"),
      ...PLACE,
      ...JSON_RESULT,
    },
    examples: [
      ["$0 now --wait", "until the packet is out"],
      ["$0 now --reason 'going home'", "and leave it to the run"],
      ["$0 now --run run-3f2a91c04d7e --request-id req-0c4d7e3f2a91", "ask again after no answer came"],
    ],
    load: () => import("../commands/now.js"),
  },
];
