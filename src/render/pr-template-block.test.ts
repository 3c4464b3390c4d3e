// A17: the place for our block in a pull request template is filled by pr-body and goes without a trace.
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergePrBody } from "./merge-pr-body.js";
import { withoutPrBlock, withPrBlock } from "./pr-template-block.js";

const line = fc.constantFrom(
  "",
  "## What",
  "- [ ] tests",
  "```",
  "text",
  "<!-- a comment -->",
  "<!-- handoff:end -->",
);
const templates = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"))
  .map(([lines, eol]) => lines.join(eol));

test("A17 put in and taken out again gives the same bytes; twice is once", () => {
  fc.assert(
    fc.property(templates, (template) => {
      const once = withPrBlock(template);
      expect(withPrBlock(once)).toBe(once);
      expect(withoutPrBlock(once)).toBe(template);
    }),
  );
});

test("A17 the place is what pr-body fills, and what people write around it stays when it goes", () => {
  const template = withPrBlock("## What\n\n- [ ] tests\n");
  const block = "<!-- handoff:begin hp_0123456789abcdef -->\nThe packet.\n<!-- handoff:end -->";
  const filled = mergePrBody(template, block);
  expect(filled).toBe(`## What\n\n- [ ] tests\n\n${block}\n`);
  expect(withoutPrBlock(`${filled}\nBehind.\n`)).toBe("## What\n\n- [ ] tests\n\nBehind.\n");
  expect(withPrBlock(filled)).toBe(filled);
});
