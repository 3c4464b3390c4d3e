// Reads the reply to the writing turn (R16), leniently: headings in any of the usual shapes and many languages, fenced or
// not. Any text will do and nothing is thrown; what is not there is null.
import { isPlaceholder } from "../packet/text-keeper.js";
import { cleanText } from "../text/clean.js";
import { type ReplyLine, replyLines } from "./reply-lines.js";
import { SECTION_NAMES, type SectionName } from "./section-aliases.js";
import type { Heading } from "./section-headings.js";

/** What the reply says, section by section; null where it says nothing. */
export type Sections = Readonly<Record<SectionName, string | null>>;

/** A reply, read. */
export interface ParsedReply {
  readonly sections: Sections;
  /** Required sections that are not there. Empty: the reply is usable; otherwise the handoff is degraded (R18). */
  readonly missing: readonly ("doing" | "next")[];
}

/** Longest reply that is read, in characters; the rest of a longer one is no summary. */
const LONGEST = 400_000;
const REQUIRED = ["doing", "next"] as const;

const NOTHING: Sections = { doing: null, decided: null, dead_ends: null, next: null, scene: null };

/** A section's text: without rules and empty lines around it. */
function contentOf(lines: readonly string[]): string {
  const isBlank = (line = ""): boolean => /^(?:[-*_=](?:\s?[-*_=]){2,})?$/u.test(line.trim());
  let from = 0;
  let to = lines.length;
  while (from < to && isBlank(lines[from])) from += 1;
  while (to > from && isBlank(lines[to - 1])) to -= 1;
  return lines
    .slice(from, to)
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** "None" says something of dead ends, and nothing of what to do. */
function saysSomething(section: SectionName, content: string): boolean {
  return content !== "" && !((section === "doing" || section === "next") && isPlaceholder(content));
}

/** Cuts at the headings that count; of a section that comes twice the first that says something wins. */
function cut(lines: readonly ReplyLine[], counts: (heading: Heading) => boolean): Sections {
  const sections: Record<SectionName, string | null> = { ...NOTHING };
  let section: SectionName | null = null;
  let level = 6;
  let content: string[] = [];
  const close = (): void => {
    if (section !== null && sections[section] === null) {
      const text = contentOf(content);
      if (saysSomething(section, text)) sections[section] = text;
    }
    content = [];
  };
  for (const { text, heading } of lines) {
    const ends = heading !== null && (heading.section === null ? heading.level <= level : counts(heading));
    if (!ends) {
      content.push(text);
      continue;
    }
    close();
    ({ section, level } = heading);
    if (heading.rest !== "") content.push(heading.rest);
  }
  close();
  return sections;
}

const missingOf = (sections: Sections): ("doing" | "next")[] =>
  REQUIRED.filter((name) => sections[name] === null);

/**
 * The five sections of a reply. Marked headings (`## X`, `**X**`, `__X__`) count always; `X:`, `1. X` and X alone where that
 * section has no marked one, so that "Files: …" inside a section stays text; `- X:` only where a required section is missing
 * otherwise. Control characters are removed, fences are stripped.
 */
export function parseSections(reply: string): ParsedReply {
  const lines = replyLines(cleanText(reply.slice(0, LONGEST)));
  const marked = cut(lines, (heading) => heading.shape === "marked");
  const missesMarked = (heading: Heading): boolean =>
    heading.section !== null && marked[heading.section] === null;
  let sections = cut(
    lines,
    (heading) => heading.shape === "marked" || (heading.shape === "plain" && missesMarked(heading)),
  );
  if (missingOf(sections).length > 0) {
    const items = cut(lines, (heading) => heading.shape === "marked" || missesMarked(heading));
    if (missingOf(items).length < missingOf(sections).length) sections = items;
  }
  return { sections, missing: missingOf(sections) };
}

/** Why a reply is no use (R18): nothing in it is a section, or a required one is missing. Null: it can be used. */
export function whyUnusable({ sections, missing }: ParsedReply): "no_reply" | "section_missing" | null {
  if (missing.length === 0) return null;
  return SECTION_NAMES.every((name) => sections[name] === null) ? "no_reply" : "section_missing";
}
