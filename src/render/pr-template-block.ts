// The place for our block in a template that new pull requests start from (A17): empty, filled by `pr-body --into`. Put in and
// taken out again gives the same bytes. Pure.
import { findBlocks } from "./merge-pr-body.js";

const PLACE = [
  "<!-- handoff:begin -->",
  "<!-- filled in by: handoff pr-body --into FILE -->",
  "<!-- handoff:end -->",
];

/** The template with a place for our block behind it; as it is when it has one. Line ends are the template's. */
export function withPrBlock(template: string): string {
  if (findBlocks(template).length > 0) return template;
  const eol = template.includes("\r\n") ? "\r\n" : "\n";
  const block = PLACE.join(eol);
  if (template === "") return block + eol;
  return template.endsWith("\n") ? `${template}${eol}${block}${eol}` : `${template}${eol}${eol}${block}`;
}

/** The template without our blocks, and without the line ends that came with them. */
export function withoutPrBlock(template: string): string {
  const starts = [0, ...[...template.matchAll(/\r?\n/gu)].map(({ 0: eol, index }) => index + eol.length)];
  let left = template;
  for (const { from, to } of findBlocks(template).toReversed()) {
    const before = left.slice(0, starts[from]);
    const behind = left.slice(starts[to]).replace(/^[^\r\n]*/u, "");
    // The block stood on lines of its own: its line end goes, and the blank line in front, or both in front of a last line.
    left = /^\r?\n/u.test(behind)
      ? before.replace(/(?<=\n)\r?\n$/u, "") + behind.replace(/^\r?\n/u, "")
      : before.replace(/(?:\r?\n){1,2}$/u, "") + behind;
  }
  return left;
}
