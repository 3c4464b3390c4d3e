// S12: our entry in git's own list of ignored files goes in once and comes out without a trace.
import fc from "fast-check";
import { expect, test } from "vitest";
import { excludePattern, withExclude, withoutExclude } from "./exclude-entry.js";

const line = fc.constantFrom("", "# a comment", "*.log", "/outputs/handoff/", "  ", "build/", "\r");
const lists = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));

test("S12 put in and taken out again gives the same bytes; twice is once", () => {
  fc.assert(
    fc.property(lists, (text) => {
      const once = withExclude(text, "/outputs/handoff/");
      expect(once.split("\n")).toContain("/outputs/handoff/");
      expect(withExclude(once, "/outputs/handoff/")).toBe(once);
      expect(withoutExclude(once)).toBe(text);
    }),
  );
});

test("S12 another folder takes the old one's place, and lines around it stay", () => {
  const once = withExclude("*.log\n", "/outputs/handoff/");
  const moved = withExclude(`${once}mine\n`, "/packets/");
  expect(moved.split("\n").filter((text) => text.startsWith("/"))).toEqual(["/packets/"]);
  expect(withoutExclude(moved)).toBe("*.log\nmine\n");
  expect(withoutExclude("*.log\n/outputs/handoff/\n")).toBe("*.log\n/outputs/handoff/\n");
});

test.each([
  ["outputs/handoff", "/outputs/handoff/"],
  ["a b/[x]*?/", String.raw`/a b/\[x\]\*\?/`],
  ["#notes", "/#notes/"],
  ["trailing  ", String.raw`/trailing\ \ /`],
])("S12 %j becomes the pattern %s", (folder, pattern) => expect(excludePattern(folder)).toBe(pattern));
