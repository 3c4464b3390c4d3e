// A planned run for people: what would change, line by line, then one line a file.
import { diffLines, type DiffRow } from "../../install/line-diff.js";
import type { PlannedFile } from "../../install/plan-run.js";
import { cleanText } from "../../text/clean.js";
import { cutText } from "../../text/cut.js";
import { shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Longest line that is shown, in bytes. */
const MAX_LINE = 400;
/** Files of more lines than this are shown by their beginning. Settings of ours have fewer than two hundred. */
const LONG_FILE = 200;
const FIRST_LINES = 12;

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

/**
 * Prints what a file's change is; nothing where there is none. Of a long file that is made or removed as a whole it shows the
 * first lines and counts the others: settings are shown in full, a program of ours would only push them off the screen.
 */
export function printDiff(terminal: Terminal, file: PlannedFile): void {
  const { bold, cyan, dim, green, red } = terminal.colors;
  if (file.before === file.after) return;
  const name = shownPath(file.path, terminal.cwd);
  terminal.out(`${bold(`--- ${file.before === null ? "(no file)" : name}`)}\n`);
  terminal.out(`${bold(`+++ ${file.after === null ? "(no file)" : name}`)}\n`);
  const rows = diffLines(file.before, file.after);
  const isWhole = file.before === null || file.after === null;
  const shown = isWhole && rows.length > LONG_FILE ? rows.slice(0, FIRST_LINES) : rows;
  for (const row of shown) {
    if (row.sign === "gap") terminal.out(`${cyan(`@@ line ${row.text}`)}\n`);
    else if (row.sign === "+") terminal.out(`${green(`+${textOf(row)}`)}\n`);
    else if (row.sign === "-") terminal.out(`${red(`-${textOf(row)}`)}\n`);
    else terminal.out(` ${textOf(row)}\n`);
  }
  const left = rows.length - shown.length;
  if (left > 0) terminal.out(`${dim(`… and ${left} more lines (--json has them)`)}\n`);
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
  const ours = file.servers > 0 ? "tools" : file.hooks > 0 ? hooks : null;
  const what = ours === null ? "" : `, ${ours}${uninstalls ? (isDry ? " would go" : " taken out") : ""}`;
  const done = {
    created: green(`${isDry ? "would be " : ""}created`),
    changed: green(`${isDry ? "would be " : ""}changed`),
    removed: green(`${isDry ? "would be " : ""}removed`),
    unchanged: dim(uninstalls ? "nothing of ours in it" : "as it should be"),
    none: dim("not there"),
  }[action];
  terminal.out(`${name.padEnd(14)} ${where}: ${done}${action === "none" ? "" : what}\n`);
}
