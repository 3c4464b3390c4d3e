// A planned run for people: what would change, line by line, then one line a file.
import { diffLines, type DiffRow } from "../../install/line-diff.js";
import type { PlannedFile } from "../../install/plan-run.js";
import { cleanText } from "../../text/clean.js";
import { cutText } from "../../text/cut.js";
import { shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Longest line that is shown, in bytes. */
const MAX_LINE = 400;

export type FileAction = "created" | "changed" | "removed" | "unchanged" | "none";

/** What becomes of a file; `none`: there is none, and none is made. */
export function actionOf({ before, after }: Pick<PlannedFile, "before" | "after">): FileAction {
  if (before === null) return after === null ? "none" : "created";
  if (after === null) return "removed";
  return before === after ? "unchanged" : "changed";
}

const textOf = ({ text }: DiffRow): string => cutText(cleanText(text), MAX_LINE);

/** The rows of a file's change, as `--json` gives them. */
export function diffTexts({ before, after }: PlannedFile): string[] {
  return diffLines(before, after).map((row) =>
    row.sign === "gap" ? `@@ ${row.text}` : `${row.sign}${textOf(row)}`,
  );
}

/** Prints what a file's change is; nothing where there is none. */
export function printDiff(terminal: Terminal, file: PlannedFile): void {
  const { bold, cyan, green, red } = terminal.colors;
  if (file.before === file.after) return;
  const name = shownPath(file.path, terminal.cwd);
  terminal.out(`${bold(`--- ${file.before === null ? "(no file)" : name}`)}\n`);
  terminal.out(`${bold(`+++ ${file.after === null ? "(no file)" : name}`)}\n`);
  for (const row of diffLines(file.before, file.after)) {
    if (row.sign === "gap") terminal.out(`${cyan(`@@ line ${row.text}`)}\n`);
    else if (row.sign === "+") terminal.out(`${green(`+${textOf(row)}`)}\n`);
    else if (row.sign === "-") terminal.out(`${red(`-${textOf(row)}`)}\n`);
    else terminal.out(` ${textOf(row)}\n`);
  }
  terminal.out("\n");
}

/** One line a file: whose it is, where, and what was done (or would be). */
export function printFile(
  terminal: Terminal,
  file: PlannedFile,
  {
    name,
    uninstalls,
    isDry,
  }: { readonly name: string; readonly uninstalls: boolean; readonly isDry: boolean },
): void {
  const action = actionOf(file);
  const { dim, green } = terminal.colors;
  const where = shownPath(file.path, terminal.cwd);
  const hooks = `${file.hooks} ${file.hooks === 1 ? "hook" : "hooks"}`;
  const what = file.hooks === 0 ? "" : `, ${hooks}${uninstalls ? (isDry ? " would go" : " taken out") : ""}`;
  const done = {
    created: green(`${isDry ? "would be " : ""}created`),
    changed: green(`${isDry ? "would be " : ""}changed`),
    removed: green(`${isDry ? "would be " : ""}removed`),
    unchanged: dim(uninstalls ? "nothing of ours in it" : "as it should be"),
    none: dim("not there"),
  }[action];
  terminal.out(`${name.padEnd(14)} ${where}: ${done}${action === "none" ? "" : what}\n`);
}
