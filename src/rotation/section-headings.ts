// Which lines of a reply are headings of its sections (R16), in any of the shapes agents use. An alias inside a sentence is
// none: a heading fills its line, or stands before a colon or dash.
import { type SectionName, sectionOf } from "./section-aliases.js";

/** A heading, and the text on its line. */
export interface Heading {
  /** Null: a `#` heading of something else, which ends the section before it. */
  readonly section: SectionName | null;
  /** Text on the heading's own line; often empty. */
  readonly rest: string;
  /** `marked`: `## X`, `**X**`, `__X__`, X underlined. `plain`: `X:`, `1. X`, `*X*`, `[X]`, X alone. `item`: `- X:`, `X - text`. */
  readonly shape: "marked" | "plain" | "item";
  /** Of a `#` heading 1 to 6; of the others 6. */
  readonly level: number;
}

/** Longest heading; what is longer is a sentence. */
const LONGEST = 60;
/** A colon, or a dash between spaces. */
const COLON = /\s*[:：]\s*/u;
const COLON_OR_DASH = /\s*[:：]\s*|\s[-–—]+\s+/u;

/** The section of a title without its marks, number, signs and asides: `1. **Dead ends** (with why):`. */
function titleSection(title: string): SectionName | null {
  if (title.length > LONGEST * 2) return null;
  const bare = title
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/^(?:(?:section|part) )?(?:\d{1,2}|[A-Ea-e]|[IVX]{1,4})[.)、．:]\s*/iu, "")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/\s*[(（][^()（）]{0,80}[)）]/gu, "")
    .replace(/[\s*_:：.。#]+$/u, "");
  if (bare === "" || bare.length > LONGEST) return null;
  // `Scene / files`: two names for one thing.
  return sectionOf(bare) ?? sectionOf(bare.split(" / ", 1)[0] ?? "");
}

/** A title alone, or a title, a separator and text. */
function titled(line: string, separator: RegExp, shape: Heading["shape"], level = 6): Heading | null {
  const alone = titleSection(line);
  if (alone !== null) return { section: alone, rest: "", shape, level };
  const found = separator.exec(line.slice(0, LONGEST * 2));
  const section = found === null ? null : titleSection(line.slice(0, found.index));
  if (found === null || section === null) return null;
  const rest = line.slice(found.index + found[0].length).replace(/^[*_]{2}\s*/u, "");
  return { section, rest: rest.trim(), shape, level };
}

/** `## X`, `## 1. X: text`, `## **X** — text`; any other `#` heading is one of something else. */
function hashHeading(line: string): Heading | null {
  const { marks, title } = /^(?<marks>#{1,6})\s*(?<title>[^#\s].*)$/u.exec(line)?.groups ?? {};
  if (marks === undefined || title === undefined) return null;
  const level = marks.length;
  const heading = titled(title, COLON_OR_DASH, "marked", level);
  // `#123` and `#!/bin/sh` are no headings.
  if (heading !== null || !/^#+\s/u.test(line)) return heading;
  return { section: null, rest: "", shape: "marked", level };
}

/** `**X**`, `**X:** text`, `__X__: text`, also numbered or as a list item. */
const BOLD =
  /^(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?:\*{2,3}(?<stars>[^*]{1,120})\*{2,3}|__(?<bars>[^_]{1,120})__)(?<rest>.*)$/u;

function boldHeading(line: string): Heading | null {
  const groups = BOLD.exec(line)?.groups;
  const title = groups?.["stars"] ?? groups?.["bars"];
  const rest = groups?.["rest"] ?? "";
  if (title === undefined) return null;
  // Inside the marks with its text: `**Next: run it**`.
  const inside = titled(title, COLON, "marked");
  if (inside === null) return null;
  if (inside.rest !== "") return { ...inside, rest: `${inside.rest} ${rest.trim()}`.trim() };
  if (/[:：]\s*$/u.test(title)) return { ...inside, rest: rest.trim() };
  // `**Next** we shall see` is the beginning of a sentence.
  const separator = /^(?:\s*[:：]|\s+[-–—]+(?=\s))\s*/u;
  const stands = rest.trim() === "" || separator.test(rest);
  return stands ? { ...inside, rest: rest.replace(separator, "").trim() } : null;
}

/** `*X:* text`, `` `X`: text ``, `[X]`: a title in single marks; `[x](…)` is a link. */
const DRESSED =
  /^(?:(?<mark>[*_`])(?<inner>[^*_`]{1,60})\k<mark>|\[(?<boxed>[^[\]]{1,60})\](?!\())(?<rest>.*)$/u;

function dressedHeading(line: string): Heading | null {
  const { inner, boxed, rest = "" } = DRESSED.exec(line)?.groups ?? {};
  const title = inner ?? boxed ?? "";
  const section = titleSection(title);
  if (section === null) return null;
  const stands = /[:：]\s*$/u.test(title) || /^\s*(?:[:：]|$)/u.test(rest);
  return stands ? { section, rest: rest.replace(/^\s*[:：]/u, "").trim(), shape: "plain", level: 6 } : null;
}

/** What a line is, seen with its neighbours; null: text. */
export function headingOf(line: string, before: string, after: string): Heading | null {
  const text = line.replace(/^(?:\s*>)*\s*/u, "");
  if (text === "") return null;
  const marked = hashHeading(text) ?? boldHeading(text);
  if (marked !== null) return marked;
  if (/^\s*(?:={3,}|-{3,})\s*$/u.test(after)) {
    const underlined = titleSection(text);
    if (underlined !== null) return { section: underlined, rest: "", shape: "marked", level: 2 };
  }
  const item = /^[-*+•]\s+(?<text>.*)$/u.exec(text)?.groups?.["text"];
  if (item !== undefined) return titled(item, COLON_OR_DASH, "item");
  const numbered = /^(?:\d{1,2}|[IVX]{1,4})[.)、]\s*(?<text>\D.*)$/u.exec(text)?.groups?.["text"];
  if (numbered !== undefined) return titled(numbered, COLON_OR_DASH, "plain");
  const plain = dressedHeading(text) ?? titled(text, COLON, "plain") ?? titled(text, /\s[-–—]+\s+/u, "item");
  // Alone on its line without a colon it is a heading only where a paragraph begins, and spelt like one.
  const bare = plain !== null && plain.rest === "" && !/[:：]\s*[*_`]*\s*$/u.test(text);
  return bare && (before.trim() !== "" || /^\p{Ll}/u.test(text)) ? null : plain;
}
