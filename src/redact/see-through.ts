// Views of a text in which a secret that was cut to pieces stands in one piece again, and the way back to the original.
// Whatever src/text/clean.ts would remove later has to be seen through here: else cleaning would put a secret together.
import { ANSI, UNUSUAL } from "../text/clean.js";

/** A text to search in place of the original, with the way back. */
export interface View {
  readonly text: string;
  /** The place in the original of `[start, end)` of this view; what was left out inside is covered, around it is not. */
  readonly place: (start: number, end: number) => { readonly start: number; readonly end: number };
}

/** Cheap test: most texts hold nothing of what is looked for in detail below, written out or not. */
const WRITTEN_OUT = /\\[xue0]/;
/**
 * Escape sequences, controls, everything Unicode calls ignorable, lone surrogates; and the same written out by JSON,
 * Python or a shell (`\u001b[31m`, `\x1b[31m`, `\e[31m`, `\u200b`). Line breaks and tabs stay.
 */
const HIDDEN = new RegExp(
  [
    ANSI.source,
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`,
    String.raw`[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\p{Cs}]`,
    String.raw`\\(?:x1[bB]|u001[bB]|u\{1[bB]\}|e|033)\[[0-?]*[ -\/]*[@-~]`,
    String.raw`\\(?:x|u00)(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF])`,
    String.raw`\\u(?:00[aA][dD]|061[cC]|180[eE]|200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE][fF][fF])`,
    String.raw`\\u\{(?:200[b-f]|2060|feff)\}|\\x[eE]2\\x80\\x8[b-fB-F]`,
  ].join("|"),
  "gu",
);
/** Quotes and backslashes inside a word, as a shell or a JSON string needs them; `\n`, `\r`, `\t` end a word. */
const QUOTED_INSIDE = /[\w/.+=~-](?:\\(?![nrt])|\$?['"])(?:['"\\$]|\r?\n)*[\w/.+=~-]/u;
/** What quoting cannot do without: rarer than what may stand around it, so looked for first. */
const MAY_QUOTE = /['"\\]/;
const QUOTING = /(?:\\\r?\n|['"\\]|\$(?=['"]))+/gu;

/** The text itself. */
export function plainView(text: string): View {
  return { text, place: (start, end) => ({ start, end }) };
}

function without(view: View, pattern: RegExp): View {
  const { text } = view;
  /** Where a kept piece starts in the new text, and how much was left out before it. */
  const starts: number[] = [0];
  const shifts: number[] = [0];
  let out = "";
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    out += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (starts.at(-1) === out.length) shifts[shifts.length - 1] = at - out.length;
    else {
      starts.push(out.length);
      shifts.push(at - out.length);
    }
  }
  if (at === 0) return view;
  out += text.slice(at);
  const back = (index: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return index + (shifts[low] ?? 0);
  };
  return {
    text: out,
    place: (start, end) => view.place(back(start), end > start ? back(end - 1) + 1 : back(start)),
  };
}

/** The text without hidden characters, and once more with blanks in their place (they may also have stood between words). */
export function seeThroughHidden(view: View): readonly View[] {
  const { text } = view;
  if (!UNUSUAL.test(text) && !WRITTEN_OUT.test(text)) return [view];
  const joined = without(view, HIDDEN);
  if (joined === view) return [view];
  const blanked: View = {
    text: text.replace(HIDDEN, (piece) => " ".repeat(piece.length)),
    place: view.place,
  };
  return [joined, blanked];
}

/** The text without quotes and backslashes, or null when none stand inside a word. */
export function seeThroughQuoting(view: View): View | null {
  return MAY_QUOTE.test(view.text) && QUOTED_INSIDE.test(view.text) ? dropQuoting(view) : null;
}

/** The text without any quote and backslash. */
export function dropQuoting(view: View): View {
  return without(view, QUOTING);
}
