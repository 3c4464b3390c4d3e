// handoff generate --from-transcript: the session's records from the agent's own transcript, before the packet is made (A12).
import { realpath } from "node:fs/promises";
import { findTranscript, type FoundTranscript } from "../agents/find-transcript.js";
import { HOOK_SPEECHES } from "../agents/registry.js";
import { isInside } from "../io/read-artifact-file.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { UsageError } from "../model/errors.js";
import { rebuildSession, type RebuiltSession } from "../recorder/rebuild-session.js";
import type { Workbench } from "../session/open-workbench.js";
import { flagOption, idOption, textOption, type Arguments } from "./arguments.js";
import { shown, tellDiagnostics } from "./report.js";
import type { Terminal } from "./terminal.js";

/** One that worked elsewhere would fill this workbench with another's work. `--root` says that it is meant all the same. */
async function refuseElsewhere({ cwd, file }: FoundTranscript, root: string): Promise<void> {
  if (cwd === null) return;
  const real = await realpath(cwd).catch(() => cwd);
  if (isInside(real, root) || isInside(root, real)) return;
  throw new UsageError(
    "transcript.elsewhere",
    `its session worked in ${cwd}, not in this workbench`,
    "run it there; or name this workbench with --root, if it is another checkout of the same project",
    { path: file },
  );
}

function refuseOptions(args: Arguments, found: FoundTranscript): void {
  const session = idOption(args, "session");
  if (session !== null && session !== found.session_id)
    throw new UsageError(
      "usage.arguments",
      `--session ${session} and a transcript of session ${found.session_id}`,
      "leave --session out: the transcript says which it is",
    );
}

/** True when the agent runs us itself: it is in the middle of that session. */
function isOwnSession(id: string, env: Terminal["env"]): boolean {
  return HOOK_SPEECHES.some(({ sessionVariables }) => sessionVariables.some((name) => env[name] === id));
}

function lossesOf({ file, losses }: RebuiltSession): readonly Diagnostic[] {
  const { unreadable, oversized, torn } = losses;
  const count = unreadable + oversized;
  if (count === 0) return [];
  const parts: readonly (readonly [number, string])[] = [
    [unreadable - torn, "no JSON"],
    [torn, "cut off at the end"],
    [oversized, "too long"],
  ];
  const detail = parts.flatMap(([number, what]) => (number > 0 ? `${number} ${what}` : [])).join(", ");
  const source = { path: file };
  return [
    {
      code: "transcript.skipped_lines",
      severity: "warn",
      artifact: "feedback",
      source,
      args: { count, detail },
    },
  ];
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** What the option found, in a line for people. */
function summary(
  { title, session_id, commands, edits, subagents }: RebuiltSession,
  newly: "new" | "would be new",
): string {
  const helpers = subagents > 0 ? ` with ${counted(subagents, "subagent")}` : "";
  const filled = commands.filled > 0 ? `, ${commands.filled} got an exit` : "";
  const told = `${counted(commands.told, "command")} (${commands.added} ${newly}${filled})`;
  return `${title} session ${session_id}${helpers}: ${told}, ${counted(edits.told, "edit")} (${edits.added} ${newly})`;
}

/** A transcript as `--json` gives it. */
export interface TranscriptRow {
  readonly file: string;
  readonly agent: string;
  readonly session_id: string;
  readonly subagents: number;
  readonly commands: RebuiltSession["commands"];
  readonly edits: RebuiltSession["edits"];
  readonly context: RebuiltSession["context"];
  readonly unreadable_lines: number;
}

/** What was rebuilt. */
export interface FromTranscript {
  readonly session_id: string;
  /** A record was changed in the middle of the log: what an earlier scan left knows nothing of it. */
  readonly rescan: boolean;
  readonly row: TranscriptRow;
}

/**
 * Does it, and says so; null when the option was not given. With `--dry-run` nothing is written, and no packet can be made
 * of it. Throws UsageError.
 */
export async function applyTranscript(
  args: Arguments,
  terminal: Terminal,
  { root, redactor }: Pick<Workbench, "root" | "redactor">,
): Promise<FromTranscript | null> {
  const named = textOption(args, "from-transcript");
  if (named === null) return null;
  for (const option of ["stdout", "check"])
    if (args[option] !== undefined && args[option] !== false)
      throw new UsageError(
        "usage.arguments",
        `--from-transcript writes the session's records first, and --${option} writes nothing`,
        `leave --${option} out, then see handoff show; or use --dry-run to see what would be written`,
      );
  const { cwd, env } = terminal;
  const found = await findTranscript(named, { cwd, env });
  if (redactor.redactText(found.session_id).text !== found.session_id)
    throw new UsageError(
      "usage.bad_id",
      "the transcript's session id holds a secret",
      "it cannot be used here",
    );
  refuseOptions(args, found);
  if (textOption(args, "root") === null) await refuseElsewhere(found, root);
  const isDryRun = flagOption(args, "dry-run");
  const rebuilt = await rebuildSession({
    root,
    transcript: found,
    redactor,
    now: new Date(),
    isLive: isOwnSession(found.session_id, env),
    isDryRun,
  });
  tellDiagnostics(terminal, lossesOf(rebuilt), false);
  if (!flagOption(args, "json"))
    terminal.out(`${terminal.colors.dim(shown(summary(rebuilt, isDryRun ? "would be new" : "new")))}\n`);
  const { file, agent, session_id, subagents, commands, edits, context, losses } = rebuilt;
  return {
    session_id,
    rescan: commands.filled > 0,
    row: {
      file,
      agent,
      session_id,
      subagents,
      commands,
      edits,
      context,
      unreadable_lines: losses.unreadable + losses.oversized,
    },
  };
}
