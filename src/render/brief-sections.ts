// What a brief tells, as rows in the order they are worth telling. A brief of any size is a prefix of this order, so
// shrinking never drops a blocking risk before a changed file. Pure.
import { NOT_THERE } from "../model/not-there.js";
import type { HandoffPacket, Source } from "../model/packet.js";
import { saidByReason } from "./packet-view.js";

/** One line of a section, with where it can be checked and, for failures, an excerpt. */
interface BriefRow {
  readonly text: string;
  readonly place: string | null;
  readonly excerpt: string | null;
}
/** A section as the template sees it: the rows that fit and how many did not. */
interface BriefSection {
  readonly title: string;
  readonly rows: readonly BriefRow[];
  readonly more: number;
}

type SectionName =
  | "since"
  | "blocking"
  | "failures"
  | "decided"
  | "dead_ends"
  | "questions"
  | "load_first"
  | "risks"
  | "assumptions"
  | "scene"
  | "changed"
  | "gaps";

/** Order on the page. */
const TITLES: readonly (readonly [SectionName, string])[] = [
  ["since", "Changed since this packet"],
  ["decided", "Decided"],
  ["dead_ends", "Dead ends, do not try again"],
  ["failures", "Unresolved failures"],
  ["blocking", "Blocking risks"],
  ["risks", "Other risks"],
  ["questions", "Questions only a human can answer"],
  ["assumptions", "Assumptions to validate"],
  ["load_first", "Load these files first"],
  ["scene", "Files in view"],
  ["changed", "Changed files"],
  ["gaps", "Could not be read"],
];
/** Order of worth, in rounds: `[section, rows of this round]`. `excerpts` are those of the failures. */
const ROUNDS: readonly (readonly [SectionName | "doing" | "summary" | "excerpts", number])[] = [
  ["since", 4],
  ["doing", 1],
  ["blocking", 5],
  ["failures", 5],
  ["decided", 6],
  ["dead_ends", 6],
  ["questions", 4],
  ["load_first", 8],
  ["summary", 1],
  ["excerpts", 3],
  ["risks", 5],
  ["assumptions", 5],
  ["since", 12],
  ["scene", 8],
  ["blocking", Infinity],
  ["failures", Infinity],
  ["dead_ends", Infinity],
  ["decided", Infinity],
  ["questions", Infinity],
  ["load_first", Infinity],
  ["since", Infinity],
  ["gaps", 3],
  ["risks", Infinity],
  ["assumptions", Infinity],
  ["scene", Infinity],
  ["changed", Infinity],
  ["gaps", Infinity],
];
/** No brief shows more of one list: bounds the work for packets of any size. */
const MOST_ROWS = 200;

/** A brief's content cut after its first `size` pieces. */
interface BriefContent {
  readonly doing: string | null;
  readonly summary: string | null;
  readonly sections: readonly BriefSection[];
}
/** All there is to tell: how many pieces, and the content of any prefix of them. */
export interface BriefPlan {
  readonly pieces: number;
  readonly take: (size: number) => BriefContent;
}

/** Plans the brief of a packet; `since` is what changed after it, a row each, worst first. */
export function planBrief(packet: HandoffPacket, since: readonly string[] = []): BriefPlan {
  const lists = { ...rowsOf(packet), since: since.map((text) => row(text, null)) };
  const hidden = omittedOf(packet);
  const available: Readonly<Record<string, number>> = {
    ...Object.fromEntries(
      Object.entries(lists).map(([name, rows]) => [name, Math.min(rows.length, MOST_ROWS)]),
    ),
    doing: packet.doing === null ? 0 : 1,
    summary: 1,
    excerpts: Math.min(lists.failures.filter(({ excerpt }) => excerpt !== null).length, 3),
  };
  const left: Record<string, number> = { ...available };
  const order = ROUNDS.flatMap(([name, most]) => {
    const n = Math.min(most, left[name] ?? 0);
    left[name] = (left[name] ?? 0) - n;
    return Array.from({ length: n }, () => name);
  });
  return {
    pieces: order.length,
    take: (size) => {
      const taken: Record<string, number> = {};
      for (const name of order.slice(0, size)) taken[name] = (taken[name] ?? 0) + 1;
      const excerpts = taken["excerpts"] ?? 0;
      const sections = TITLES.map(([name, title]) => {
        const rows = lists[name].slice(0, taken[name] ?? 0);
        const shown =
          name === "failures"
            ? rows.map((failure, i) => (i < excerpts ? failure : { ...failure, excerpt: null }))
            : rows;
        return { title, rows: shown, more: lists[name].length - rows.length + (hidden[name] ?? 0) };
      });
      return {
        doing: taken["doing"] === undefined ? null : packet.doing,
        summary: taken["summary"] === undefined ? null : packet.summary,
        sections: sections.filter(({ rows, more }) => rows.length + more > 0),
      };
    },
  };
}

