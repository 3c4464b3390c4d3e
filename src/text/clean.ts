// Makes any string from outside fit to show (P36): well-formed Unicode, no ANSI sequences, no control characters,
// invisible and bidirectional controls shown as escapes. Pure; cleaning twice equals cleaning once.
import { stripVTControlCharacters } from "node:util";

/** C0 without tab and newline, DEL, C1. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;
/** OSC/DCS/APC/PM strings, which stripVTControlCharacters leaves behind when they end in ST or never end on their line. */
const ANSI_STRINGS =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=\n)|$)/gu;
/** Bidirectional and zero-width controls, soft hyphen, BOM, tags, line and paragraph separators. ZWJ and ZWNJ are handled apart. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;
/** A joiner that is not between two parts of an emoji. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
const ZWNJ = /\u200c/gu;

function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xff_ff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/**
 * Cleans a text that may have several lines (an excerpt): newline and tab stay, CRLF and CR become newline.
 * Idempotent.
 */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed().replace(ANSI_STRINGS, ""))
    .replace(/\r\n?/gu, "\n")
    .replace(CONTROLS, "")
    .replace(INVISIBLE, escapeOf)
    .replace(STRAY_JOINER, escapeOf)
    .replace(ZWNJ, escapeOf);
}

/** Cleans a text for one line (prose, a title): every run of white space becomes one space, ends trimmed. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, " ").trim();
}
