// Starts a person's editor on a file and waits for it to end. The command is $VISUAL or $EDITOR as people write them: with
// arguments, quotes and spaces, so the shell reads it, as git and others do; the file's name is never part of that text.
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../model/errors.js";
import type { Terminal } from "../terminal.js";

/** How an editor ended. */
export type EditorEnd = { readonly status: "saved" } | { readonly status: "failed"; readonly reason: string };

/** The editor's command. Throws UsageError `editor.missing` (exit 2) when none is set. */
export function editorCommand(env: Terminal["env"]): string {
  const command = [env["VISUAL"], env["EDITOR"]]
    .map((word) => word?.trim() ?? "")
    .find((word) => word !== "");
  if (command !== undefined) return command;
  throw new UsageError(
    "editor.missing",
    "neither $VISUAL nor $EDITOR names an editor",
    "set one (EDITOR=nano handoff edit), or give the edited text: handoff edit --from FILE",
  );
}

/** A program's path that has spaces in it and no quotes around it. */
async function isProgram(command: string): Promise<boolean> {
  if (!path.isAbsolute(command) || !command.includes(" ")) return false;
  return access(command, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Runs it on `file`. Its output goes to our terminal, or to stderr when stdout is not one, so that a result stays clean.
 * Interrupts while it runs are the editor's.
 */
export async function runEditor(command: string, file: string, terminal: Terminal): Promise<EditorEnd> {
  const stdout = terminal.outColumns === null ? 2 : "inherit";
  const direct = await isProgram(command);
  const [program, args] = direct ? [command, [file]] : ["sh", ["-c", `${command} "$@"`, "editor", file]];
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    return await new Promise<EditorEnd>((resolve) => {
      const child = spawn(program, args, {
        stdio: ["inherit", stdout, "inherit"],
        cwd: terminal.cwd,
        env: terminal.env,
      });
      child.on("error", (error) => resolve({ status: "failed", reason: error.message }));
      child.on("close", (code, signal) => {
        if (code === 0) resolve({ status: "saved" });
        else if (code === 127) resolve({ status: "failed", reason: "there is no such program" });
        else
          resolve({
            status: "failed",
            reason: signal === null ? `it ended with ${code}` : `it was ended by ${signal}`,
          });
      });
    });
  } finally {
    process.off("SIGINT", ignore);
  }
}
