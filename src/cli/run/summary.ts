// The end of a run: every session in a row, what it all came to, and where that is written down.
import { existsSync } from "node:fs";
import path from "node:path";
import type { HandoffPacket } from "../../model/packet.js";
import type { RunGeneration } from "../../model/run-ledger.js";
import { runFolder } from "../../rotation/run-folder.js";
import type { AttemptRecord } from "../../operator/attempt-record.js";
import type { RunEnd } from "../../rotation/run-options.js";
import { locatePacket, packetOf } from "../../session/locate-packet.js";
import type { Workbench } from "../../session/open-workbench.js";
import { layColumns } from "../lay-out.js";
import { printFailure, printJson, shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";
import { count, formatCost, formatElapsed, formatTokens, shortSession } from "./figures.js";
import { costOf, type RunView } from "./run-view.js";

/** How a run ended, and what was seen of it. */
export interface EndedRun {
  readonly end: RunEnd;
  readonly view: RunView;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Of a run in a tree of its own (O6); else null. */
  readonly attempt: AttemptRecord | null;
}

const LOOKS = {
  done: "green",
  running: "cyan",
  stopped: "yellow",
  failed: "red",
  interrupted: "yellow",
} as const;

function contextOf({ context, window }: RunGeneration): string {
  if (context === 0) return "no reading";
  return window === null ? formatTokens(context) : `${formatTokens(context)} of ${formatTokens(window)}`;
}

/** Below this a row has no room for session ids in full; the ledger has them. */
const WIDE = 100;

function sessionRow(row: RunGeneration, runId: string, columns: number | null): string[] {
  const packet =
    row.packet_id === null
      ? "no packet"
      : `${row.packet_id}${row.degraded === null ? "" : ` (${row.degraded})`}`;
  const failed =
    row.attempts === 0 ? [] : [row.attempts === 1 ? "1 try failed" : `${row.attempts} tries failed`];
  return [
    `  ${row.generation}`,
    shown(row.agent),
    row.session_id === null
      ? "no session"
      : columns === null || columns >= WIDE
        ? shown(row.session_id)
        : shortSession(shown(row.session_id), runId),
    contextOf(row),
    [packet, ...failed].join(", "),
  ];
}

/** Null: it could not be written. */
function ledgerFile({ end }: EndedRun, { root, outDir }: Workbench): string | null {
  const file = path.join(runFolder(root, outDir, end.run_id), "run.json");
  return existsSync(file) ? file : null;
}

/** Prints the summary of a run; `out` is stdout, or stderr where stdout has the events. */
export function printSummary(
  ended: EndedRun,
  workbench: Workbench,
  terminal: Terminal,
  { out, colors }: Pick<Terminal, "out" | "colors">,
): void {
  const { end, view, now } = ended;
  const { generations, status } = end.ledger;
  const cost = costOf(view);
  const { commands = 0, failures = 0 } = view.progress ?? {};
  const facts = [
    count(generations.length, "session"),
    ...(commands === 0
      ? []
      : [`${count(commands, "command")}${failures === 0 ? "" : `, ${failures} failed`}`]),
    ...(cost === null ? [] : [formatCost(cost)]),
    formatElapsed(now - view.started_at),
  ];
  const word = colors[LOOKS[status]](status);
  out(`${end.run_id} ${word}${colors.dim(`: ${facts.join(" · ")}`)}\n`);
  const { outColumns } = terminal;
  const rows = generations.map((row) => sessionRow(row, end.run_id, outColumns));
  for (const line of layColumns(rows, outColumns)) out(`${line}\n`);
  const ledger = ledgerFile(ended, workbench);
  if (ledger !== null) out(`${colors.dim(shownPath(ledger, terminal.cwd))}\n`);
}

async function lastPacket(
  { ledger }: RunEnd,
  workbench: Workbench,
): Promise<{ readonly packet: HandoffPacket | null; readonly path: string | null }> {
  const ref = ledger.generations.findLast(({ packet_id }) => packet_id !== null)?.packet_id ?? null;
  if (ref === null) return { packet: null, path: null };
  try {
    const found = await locatePacket(workbench, { ref });
    return { packet: packetOf(found), path: found.json_path };
  } catch {
    // Archived or broken meanwhile: the ledger names it all the same.
    return { packet: null, path: null };
  }
}

/** What `--json` has of a run besides what every result has; null where there is nothing. */
export interface RunRows {
  readonly dry_run: boolean;
  readonly run_id: string | null;
  readonly status: string | null;
  readonly rule: string | null;
  readonly exit: number;
  readonly ledger: string | null;
  readonly session_id: string | null;
  readonly retired: readonly string[];
  readonly generations: readonly unknown[];
  readonly plan: unknown;
  /** Where the work is, of a run in a tree of its own. */
  readonly worktree: Pick<
    AttemptRecord,
    "attempt" | "branch" | "base_commit" | "checkpoint" | "tree" | "held"
  > | null;
  readonly warnings: readonly { readonly code: string; readonly what: string }[];
}

function worktreeRow(record: AttemptRecord): NonNullable<RunRows["worktree"]> {
  const { attempt, branch, base_commit, checkpoint, tree, held } = record;
  return { attempt, branch, base_commit, checkpoint, tree, held };
}

/** Prints the result of a run as `--json` has it. */
export async function printResult(
  ended: EndedRun,
  workbench: Workbench,
  terminal: Terminal,
  warnings: RunRows["warnings"],
): Promise<void> {
  const { end, attempt } = ended;
  const { ledger, message } = end;
  const rows: RunRows = {
    dry_run: false,
    run_id: end.run_id,
    status: end.status,
    rule: end.rule,
    exit: end.exit,
    ledger: ledgerFile(ended, workbench),
    session_id: ledger.session_id,
    retired: ledger.retired,
    generations: ledger.generations,
    plan: null,
    worktree: attempt === null ? null : worktreeRow(attempt),
    warnings,
  };
  const error = message === null ? null : { ...message, path: null, line: null };
  printJson(terminal, { ok: end.exit === 0, ...(await lastPacket(end, workbench)), error }, { ...rows });
}

/** Says why a run did not end well, and what to do. */
export function printEnding({ message }: RunEnd, terminal: Terminal): void {
  if (message !== null) printFailure(terminal, message);
}
