// Flags text that looks like instructions to an agent (S17). Nothing is taken out: it stays where it was found, and a risk
// says where. Pure, bounded in time and rows.
import type { HandoffPacket, OpenRisk, Source } from "../model/packet.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { LAST_SAID } from "./collect-recorded.js";
import { patternOf, type SuspectKind, type SuspectPattern } from "./suspect-patterns.js";
import { plainViews, spokenText } from "./suspect-views.js";
import { patternsFor, patternsForAll } from "./suspect-words.js";

/** Texts flagged one by one; the rest are counted in one row. */
const MOST_FLAGGED = 10;
const QUOTE_BYTES = 160;
/** The sources of the counted ones, in one row. */
const SOURCES_UNITS = 600;
const PATH_BYTES = 120;
/** No field of a packet is longer, except file names. */
const MOST_UNITS = 8192;

interface Suspicion {
  readonly kind: SuspectKind;
  readonly quote: string;
}

function searchText(text: string, patterns: readonly SuspectPattern[]): Suspicion | null {
  if (patterns.length === 0) return null;
  const original = text.slice(0, MOST_UNITS);
  const views = plainViews(original);
  for (const row of patterns)
    for (const view of row.on === "exact" ? [original] : views[row.on]) {
      const at = view.search(patternOf(row));
      if (at !== -1)
        return { kind: row.kind, quote: cutText(cleanLine(view.slice(Math.max(0, at - 20))), QUOTE_BYTES) };
    }
  return null;
}

function spokenOf(text: string): string {
  return spokenText(text.slice(0, MOST_UNITS));
}

/** What a text tries, with the words that say so; null for one that talks to nobody. */
export function findSuspect(text: string): Suspicion | null {
  return searchText(text, patternsFor(spokenOf(text)));
}

/** A text from outside and where it was found. */
interface FoundText {
  readonly text: string | null;
  readonly source: Source;
}

type Content = Omit<HandoffPacket, "packet_id">;

/** The state's place: where it is to be loaded from, else where something recorded by this session comes from. */
function stateFileOf(packet: Content): string {
  const own = [...packet.decisions, ...packet.failed_attempts, ...packet.questions_for_human]
    .filter(({ carried_from }) => carried_from === null)
    .map(({ source }) => source.path);
  const places = [
    ...packet.prerequisites.map(({ path }) => path),
    packet.next_action_source.source?.path,
    ...own,
  ];
  return places.find((path) => /(?:^|\/)agent_state\.json$/u.test(path ?? "")) ?? "agent_state.json";
}

/** Everything others wrote, in the order of the packet; `summary` only repeats. */
function* textsOf(packet: Content): Generator<FoundText> {
  const next = packet.next_action_source.source;
  if (next !== null) yield { text: packet.next_action, source: next };
  for (const { what, why, excerpt, source } of packet.failed_attempts) {
    yield { text: what, source };
    yield { text: why, source };
    yield { text: excerpt, source };
  }
  for (const { command, source } of packet.commands_run) yield { text: command, source };
  for (const { command, source } of packet.feedback.tail) yield { text: command, source };
  for (const { detail, source } of packet.open_risks) yield { text: detail, source };
  for (const { what, why, source } of packet.decisions) {
    yield { text: what, source };
    yield { text: why, source };
  }
  for (const { text, source } of [...packet.assumptions_to_validate, ...packet.questions_for_human])
    yield { text, source };
  const stateFile = stateFileOf(packet);
  const doing = packet.doing?.startsWith(LAST_SAID)
    ? { path: `.handoff/sessions/${packet.session_id}/session.json`, pointer: "/last_message" }
    : { path: stateFile, pointer: "/doing" };
  yield { text: packet.doing, source: doing };
  for (const text of packet.scene) yield { text, source: { path: stateFile, pointer: "/scene" } };
  for (const { path, renamed_from } of packet.changed_files) {
    yield { text: path, source: { path: "git status" } };
    yield { text: renamed_from, source: { path: "git status" } };
  }
  for (const { subject } of packet.commits) yield { text: subject, source: { path: "git log" } };
  for (const { detail, path } of packet.gaps) yield { text: detail, source: { path: path ?? "." } };
  if (packet.branch !== null) yield { text: packet.branch, source: { path: "git status" } };
}

function placeKey({ path, line, pointer }: Source): string {
  return `${path}\n${line ?? ""}\n${pointer ?? ""}`;
}

/** Risks for the texts of a packet that look like instructions to an agent: one a place and kind, the first ten by name. */
export function flagSuspectText(packet: Content): OpenRisk[] {
  const seenTexts = new Set<string>();
  const seenPlaces = new Set<string>();
  const flagged: { kind: SuspectKind; quote: string; source: Source }[] = [];
  const texts = [...textsOf(packet)].flatMap(({ text, source }) =>
    text === null || text === "" ? [] : [{ text, source }],
  );
  const spoken = new Map<string, string>();
  for (const { text } of texts) if (!spoken.has(text)) spoken.set(text, spokenOf(text));
  const patterns = patternsForAll(spoken.values());
  if (patterns.length === 0) return [];
  for (const { text, source } of texts) {
    const own = patternsFor(spoken.get(text) ?? "", patterns);
    if (own.length === 0 || seenTexts.has(`${placeKey(source)}\n${text}`)) continue;
    seenTexts.add(`${placeKey(source)}\n${text}`);
    const found = searchText(text, own);
    if (found === null) continue;
    // A failure's command, reason and excerpt, and the risk made of them, are one find.
    const place = `${found.kind}\n${placeKey(source)}${source.path.startsWith("git ") ? text : ""}`;
    if (seenPlaces.has(place)) continue;
    seenPlaces.add(place);
    flagged.push({ ...found, source });
  }
  const rows = flagged
    .slice(0, MOST_FLAGGED)
    .map(({ kind, quote, source }): OpenRisk => risk(`${kind}: "${quote}"`, source));
  const rest = flagged.slice(MOST_FLAGGED).map(({ source }) => source);
  const [first] = rest;
  if (first !== undefined)
    rows.push(
      risk(
        `${rest.length} more ${rest.length === 1 ? "text that looks" : "texts that look"} like instructions to an agent: ${sourcesOf(rest)}`,
        first,
      ),
    );
  return rows;
}

/** Files in the order they were met, each with its lines or pointers: `log.jsonl 7, 9; agent_state.json /doing`. Bounded. */
function sourcesOf(sources: readonly Source[]): string {
  const files = new Map<string, Set<string>>();
  for (const { path, line, pointer } of sources) {
    const places = files.get(path) ?? new Set<string>();
    files.set(path, places);
    const place = line === undefined || line === null ? (pointer ?? "") : String(line);
    if (place !== "") places.add(place);
  }
  let out = "";
  let left = 0;
  for (const [path, places] of files) {
    const name = cutText(cleanLine(path), PATH_BYTES);
    const entries = places.size === 0 ? [""] : [...places];
    for (const [i, place] of entries.entries()) {
      const entry = i === 0 ? `${out === "" ? "" : "; "}${name} ${place}`.trimEnd() : `, ${place}`;
      // A place that is left out is counted: the list never goes on behind a hole.
      if (left > 0 || out.length + entry.length > SOURCES_UNITS) left += 1;
      else out += entry;
    }
  }
  return left === 0 ? out : `${out} and ${left} more ${left === 1 ? "place" : "places"}`;
}

function risk(detail: string, source: Source): OpenRisk {
  return { severity: "warn", code: "suspect_text", detail, original_severity: null, source };
}
