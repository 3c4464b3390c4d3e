// handoff rollover: a session replaces itself in its own pane (src/rollover/README.md). Here: what was asked for, and how the answer
// is told.
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import type { RolloverAnswer } from "../../rollover/answer.js";
import { executeRoll } from "../../rollover/execute-roll.js";
import {
  cancelRollover,
  confirmRollover,
  openRollover,
  resumeRollover,
  rolloverStatus,
} from "../../rollover/rollover.js";
import type { PaneStatus } from "../../rollover/rollover-status.js";
import { findRoot } from "../../workbench/find-root.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { printJson, shown } from "../report.js";
import type { Terminal } from "../terminal.js";

const ACTIONS = "open, confirm, cancel, status or resume";

/** Throws UsageError for a --root that is no folder. */
async function placeOf(args: Arguments, { cwd, env }: Terminal) {
  const root = textOption(args, "root");
  return { cwd: root === null ? cwd : await findRoot(cwd, root), env };
}

function tokenOf(args: Arguments): string {
  const token = textOption(args, "token");
  if (token !== null) return token;
  throw new UsageError("usage.value", "--token is missing", "handoff rollover open gives one");
}

/** Tells an answer, gates included where one of them refused. Exit 0 accepted, 1 refused. */
function printAnswer(answer: RolloverAnswer, args: Arguments, terminal: Terminal): ExitCode {
  const exit = answer.ok ? EXIT.ok : EXIT.refused;
  if (flagOption(args, "json")) {
    const { ok, ...own } = answer;
    const error = answer.ok
      ? null
      : { code: answer.refusal, what: answer.message, hint: answer.hint, path: null, line: null };
    // The token of a request is for whoever asked, and for once.
    printJson(terminal, { ok, error }, own, ["token"]);
    return exit;
  }
  const { out, err, colors, errorColors } = terminal;
  if (answer.ok) {
    if (answer.action === "open") {
      out(`${colors.bold("token")}    ${answer.token}\n`);
      out(`${colors.bold("handover")} ${shown(answer.handover_path)}\n`);
    }
    out(`${shown(answer.message)}\n`);
    return exit;
  }
  err(`handoff: ${errorColors.red(answer.refusal)}: ${shown(answer.message)}\n`);
  err(`  ${errorColors.dim(shown(answer.hint))}\n`);
  for (const { code, passed, why } of answer.gates)
    err(`  ${passed === null ? "–" : passed ? "✓" : "✗"} ${code}: ${shown(why)}\n`);
  return exit;
}

function paneLines(pane: PaneStatus): readonly string[] {
  const { state, phase, ending, why, roll_id, session_id, new_session, packet_path, at, hint } = pane;
  const where = state === "rolling" || state === "interrupted" ? `${state} (${phase})` : state;
  const said = [ending, why].filter((part) => part !== null && part !== "").join(": ");
  return [
    `${pane.pane} ${where}${roll_id === null ? "" : ` ${roll_id}`} ${at.slice(0, 19).replace("T", " ")} UTC`,
    ...(said === "" ? [] : [said]),
    `${session_id}${new_session === null ? "" : ` -> ${new_session}`}${packet_path === null ? "" : `, ${packet_path}`}`,
    ...(hint === "" ? [] : [hint]),
  ];
}

function printPanes(
  panes: readonly PaneStatus[],
  none: string,
  args: Arguments,
  terminal: Terminal,
): ExitCode {
  if (flagOption(args, "json")) {
    printJson(terminal, { ok: true }, { panes });
    return EXIT.ok;
  }
  if (panes.length === 0) terminal.out(`${none}\n`);
  for (const pane of panes) {
    const [first = "", ...rest] = paneLines(pane);
    terminal.out(`${shown(first)}\n`);
    for (const line of rest) terminal.out(`  ${terminal.colors.dim(shown(line))}\n`);
  }
  return EXIT.ok;
}

/** Runs it. Exit 0 accepted, 1 refused, 2 usage and files. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const place = await placeOf(args, terminal);
  switch (args["action"]) {
    case "open": {
      const reason = textOption(args, "reason");
      return printAnswer(
        await openRollover({ ...place, ...(reason === null ? {} : { reason }) }),
        args,
        terminal,
      );
    }
    case "confirm": {
      const operatorConfirmed = flagOption(args, "operator-confirmed");
      const asked = { ...place, token: tokenOf(args), operatorConfirmed };
      return printAnswer(await confirmRollover(asked), args, terminal);
    }
    case "cancel":
      return printAnswer(await cancelRollover({ ...place, token: tokenOf(args) }), args, terminal);
    case "status":
      return printPanes(
        (await rolloverStatus(place)).panes,
        "no request and no roll on record",
        args,
        terminal,
      );
    case "resume":
      return printPanes((await resumeRollover(place)).panes, "no roll is interrupted", args, terminal);
    case "execute":
      // The process that a confirm starts: nobody reads what it says.
      await executeRoll(place.cwd, terminal.env);
      return EXIT.ok;
    default:
      throw new UsageError(
        "usage.value",
        args["action"] === undefined
          ? "what to do is missing"
          : `there is no ${JSON.stringify(args["action"])}`,
        `handoff rollover ${ACTIONS}`,
      );
  }
}
