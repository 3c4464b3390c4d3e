// Private key blocks: whole, written out on one line (`\n`), cut off at either end. A header without a body is prose.
import { PRIVATE_KEY, type Span } from "./spans.js";

const BEGIN =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: [0-9]{1,4}(?=\r?\n|\\+[nr])/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Lines of base64 and the headers of an encrypted key, also with line breaks written out, quoted (`> `) or in a diff. */
const BODY =
  /(?:(?:\s|\\+[nrt]|[>|+-])*(?:[A-Za-z0-9+/=]{16,}|[A-Z][A-Za-z-]{2,20}: [^\r\n\\]{0,80}(?=\r?\n|\\+[nr])))*(?:(?:\r?\n|\\+[nr])(?=[A-Za-z]{0,15}[0-9+/=])[A-Za-z0-9+/=]{1,16}(?![A-Za-z0-9]))?/y;
/** The longest key block that is looked for; the largest keys are a quarter of it. */
const MAX_BLOCK = 65_536;
const LINE_BREAK = /(\r?\n|\\+[nr])/;
const BASE64_LINE = /^[\s>|+-]*[A-Za-z0-9+/=]{16,}\s*$/;

/** Every private key block of `text`. */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  if (
    !text.includes("PRIVATE KEY-----") &&
    !text.includes("PRIVATE KEY BLOCK-----") &&
    !text.includes("Private-Lines:")
  )
    return spans;
  const ends = [...text.matchAll(END)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const begins = [...text.matchAll(BEGIN)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  let nextEnd = 0;
  let floor = 0;
  for (const [i, begin] of begins.entries()) {
    for (let end = ends[nextEnd]; end !== undefined && end.start < begin.end; end = ends[nextEnd]) {
      const tail = cutOffHead(text, floor, end);
      if (tail !== null) spans.push(tail);
      floor = end.end;
      nextEnd += 1;
    }
    const end = ends[nextEnd];
    const following = begins[i + 1]?.start ?? Infinity;
    if (end !== undefined && end.start < following && end.start - begin.end <= MAX_BLOCK) {
      if (/[A-Za-z0-9+/]{8}/.test(text.slice(begin.end, end.start)))
        spans.push({ start: begin.start, end: end.end, kind: PRIVATE_KEY });
      nextEnd += 1;
      floor = end.end;
      continue;
    }
    BODY.lastIndex = begin.end;
    const length = BODY.exec(text)?.[0].length ?? 0;
    floor = begin.end + length;
    if (/[A-Za-z0-9+/=]{16}/.test(text.slice(begin.end, floor)))
      spans.push({ start: begin.start, end: floor, kind: PRIVATE_KEY });
  }
  for (; nextEnd < ends.length; nextEnd += 1) {
    const end = ends[nextEnd];
    const tail = end === undefined ? null : cutOffHead(text, floor, end);
    if (tail !== null) spans.push(tail);
    floor = end?.end ?? floor;
  }
  return spans;
}

/** A block whose beginning is missing: the base64 lines in front of its last line. */
function cutOffHead(text: string, floor: number, end: { start: number; end: number }): Span | null {
  const from = Math.max(floor, end.start - MAX_BLOCK);
  const pieces = text.slice(from, end.start).split(LINE_BREAK);
  let start = end.start;
  let found = false;
  // Pieces alternate: line, break, line, break, … and the empty rest in front of the last line.
  for (let i = pieces.length - 1; i >= 0; i -= 2) {
    const line = pieces[i] ?? "";
    const last = i === pieces.length - 1;
    const word = /[A-Za-z0-9+/=]+$/.exec(line)?.[0] ?? "";
    const whole =
      BASE64_LINE.test(line) ||
      (i === 0 && word.length >= 4) ||
      (!found && /^[A-Za-z0-9+/=]+$/.test(line.trim()));
    if (!whole && !(last && /^[\s>|+-]*$/.test(line))) {
      break;
    }
    if (whole) found = true;
    start -= (i === 0 && !BASE64_LINE.test(line) ? word.length : line.length) + (pieces[i - 1]?.length ?? 0);
  }
  return found ? { start: Math.max(start, from), end: end.end, kind: PRIVATE_KEY } : null;
}
