// Puts our marked block into a pull request body that people write in too (A17). What is not ours is never changed or cut.
import { RefusalError } from "../model/errors.js";
import { markdownLines } from "./markdown-lines.js";

/** GitHub's limit for a body, in characters. */
export const PR_BODY_MAX_CHARS = 65_536;

const BEGIN = /^<!-- handoff:begin(?: hp_[0-9a-f]{16})? -->$/u;
const END = /^<!-- handoff:end -->$/u;

/**
 * The body with our block in it: in place of the block it has (the first; further ones go), else behind the text. The
 * whole is at most `maxChars`; the block is cut for that, never the rest. Merging twice equals merging once. Line ends are
 * the body's. Throws RefusalError when the rest leaves no room for a block.
 */
export function mergePrBody(existing: string, block: string, maxChars: number = PR_BODY_MAX_CHARS): string {
  const eol = existing.includes("\r\n") ? "\r\n" : "\n";
  const lines = existing.split(/\r?\n/u);
  const ours = findBlocks(existing);
  const [first] = ours;
  if (first === undefined) {
    const blank =
      existing === "" || existing.endsWith(eol + eol) ? "" : existing.endsWith(eol) ? eol : eol + eol;
    const before = existing + blank;
    return before + cutBlock(block, maxChars - before.length - eol.length, eol) + eol;
  }
  const dropped = new Set(ours.slice(1).flatMap(({ from, to }) => range(from, to)));
  const kept = (from: number, to: number): string[] =>
    lines.slice(from, to).filter((_, i) => !dropped.has(from + i));
  const before = kept(0, first.from);
  const after = kept(first.to + 1, lines.length);
  const around = [...before, "", ...after].join(eol).length;
  return [...before, cutBlock(block, maxChars - around, eol), ...after].join(eol);
}

/**
 * Line numbers of our blocks: a begin marker whose next marker is an end. A marker without its partner is left alone, and
 * so is one shown inside a fence (unless that fence is never closed: then it is no example, but a slip above our block).
 */
export function findBlocks(body: string): readonly { from: number; to: number }[] {
  const blocks: { from: number; to: number }[] = [];
  const lines = [...markdownLines(body)];
  const lastClosed = lines.findLastIndex(({ open }) => !open);
  let begin: number | null = null;
  for (const [i, { text, inside }] of lines.entries()) {
    const shown = inside && i < lastClosed;
    if (!shown && BEGIN.test(text.trimEnd())) begin = i;
    else if (!shown && END.test(text.trimEnd()) && begin !== null) {
      blocks.push({ from: begin, to: i });
      begin = null;
    }
  }
  return blocks;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/**
 * A block cut to `maxChars` at the end of a line outside fences, with a last line that counts what is missing; its line
 * ends made `eol`. Throws RefusalError when there is no room for markers and that line.
 */
export function cutBlock(block: string, maxChars: number, eol: string): string {
  const lines = [...markdownLines(block)];
  const whole = lines.map(({ text }) => text).join(eol);
  if (whole.length <= maxChars) return whole;
  const begin = lines[0]?.text ?? "";
  const end = lines.at(-1)?.text ?? "";
  const inner = lines.slice(1, -1);
  const note = (n: number): string => ["", `… and ${n} more ${n === 1 ? "line" : "lines"}`, end].join(eol);
  // The longest note there can be: counting fewer lines never makes it longer.
  const room = maxChars - begin.length - eol.length - note(inner.length).length;
  if (room < 0) {
    throw new RefusalError(
      "pr_body.no_room",
      `the pull request body leaves ${Math.max(0, maxChars)} characters for the handoff block, too few`,
      "shorten the text around the block",
    );
  }
  let used = 0;
  let keep = 0;
  for (const [i, { text, open }] of inner.entries()) {
    used += text.length + eol.length;
    if (used > room) break;
    if (!open) keep = i + 1;
  }
  const kept = inner.slice(0, keep).map(({ text }) => text);
  while (kept.at(-1) === "") kept.pop();
  return [begin, ...kept, note(inner.length - keep)].join(eol);
}
