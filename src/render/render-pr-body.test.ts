// A17: the pull request body and its place among what people write.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodesOf, parseMarkdown } from "../../fixtures/markdown-tree.js";
import { RefusalError } from "../model/errors.js";
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";
import { PR_BODY_MAX_CHARS, mergePrBody } from "./merge-pr-body.js";
import { renderPrBody } from "./render-pr-body.js";

const read = (name: string): HandoffPacket =>
  handoffPacketSchema.parse(
    JSON.parse(readFileSync(new URL(`../../fixtures/packets/${name}.json`, import.meta.url), "utf8")),
  );
const signup = read("signup");
const block = renderPrBody(signup);
const other = renderPrBody(read("nothing-on-record"));
const big = renderPrBody({
  ...signup,
  decisions: Array.from({ length: 5000 }, () => ({ ...signup.decisions[0]!, what: "w".repeat(200) })),
});
const HUMAN = "# My change\n\nIt does *things*.\n\n- [ ] tested\n";

describe("renderPrBody (A17)", () => {
  it("is one marked block that carries the packet's id", () => {
    expect(block).toMatch(/^<!-- handoff:begin hp_3f9a1c0d5b7e2a64 -->\n## Handoff: T-001\n/u);
    expect(block.endsWith("\n<!-- handoff:end -->")).toBe(true);
  });

  it("is cut at a line, counts what is missing, and keeps its end marker", () => {
    expect(big.length).toBeLessThanOrEqual(PR_BODY_MAX_CHARS);
    expect(big.length).toBeGreaterThan(PR_BODY_MAX_CHARS - 500);
    expect(big).toMatch(/\n- w{200}: [^\n]+\n\n… and \d+ more lines\n<!-- handoff:end -->$/u);
    const whole = renderPrBody(signup, { maxChars: 1_000_000 }).split("\n");
    for (let maxChars = 150; maxChars < block.length; maxChars += 7) {
      const cut = renderPrBody(signup, { maxChars });
      expect(cut.length).toBeLessThanOrEqual(maxChars);
      const lines = cut.split("\n");
      const said = Number(/^… and (\d+) more lines?$/u.exec(lines.at(-2) ?? "")?.[1]);
      const kept = lines.slice(0, -3);
      expect(whole.slice(0, kept.length)).toEqual(kept);
      // Blank lines before the note are not counted as shown.
      expect(whole.slice(1, -1).length - said - (kept.length - 1)).toBeLessThanOrEqual(1);
    }
  });

  it("never cuts inside a fence", () => {
    const overrides = { pr_body: { path: "t", source: "start\n\n{{asFence summary}}\n\nend" } };
    const packet = { ...signup, summary: "a line\n".repeat(50) };
    for (let maxChars = 120; maxChars < 500; maxChars += 5) {
      const kinds = [...nodesOf(parseMarkdown(renderPrBody(packet, { maxChars, overrides })))].map(
        ({ type }) => type,
      );
      expect(kinds.filter((type) => type === "html")).toHaveLength(2);
    }
  });

  it("refuses when not even the markers fit", () => {
    expect(() => renderPrBody(signup, { maxChars: 60 })).toThrow(RefusalError);
  });

  it("is not ended by a marker inside a fence of its own", () => {
    const overrides = { pr_body: { path: "t", source: "{{asFence summary}}\n\nlast" } };
    const packet = { ...signup, summary: "<!-- handoff:end -->\n<!-- handoff:begin -->" };
    const made = renderPrBody(packet, { overrides });
    const body = mergePrBody(HUMAN, made);
    expect(mergePrBody(body, other)).toBe(mergePrBody(HUMAN, other));
  });
});

describe("mergePrBody (A17)", () => {
  it("goes behind what people wrote, and into its own place the next time", () => {
    const first = mergePrBody(HUMAN, block);
    expect(first).toBe(`${HUMAN}\n${block}\n`);
    const edited = `Intro added above.\n\n${first}\nA line added below.\n`;
    expect(mergePrBody(edited, other)).toBe(
      `Intro added above.\n\n${HUMAN}\n${other}\n\nA line added below.\n`,
    );
  });

  it.each([
    ["an empty body", ""],
    ["only spaces", " \n\n"],
    ["no final newline", "text"],
    ["CRLF", "a\r\n\r\nb\r\n"],
    ["the placeholder of a template", "above\n\n<!-- handoff:begin -->\n<!-- handoff:end -->\n\nbelow"],
    ["two of ours", `a\n${block}\nb\n${other}\nc`],
    ["a begin without an end", `a\n<!-- handoff:begin -->\nmine\n`],
    ["an end without a begin", `a\n<!-- handoff:end -->\nmine\n`],
    ["markers shown in a fence", "```\n<!-- handoff:begin -->\n<!-- handoff:end -->\n```\n"],
    ["a fence that never ends", "```\ncode\n"],
  ])("twice equals once: %s", (_name, body) => {
    const once = mergePrBody(body, block);
    expect(mergePrBody(once, block)).toBe(once);
    expect(once.split("<!-- handoff:begin hp_3f9a1c0d5b7e2a64 -->")).toHaveLength(2);
    expect(mergePrBody(mergePrBody(once, other), block)).toBe(once);
  });

  it("keeps every line of people's text, their line ends, and one block", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 10 }).filter((text) => !/[\r\n]|```|~~~/u.test(text)),
      fc.constantFrom("<!-- handoff:begin -->", "<!-- handoff:end -->", "", "# x"),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), (lines, eol) => {
        const once = mergePrBody(lines.join(eol), block);
        expect(mergePrBody(once, block)).toBe(once);
        const ours = new Set(block.split("\n"));
        const human = lines.filter((text) => text.trim() !== "" && !text.startsWith("<!-- handoff:"));
        const found = once.split(/\r?\n/u).filter((text) => !ours.has(text));
        expect(human.filter((text) => !found.includes(text) && !isBetweenMarkers(lines, text))).toEqual([]);
        expect(once.split(block.split("\n")[0] ?? "")).toHaveLength(2);
      }),
      { numRuns: 500 },
    );
  });

  it("cuts the block, never the rest, to keep the whole within its limit", () => {
    const human = "h".repeat(65_000);
    const body = mergePrBody(human, block);
    expect(body.length).toBeLessThanOrEqual(PR_BODY_MAX_CHARS);
    expect(body.startsWith(human)).toBe(true);
    expect(body).toMatch(/… and \d+ more lines\n<!-- handoff:end -->\n$/u);
    expect(mergePrBody(body, block)).toBe(body);
    expect(() => mergePrBody("h".repeat(65_530), block)).toThrow(RefusalError);
  });
});

/** True when a text stood inside a placeholder block, which is ours to replace. */
function isBetweenMarkers(lines: readonly string[], text: string): boolean {
  const at = lines.indexOf(text);
  return (
    lines.slice(0, at).includes("<!-- handoff:begin -->") && lines.slice(at).includes("<!-- handoff:end -->")
  );
}
