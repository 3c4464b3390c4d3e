// Which of Claude Code's tools run a command line or write a file, and which of its notifications wait for an answer
// (2.1.332).

/** Tools that run a command line. */
export const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell"]);
/** Tools that write a file, and the field of their input that names it. */
export const EDITORS: Readonly<Record<string, string>> = {
  Write: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
};

/** Kinds of notifications that a turn waits for an answer to. */
export const BLOCKING_NOTIFICATIONS = [
  "permission_prompt",
  "worker_permission_prompt",
  "elicitation_dialog",
  "agent_needs_input",
] as const;
