// The command by which an interactive session replaces itself in its own pane.
import { type Command, flag, JSON_RESULT, PLACE, text } from "./command.js";

export const ROLLOVER_COMMANDS: readonly Command[] = [
  {
    name: "rollover",
    positionals: "[action]",
    describe:
      "a session replaces itself in its own pane of tmux: open, write the handover, confirm; or cancel, status, resume",
    options: {
      root: PLACE.root,
      reason: text("open: why, in one line", "TEXT"),
      token: text("confirm, cancel: the one that open gave", "TOKEN"),
      "operator-confirmed": flag("confirm: a person in this session has agreed"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 rollover open --reason 'the context is nearly full'", "a token, and where to write the handover"],
      [
        "$0 rollover confirm --token TOKEN --operator-confirmed",
        "written, agreed: schedule it, and end the turn",
      ],
      ["$0 rollover cancel --token TOKEN", "drop the request"],
      ["$0 rollover status", "where every request and roll of this workbench stands"],
      ["$0 rollover resume", "go on with a roll whose process died; nothing is sent twice"],
    ],
    load: () => import("../commands/rollover.js"),
  },
];
