// A packet for a person at a terminal: headings, colours by severity, lines wrapped. Every text from the packet passes
// shown() or shownBlock(), so that nothing in it can command the terminal (S17).
import { isCarriedAction } from "../model/carried-action.js";
import type { FailedAttempt, HandoffPacket, OpenRisk, Source } from "../model/packet.js";
import { saidByReason } from "../render/packet-view.js";
import { cleanText } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { breakText, hanging } from "./lay-out.js";
import { shown } from "./report.js";
import type { Terminal } from "./terminal.js";

type Colors = Terminal["colors"];

const MAX_COLUMNS = 100;
const EXCERPT_BYTES = 1200;

function place({ path, line, pointer }: Source): string {
  const at = line === undefined ? (pointer ?? "") : `:${line}`;
  return shown(`${path}${pointer === undefined || line !== undefined ? at : `#${pointer}`}`);
}

function because(why: string | null): string {
  return why === null || why === "" ? "" : `: ${shown(why)}`;
}

/** Writes lines of one width. */
class Page {
  readonly #lines: string[] = [];
  constructor(
    readonly columns: number,
    readonly colors: Colors,
  ) {}

  /** A section with its rows; nothing for one that has none. */
  section(title: string, rows: readonly string[], omitted?: number): void {
    const all = omitted === undefined ? rows : [...rows, this.colors.dim(`  … and ${omitted} more`)];
    if (all.length === 0) return;
    this.#lines.push("", this.colors.bold(this.colors.cyan(title)), ...all);
  }

  text(first: string, text: string): string {
    return hanging(first, text, this.columns);
  }

  line(line: string): void {
    this.#lines.push(line);
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

function riskRow(page: Page, { severity, detail, code, source }: OpenRisk): string {
  const { red, yellow, dim } = page.colors;
  const paint = { block: red, warn: yellow, info: dim }[severity];
  // Colours go on after wrapping, so that widths are those of the text.
  const [head = "", ...rest] = page
    .text(`  ${severity.padEnd(5)} `, `${shown(detail)} (${code}, ${place(source)})`)
    .split("\n");
  return [paint(head.slice(0, 8)) + head.slice(8), ...rest].join("\n");
}

function attemptRow(page: Page, attempt: FailedAttempt): string {
  const exit = attempt.exit_code === null ? "no exit status" : `exit ${attempt.exit_code}`;
  const times = attempt.count === 1 ? "" : `, ${attempt.count} times`;
  const how = attempt.kind === "command" ? ` (${exit}${times}, ${place(attempt.source)})` : "";
  const carried = attempt.carried_from === null ? "" : ` [from ${attempt.carried_from}]`;
  const row = page.text("  - ", `${shown(attempt.what)}${how}${because(attempt.why)}${carried}`);
  if (attempt.excerpt === null || attempt.resolved || saidByReason(attempt)) return row;
  const excerpt = cutText(cleanText(attempt.excerpt), EXCERPT_BYTES).trimEnd().split("\n");
  const lines = excerpt
    .flatMap((line) => breakText(line.replaceAll("\t", "  "), page.columns - 6))
    .map((line) => page.colors.dim(`    | ${line}`));
  return [row, ...lines].join("\n");
}

function identity(page: Page, packet: HandoffPacket): void {
  const { bold, dim, green, yellow } = page.colors;
  const status = packet.status === "active" ? green(packet.status) : yellow(packet.status);
  const task = packet.task_id === null ? "no task" : shown(packet.task_id);
  page.line(`${bold(packet.packet_id)} ${status} ${dim("·")} ${task}`);
  const head = packet.head_commit === null ? "" : ` at ${packet.head_commit.slice(0, 12)}`;
  const good =
    packet.last_known_good_commit === null
      ? "no known good commit"
      : `last good ${packet.last_known_good_commit.slice(0, 12)}`;
  const where = packet.branch === null ? "no git" : `${shown(packet.branch)}${head}, ${good}`;
  const when =
    packet.generated_at === null ? "" : `, ${packet.generated_at.slice(0, 16).replace("T", " ")} UTC`;
  page.line(
    dim(page.text("", `${where}; session ${shown(packet.session_id)}, topic ${shown(packet.topic)}${when}`)),
  );
  if (packet.superseded_by !== null) page.line(yellow(`superseded by ${packet.superseded_by}`));
  if (packet.degraded !== null)
    page.line(
      yellow(page.text("", `degraded (${shown(packet.degraded.reason)}): ${shown(packet.degraded.detail)}`)),
    );
}

function verdict(page: Page, { verification, review }: HandoffPacket["verdict_pointer"]): string[] {
  const { green, red, yellow } = page.colors;
  const paint = (outcome: string): string =>
    (outcome === "passed" || outcome === "pass" ? green : outcome === "missing" ? yellow : red)(outcome);
  const stale = (is: boolean | null): string => (is === true ? yellow(" stale") : "");
  const at = (path: string | null): string => (path === null ? "" : ` ${page.colors.dim(shown(path))}`);
  const total = review.total === null ? "" : `, total ${review.total}`;
  return [
    `  verification ${paint(verification.outcome)}${stale(verification.stale)}${at(verification.path)}`,
    `  review       ${paint(review.outcome)}${total}${stale(review.stale)}${at(review.path)}`,
  ];
}

/** The packet in words, at most 100 columns wide, with colours where the terminal has them. */
export function showPacket(packet: HandoffPacket, columns: number, colors: Colors): string {
  const page = new Page(Math.max(40, Math.min(MAX_COLUMNS, columns)), colors);
  const { omitted } = packet;
  const items = (texts: readonly string[]): string[] => texts.map((text) => page.text("  - ", text));
  const from = (id: string | null): string => (id === null ? "" : ` [from ${id}]`);
  identity(page, packet);
  const { derived, source } = packet.next_action_source;
  const carried = isCarriedAction(packet.next_action_source);
  const origin = `${carried ? "carried over" : derived ? "derived" : "recorded"}${source === null ? "" : `, ${place(source)}`}`;
  page.section("Next action", [
    page.text("  ", shown(packet.next_action)),
    colors.dim(page.text("  ", origin)),
  ]);
  page.section("Summary", [page.text("  ", shown(packet.summary))]);
  page.section("Verdict", verdict(page, packet.verdict_pointer));
  page.section(
    "Open risks",
    packet.open_risks.map((risk) => riskRow(page, risk)),
    omitted["open_risks"],
  );
  const attempts = packet.failed_attempts.filter(({ kind }) => kind !== "dead_end");
  const rows = (which: (a: FailedAttempt) => boolean): string[] =>
    attempts.filter(which).map((a) => attemptRow(page, a));
  page.section(
    "Unresolved failures",
    rows(({ resolved }) => !resolved),
  );
  page.section(
    "Dead ends",
    packet.failed_attempts.filter(({ kind }) => kind === "dead_end").map((a) => attemptRow(page, a)),
  );
  if (packet.doing !== null) page.section("Doing", [page.text("  ", shown(packet.doing))]);
  page.section(
    "Decisions",
    items(packet.decisions.map((d) => `${shown(d.what)}${because(d.why)}${from(d.carried_from)}`)),
    omitted["decisions"],
  );
  page.section(
    "Questions for the human",
    items(packet.questions_for_human.map((q) => shown(q.text) + from(q.carried_from))),
    omitted["questions_for_human"],
  );
  page.section(
    "Assumptions to validate",
    items(packet.assumptions_to_validate.map((a) => shown(a.text) + from(a.carried_from))),
    omitted["assumptions_to_validate"],
  );
  page.section(
    "Load first",
    items(packet.prerequisites.map((p) => `${shown(p.path)}: ${shown(p.why)}`)),
    omitted["prerequisites"],
  );
  page.section("Scene", items(packet.scene.map(shown)), omitted["scene"]);
  page.section(
    "Changed files",
    items(packet.changed_files.map((f) => changedRow(f))),
    omitted["changed_files"],
  );
  page.section(
    "Commits",
    items(packet.commits.map((c) => `${c.sha.slice(0, 12)} ${shown(c.subject)}`)),
    omitted["commits"],
  );
  page.section(
    "Resolved failures",
    rows(({ resolved }) => resolved),
  );
  page.section(
    "Gaps",
    items(
      packet.gaps.map(
        (g) => `${shown(g.artifact)}: ${shown(g.detail)}${g.path === null ? "" : ` (${shown(g.path)})`}`,
      ),
    ),
    omitted["gaps"],
  );
  const { total, nonzero, skipped_lines } = packet.feedback;
  page.section("Log", [`  ${total} commands, ${nonzero} nonzero, ${skipped_lines} lines skipped`]);
  return page.toString();
}

function changedRow({
  path,
  change,
  insertions,
  deletions,
  committed,
}: HandoffPacket["changed_files"][number]): string {
  const lines = insertions === null || deletions === null ? "" : ` +${insertions} -${deletions}`;
  return `${shown(path)}: ${change}${lines}${committed ? "" : ", not committed"}`;
}
