// Makes any string from outside fit to show (P36): well-formed Unicode, no ANSI sequences, no control characters,
// invisible and bidirectional controls shown as escapes. Pure, linear in the text; cleaning twice equals cleaning once.

/**
 * ECMA-48 sequences that are complete; of one that never ends only the introducer goes, so that it cannot take the rest
 * of a text with it (ESC and the character after it here, a lone ESC or 8-bit introducer with the other controls). Every
 * alternative is linear: no class contains the character that starts a sequence of its kind, so each character is scanned
 * a bounded number of times. (Node's own stripVTControlCharacters is quadratic on ESC followed by ";#;#…".)
 * - strings (OSC, DCS, SOS, PM, APC) up to BEL or ST on the same line; - the same with 8-bit introducers;
 * - CSI with at most one intermediate: more of them are the words that follow, no known sequence has two;
 * - escapes with an intermediate (a space only before the letters it is defined for); - two-character escapes.
 */
export const ANSI =
  /\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u0090\u0098\u009c-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]?[@-~]|\u001b(?: [F-N]|\$?[!-/][0-~])|\u001b[0-~]/gu;
/** C0 without tab and newline, DEL, C1. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;
/** Everything Unicode calls ignorable (bidirectional, zero-width, tags, fillers), line separators, interlinear marks. Joiners and variation selectors are handled apart. */
const INVISIBLE =
  /(?![\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** A joiner that is not between two parts of an emoji. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d|\u200d(?!\p{Extended_Pictographic})|\u200c/gu;
/** A variation selector that selects nothing: at the start, or after white space or another one (a way to hide bytes). */
const STRAY_SELECTOR = /(?<=^|[\s\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/**
 * What any of the above, or half a character, could be part of: most texts have none of it, also those with letters and
 * signs of all kinds, and one look tells.
 */
export const UNUSUAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]/;

function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xff_ff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/**
 * Cleans a text that may have several lines (an excerpt): newline and tab stay, CRLF and CR become newline.
 * Idempotent.
 */
export function cleanText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(ANSI, "")
    .replace(/\r\n?/gu, "\n")
    .replace(CONTROLS, "")
    .replace(INVISIBLE, escapeOf)
    .replace(STRAY_JOINER, escapeOf)
    .replace(STRAY_SELECTOR, escapeOf);
}

/** Cleans a text for one line (prose, a title): every run of white space becomes one space, ends trimmed. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, " ").trim();
}

const NAMED_CONTROLS: Readonly<Record<string, string>> = {
  "\n": String.raw`\n`,
  "\t": String.raw`\t`,
  "\r": String.raw`\r`,
};

const SHOWABLE = /^[ -~]*$/;

/** Shows a text that must stay exact (a file name, a command) on one line: controls as escapes, nothing removed (P9, P36). */
export function showControls(text: string): string {
  if (SHOWABLE.test(text)) return text;
  const shown = text.replace(
    /[\u0000-\u001f\u007f-\u009f]/gu,
    (c) => NAMED_CONTROLS[c] ?? `\\x${(c.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
  );
  return cleanText(shown);
}