function rowsOf(packet: HandoffPacket): Readonly<Record<Exclude<SectionName, "since">, readonly BriefRow[]>> {
  const attempts = packet.failed_attempts;
  const failures = attempts.filter((a) => a.kind !== "dead_end" && !a.resolved);
  const dead = attempts.filter((a) => a.kind === "dead_end");
  const risk = (r: HandoffPacket["open_risks"][number]): BriefRow =>
    row(`${r.severity}: ${r.detail}`, r.source);
  const risks = packet.open_risks.filter((r) => r.severity === "block" || !isToldElsewhere(r));
  return {
    blocking: risks.filter((r) => r.severity === "block").map(risk),
    risks: risks.filter((r) => r.severity !== "block").map(risk),
    failures: failures.map((a) => ({
      // The log may be another one by now: a carried failure is checked in the packet it comes from.
      ...(a.carried_from === null
        ? row(failureText(a), a.source)
        : { ...row(failureText(a), null), place: a.carried_from }),
      excerpt: saidByReason(a) ? null : a.excerpt,
    })),
    decided: packet.decisions.map((d) => row(withWhy(d.what, d.why), null)),
    dead_ends: dead.map((d) => row(withWhy(d.what, d.why), null)),
    questions: packet.questions_for_human.map((q) => row(q.text, null)),
    assumptions: packet.assumptions_to_validate.map((a) => row(a.text, null)),
    load_first: packet.prerequisites.map((p) => row(`${p.path}: ${p.why}`, null)),
    scene: packet.scene.map((path) => row(path, null)),
    changed: packet.changed_files.map((f) => row(`${f.change}: ${f.path}`, null)),
    // Every artifact is optional: that one is not there is no news, that one could not be read is.
    gaps: packet.gaps
      .filter((g) => g.code !== "artifact.missing")
      .map((g) => row(`${g.artifact}: ${g.detail}${g.path === null ? "" : ` (${g.path})`}`, null)),
  };
}

/** Failures have a section of their own, reports a line; what is simply not there is in nobody's way. */
function isToldElsewhere({ code, detail }: HandoffPacket["open_risks"][number]): boolean {
  if (code === "gap") return detail.startsWith(NOT_THERE);
  return code === "feedback.unresolved" || code === "verification.missing" || code === "review.missing";
}

function row(text: string, source: Source | null): BriefRow {
  if (source === null) return { text, place: null, excerpt: null };
  const at = source.line !== undefined ? `:${source.line}` : source.pointer ? `#${source.pointer}` : "";
  return { text, place: `${source.path}${at}`, excerpt: null };
}

function failureText(attempt: HandoffPacket["failed_attempts"][number]): string {
  if (attempt.kind === "remainder") return attempt.what;
  const exit = attempt.exit_code === null ? "no exit status" : `exit ${attempt.exit_code}`;
  const times = attempt.count === 1 ? "" : `, ${attempt.count} times`;
  return withWhy(`${attempt.what} (${exit}${times})`, attempt.why);
}

function withWhy(what: string, why: string | null): string {
  return why === null || why === "" ? what : `${what}: ${why}`;
}

/** Rows the packet itself already left out. */
function omittedOf({ omitted }: HandoffPacket): Readonly<Partial<Record<SectionName, number>>> {
  const of = (name: string): number => omitted[name] ?? 0;
  return {
    decided: of("decisions"),
    risks: of("open_risks"),
    questions: of("questions_for_human"),
    assumptions: of("assumptions_to_validate"),
    load_first: of("prerequisites"),
    scene: of("scene"),
    changed: of("changed_files"),
    gaps: of("gaps"),
  };
}
