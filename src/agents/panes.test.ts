// L7: what a person has typed, and whether a turn is under way, read from screens that the agents really showed.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { agentPaneOf } from "./pane-registry.js";
import { screenLines } from "./screen-text.js";

const SCREENS = path.join(import.meta.dirname, "../../fixtures/screens");
const LONG = "x".repeat(300);

/** Of a screen: what is typed (null: no input line), is it at work, is it fresh. */
const SEEN: Readonly<Record<string, Readonly<Record<string, readonly [string | null, boolean, boolean?]>>>> =
  {
    "claude-code": {
      start: ["", false],
      typed: ["half a thought", false],
      "two-lines": ["line one\nline two", false],
      erased: ["", false],
      permission: [null, false],
      done: ["", false],
      busy: ["", true],
      "busy-typed": ["typed while busy", true],
      slash: ["/clear", false],
      cleared: ["", false],
      "shell-mode": ["!", false],
      long: [LONG, false],
    },
    codex: {
      review: [null, false, false],
      start: ["", false, true],
      typed: ["half a thought", false, true],
      permission: [null, false, false],
      done: ["", false, false],
      busy: ["", true, false],
      "busy-typed": ["typed while busy", true, false],
      slash: ["/clear", false, false],
      cleared: ["", false, true],
      long: [LONG, false, true],
      where: [null, false, false],
    },
  };

describe.each(Object.entries(SEEN))("%s", (agent, screens) => {
  const pane = agentPaneOf(agent);
  if (pane === null) throw new Error("no such agent");
  const read = (name: string): string => readFileSync(path.join(SCREENS, agent, `${name}.ansi`), "utf8");

  test("every screen on record is looked at", () => {
    expect(
      readdirSync(path.join(SCREENS, agent))
        .map((name) => name.replace(/\.ansi$/u, ""))
        .toSorted(),
    ).toEqual(Object.keys(screens).toSorted());
  });

  test.each(Object.entries(screens))("L7 the screen %s is read right", (name, [typed, working, fresh]) => {
    const line = pane.readInputLine(read(name));
    expect(typed === LONG ? line?.replaceAll("\n", "") : line).toBe(typed);
    expect(pane.isWorking(read(name))).toBe(working);
    expect(pane.freshBy === "hook" ? undefined : pane.freshBy.isFresh(read(name))).toBe(fresh);
  });

  test("L7 a screen of something else has no input line", () => {
    expect(pane.readInputLine("")).toBeNull();
    expect(pane.readInputLine("$ ls\nREADME.md\n$ \n")).toBeNull();
  });
});

test("L7 a placeholder is no text: dim and grey letters are blanks, whatever else is set, until they are reset", () => {
  const shown = screenLines(
    "\u001b[1m›\u001b[0m \u001b[2mAsk\nme\u001b[22m now\n\u001b[38;5;246ma\u001b[39mb\u001b[38;2;150;150;150mc\u001b[38;5;153md\u001b[48;5;244me",
  );
  expect(shown.map(({ typed }) => typed)).toEqual(["›", "   now", " b de"]);
  expect(shown.map(({ text }) => text)).toEqual(["› Ask", "me now", "abcde"]);
  expect(shown.map(({ first }) => first.faint)).toEqual([false, true, true]);
});
