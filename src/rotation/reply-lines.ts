// A reply's lines without its code fences (R16). A fence around the whole answer is packaging, one inside a section holds
// code: its lines are never headings, whatever they look like. Linear in the reply.
import { type Heading, headingOf } from "./section-headings.js";

/** One line, with the heading it is, if any. */
export interface ReplyLine {
  readonly text: string;
  readonly heading: Heading | null;
}

const FENCE = /^\s*(?:>\s*)*(?:`{3,}|~{3,})(?<info>[^`]*)$/u;
/** Fences in fences deeper than this hold code. */
const DEEPEST = 3;

/** Closing line of each opening fence. A bare fence closes the innermost open one, one with a language opens another. */
function pairFences(lines: readonly string[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [i, line] of lines.entries()) {
    const info = FENCE.exec(line)?.groups?.["info"];
    if (info === undefined) continue;
    const opener = info.trim() === "" ? open.pop() : undefined;
    if (opener === undefined) open.push(i);
    else pairs.set(opener, i);
  }
  return pairs;
}

/** Splits a reply into lines, drops the fences, and says which lines are headings. */
export function replyLines(reply: string): readonly ReplyLine[] {
  const lines = reply.split("\n");
  const pairs = pairFences(lines);
  const headings = lines.map((line, i) => headingOf(line, lines[i - 1] ?? "", lines[i + 1] ?? ""));
  const out: ReplyLine[] = [];

  /** Two sections in one fence: the fence is around the answer. */
  const isPackaging = (from: number, to: number): boolean => {
    const seen = new Set<string>();
    for (let i = from; i < to && seen.size < 2; i += 1) {
      const section = headings[i]?.section ?? null;
      if (section !== null) seen.add(section);
    }
    return seen.size > 1;
  };
  const take = (from: number, to: number, depth: number): void => {
    for (let i = from; i < to; i += 1) {
      const text = lines[i] ?? "";
      const end = pairs.get(i);
      if (end !== undefined && end < to) {
        if (depth < DEEPEST && isPackaging(i + 1, end)) take(i + 1, end, depth + 1);
        else
          for (const code of lines.slice(i + 1, end))
            if (!FENCE.test(code)) out.push({ text: code, heading: null });
        i = end;
      } else if (!FENCE.test(text)) out.push({ text, heading: headings[i] ?? null });
    }
  };
  take(0, lines.length, 0);
  return out;
}
