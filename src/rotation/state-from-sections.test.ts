// R17: what the session said, as agent_state.json has it; and R14, R18: the texts around it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentStateSchema } from "../model/agent-state-schema.js";
import { degradedHandoff } from "./degraded-packet.js";
import { parseSections } from "./parse-sections.js";
import { stateFromSections } from "./state-from-sections.js";
import { writingPrompt } from "./writing-prompt.js";

const REPLY = `## Doing
Making allow() count attempts per address; the counter exists,
the window does not.

## Decided
- Keep the limiter in memory — because there is one process
- **Five** attempts a minute (because the form is public).
- No new dependency

## Dead ends
1. \`express-rate-limit\`: because it counts per route
   and cannot be told the address
2. a Map without expiry, since it grows

## Next
In src/rate-limit.js drop entries older than a minute, then run: npx mocha test/signup.test.js

## Scene
- \`src/rate-limit.js\`
- test/signup.test.js
`;

describe("R17 the session's words fill its own fields", () => {
  test("lists become entries, each with its reason", () => {
    expect(stateFromSections(parseSections(REPLY).sections)).toEqual({
      doing: "Making allow() count attempts per address; the counter exists,\nthe window does not.",
      next_action:
        "In src/rate-limit.js drop entries older than a minute, then run: npx mocha test/signup.test.js",
      decisions: [
        { what: "Keep the limiter in memory", why: "there is one process" },
        { what: "Five attempts a minute", why: "the form is public" },
        { what: "No new dependency", why: null },
      ],
      dead_ends: [
        { what: "`express-rate-limit`", why: "it counts per route and cannot be told the address" },
        { what: "a Map without expiry", why: "it grows" },
      ],
      scene: ["src/rate-limit.js", "test/signup.test.js"],
    });
  });

  test.each(["none", "None.", "- none", "N/A", "-", ""])("dead ends that are '%s' are none", (text) => {
    const { sections } = parseSections(`## Doing\nd\n## Dead ends\n${text}\n## Next\nn`);
    expect(stateFromSections(sections).dead_ends).toEqual([]);
  });

  test("paths on one line are taken apart, sentences are not", () => {
    const scene = (text: string): readonly string[] =>
      stateFromSections(parseSections(`## Doing\nd\n## Next\nn\n## Scene\n${text}`).sections).scene;
    expect(scene("src/a.ts, src/b.ts,test/c.ts")).toEqual(["src/a.ts", "src/b.ts", "test/c.ts"]);
    expect(scene("start with src/a.ts, then the tests")).toEqual(["start with src/a.ts, then the tests"]);
  });

  test("without a list each paragraph is an entry", () => {
    const { sections } = parseSections("## Doing\nd\n## Decided\nfirst\nstill first\n\nsecond\n## Next\nn");
    expect(stateFromSections(sections).decisions.map(({ what }) => what)).toEqual([
      "first still first",
      "second",
    ]);
  });

  test("any reply gives a state that agent_state.json takes", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom("## Doing\n", "## Next\n", "## Decided\n", "- ", "\n", " because ", " — ", "("),
            fc.string({ unit: "grapheme", maxLength: 12 }),
          ),
        ),
        (parts) => {
          const state = stateFromSections(parseSections(parts.join("")).sections);
          expect(agentStateSchema.safeParse(state).success).toBe(true);
        },
      ),
    );
  });
});

describe("R14 the writing turn's prompt", () => {
  test("names used and total tokens and asks for the five sections", () => {
    const prompt = writingPrompt({ used: 151_234, total: 200_000 });
    expect(prompt).toContain("151,234 of 200,000 tokens (75 %)");
    for (const heading of ["## Doing", "## Decided", "## Dead ends", "## Next", "## Scene"])
      expect(prompt.split("\n")).toContain(heading);
    expect(prompt).toMatch(/do not invent/iu);
  });
  test("without a window it names what is used", () => {
    expect(writingPrompt({ used: 999, total: null })).toContain("at 999 tokens,");
  });
});

describe("R18 a handoff without the session's words", () => {
  test("says so, and where to look", () => {
    const handoff = degradedHandoff({ reason: "overflow", task: "build it" });
    expect(handoff.degraded).toEqual({
      reason: "overflow",
      detail: "its context was full and took no further turn",
    });
    expect(handoff.doing).toMatch(/could not say what it was doing/u);
    expect(handoff.doing).toMatch(/scene below, at `git status` and at the log of commands first/u);
    expect(handoff.doing).toMatch(/not assume that nothing was done/iu);
    expect(handoff.scene).toEqual(["The task as it was given: build it"]);
  });
  test("takes the first 1,200 characters of the task along", () => {
    const of = (task: string): string => degradedHandoff({ reason: "timeout", task }).scene[0] ?? "";
    expect(of("x".repeat(1_200))).toBe(`The task as it was given: ${"x".repeat(1_200)}`);
    expect(of("x".repeat(1_201))).toBe(`The task as it was given: ${"x".repeat(1_200)}…`);
    expect(of("😀".repeat(2_000))).toBe(`The task as it was given: ${"😀".repeat(1_200)}…`);
    // A family is seven code points and one character to a reader.
    expect(of("👨‍👩‍👧‍👦".repeat(400))).toBe(`The task as it was given: ${"👨‍👩‍👧‍👦".repeat(171)}…`);
  });
  test("of no task there is nothing to take along", () => {
    expect(degradedHandoff({ reason: "no_reply", task: " " }).scene).toEqual([]);
    expect(degradedHandoff({ reason: "no_reply", task: null }).scene).toEqual([]);
  });
  test("adds what the reason was exactly", () => {
    expect(
      degradedHandoff({ reason: "agent_failed", detail: "socket hang up", task: null }).degraded.detail,
    ).toBe("its last turn failed: socket hang up");
  });
});
