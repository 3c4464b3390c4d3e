// A workbench as a command's options name it. From then on the terminal tells everything through the project's own gate.
import { openWorkbench as open, type Workbench } from "../session/open-workbench.js";
import { textOption, type Arguments } from "./arguments.js";
import type { Terminal } from "./terminal.js";

/** Options that become ids. */
const ID_OPTIONS = ["session", "task", "topic", "by", "for"] as const;

/** Finds and reads it. Throws UsageError for a root, configuration, template or id that cannot be used. */
export async function openWorkbench(args: Arguments, terminal: Terminal): Promise<Workbench> {
  return open({
    cwd: terminal.cwd,
    env: terminal.env,
    root: textOption(args, "root"),
    config: textOption(args, "config"),
    out: textOption(args, "out"),
    ids: Object.fromEntries(ID_OPTIONS.map((name) => [name, textOption(args, name)])),
    redactor: terminal.redactor,
    onRedactor: (redactor) => {
      terminal.redactor = redactor;
    },
  });
}
