// What was found, in rows for people.
import { shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";
import type { AgentHealth } from "./examine-agents.js";
import type { Examination } from "./examine-workbench.js";

/** Prints one row: what it is about, and what there is to say. */
function printRow({ colors, out }: Terminal, name: string, text: string): void {
  out(`${colors.bold(name.padEnd(16))} ${text}\n`);
}

/** Prints what a workbench holds. @param sessionReason why the session is this one, where nobody named one */
export function printExamination(terminal: Terminal, found: Examination, sessionReason: string | null): void {
  const { dim, green, red, yellow } = terminal.colors;
  const row = (name: string, text: string): void => printRow(terminal, name, text);
  const { versions, git, feedback, window, session, task } = found;
  row(
    "versions",
    `handoff ${versions.handoff}, node ${versions.node}, git ${versions.git ?? red("not found")}`,
  );
  row("root", shown(found.root));
  row("configuration", found.config === null ? dim("none") : shown(found.config));
  const from = sessionReason === null ? session.from : `${session.from}: ${shown(sessionReason)}`;
  row("session", `${session.id} ${dim(`(${from})`)}`);
  row("task", task.id === null ? dim("none") : `${task.id} ${dim(`(${task.from})`)}`);
  row("topic", found.topic);
  if (!git.available) row("git", yellow("no repository"));
  else {
    const base = git.base === null ? "no base" : `base ${git.base.sha.slice(0, 12)} (${git.base.from})`;
    const dirty = git.dirty ? ", dirty" : "";
    row(
      "git",
      `${shown(git.branch ?? "")}, ${base}, ${git.commits} commits, ${git.changed_files} changed files${dirty}`,
    );
  }
  const missing = ([first, ...others]: readonly string[]): string => {
    if (first === undefined) return dim("missing");
    const more = others.length === 0 ? "" : `, or ${others.length} more`;
    return dim(`missing (${shown(first)}${more})`);
  };
  for (const { artifact, status, path: file, places } of found.artifacts) {
    const where = file === null ? "" : shown(file);
    const text = {
      present: green(where),
      missing: missing(places.length === 0 && file !== null ? [file] : places),
      invalid: red(`not usable: ${where}`),
    };
    row(artifact, text[status]);
  }
  const files = feedback.files.map(shown).join(", ");
  const counts = `${feedback.total} records, ${feedback.nonzero} nonzero, ${feedback.skipped_lines} skipped lines`;
  row("feedback", feedback.files.length === 0 ? missing(feedback.places) : `${green(files)}: ${counts}`);
  row(
    "packet",
    `${found.packet_file.status === "packet" ? "" : `${found.packet_file.status}: `}${shownPath(found.packet_file.path, terminal.cwd)}`,
  );
  const why = window.model === null ? "" : `, guessed from ${shown(window.model)}`;
  if (window.tokens !== null)
    row("window", `${window.tokens.toLocaleString("en-US")} tokens (${window.from ?? ""}${why})`);
  else row("window", dim(window.model === null ? "unknown" : `unknown for ${shown(window.model)}`));
  for (const { what, hint } of found.left) {
    row("run", yellow(shown(what)));
    row("", dim(`  ${shown(hint)}`));
  }
}

/** Prints what is known of the agents' hooks; an agent that is not in use is no news. */
export function printAgents(terminal: Terminal, agents: readonly AgentHealth[]): void {
  const { dim, green, red, yellow } = terminal.colors;
  for (const { title, in_use, installed, tools, findings } of agents) {
    if (installed.length === 0 && in_use)
      printRow(terminal, title, dim("no hooks of ours (handoff init puts them there)"));
    for (const { scope, path: file, hooks, missing } of installed) {
      const left = missing.length === 0 ? "" : red(`, lacks ${missing.map(shown).join(", ")}`);
      printRow(
        terminal,
        title,
        `${hooks} ${hooks === 1 ? "hook" : "hooks"} of the ${scope} in ${green(shownPath(file, terminal.cwd))}${left}`,
      );
    }
    for (const { scope, path: file } of tools)
      printRow(terminal, title, `tools of the ${scope} in ${green(shownPath(file, terminal.cwd))}`);
    for (const { ok, what, hint } of findings) {
      const color = ok === true ? green : ok === false ? red : yellow;
      printRow(terminal, "", color(shown(what)));
      if (hint !== null) printRow(terminal, "", dim(`  ${shown(hint)}`));
    }
  }
}
