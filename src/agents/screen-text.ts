// A terminal's screen as a multiplexer gives it, with the sequences that colour it: which text stands there, and which of it is
// faint, as agents print what nobody has typed (a placeholder, a suggestion).

/** A line of a screen. */
export interface ScreenLine {
  readonly text: string;
  /** The same without what is faint; blanks stand in its place. */
  readonly typed: string;
  /** What its first character is printed with. */
  readonly first: { readonly faint: boolean; readonly reverse: boolean };
}

interface Pen {
  readonly dim: boolean;
  readonly grey: boolean;
  readonly reverse: boolean;
}

const PLAIN: Pen = { dim: false, grey: false, reverse: false };
/** Greys between these are fainter than text and lighter than the ground, whichever the theme. */
const FAINT_GREYS = { from: 236, to: 250 } as const;
const FAINT_LEVELS = { from: 70, to: 190 } as const;

/** True for the parameters of a colour that is a middle grey: `5;246`, or `2;153;153;153`. */
function isGrey([kind = 0, a = 0, b = -1, c = -1]: readonly number[]): boolean {
  if (kind === 5) return a >= FAINT_GREYS.from && a <= FAINT_GREYS.to;
  return kind === 2 && a === b && b === c && a >= FAINT_LEVELS.from && a <= FAINT_LEVELS.to;
}

/** The pen after a sequence `ESC [ … m`. */
function take(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/u).map(Number);
  let next = pen;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const length = codes[at + 1] === 5 ? 2 : 4;
      if (code === 38) next = { ...next, grey: isGrey(codes.slice(at + 1, at + 1 + length)) };
      at += length;
    } else if (code === 0) next = PLAIN;
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, dim: false };
    else if (code === 7) next = { ...next, reverse: true };
    else if (code === 27) next = { ...next, reverse: false };
    else if (code === 90) next = { ...next, grey: true };
    else if ((code >= 30 && code <= 37) || code === 39 || (code >= 91 && code <= 97))
      next = { ...next, grey: false };
  }
  return next;
}

const PIECES =
  /\u001b\[(?<sgr>[\d;:]*)m|\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\[[\d;?]*[A-Za-z]|[()].)|(?<text>[^\u001b]+)/gu;

/** The lines of a screen, top to bottom, blanks at their ends gone. What a sequence sets holds on the lines below, too. */
export function screenLines(screen: string): readonly ScreenLine[] {
  let pen = PLAIN;
  return screen.split("\n").map((line) => {
    let text = "";
    let typed = "";
    let first: ScreenLine["first"] | null = null;
    for (const { groups } of line.matchAll(PIECES)) {
      const sgr = groups?.["sgr"];
      const piece = groups?.["text"] ?? "";
      if (sgr !== undefined) pen = take(pen, sgr);
      if (piece === "") continue;
      const faint = pen.dim || pen.grey;
      first ??= { faint, reverse: pen.reverse };
      text += piece;
      typed += faint ? piece.replaceAll(/\S/gu, " ") : piece;
    }
    return {
      text: text.trimEnd(),
      typed: typed.trimEnd(),
      first: first ?? { faint: false, reverse: false },
    };
  });
}
