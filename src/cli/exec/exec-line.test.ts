// The short way into exec (A11): only what is plainly a call of it; the command's words are never looked into.
import { describe, expect, it } from "vitest";
import { readExecLine } from "./exec-line.js";

const read = (...words: string[]) => readExecLine(words);

describe("A11 readExecLine", () => {
  it("A11 takes the words behind the first -- as they are", () => {
    for (const command of [["npm", "test"], ["--help"], ["x", "--", "--json"], ["printf", "", " a b ", "-n"]])
      expect(read("exec", "--", ...command)).toEqual({ options: {}, command });
  });

  it("A11 knows its options in both spellings", () => {
    expect(
      read("exec", "--session", "s-1", "--note=why not", "--timeout", "5", "--root=.", "--", "x"),
    ).toEqual({
      options: { session: "s-1", note: "why not", timeout: "5", root: "." },
      command: ["x"],
    });
  });

  it.each([
    ["exec"],
    ["exec", "--"],
    ["exec", "npm", "test"],
    ["exec", "npm", "--", "test"],
    ["exec", "--help", "--", "x"],
    ["exec", "--nope", "y", "--", "x"],
    ["exec", "--note", "--", "x"],
    ["exec", "--note", "--timeout", "--", "x"],
    ["exec", "--note", " ", "--", "x"],
    ["exec", "--note", "a", "--note", "b", "--", "x"],
    ["exec", "--session", "../x", "--", "x"],
    ["exec", "--timeout", "0", "--", "x"],
    ["exec", "--timeout", "1.5", "--", "x"],
    ["exec", "--timeout", "999999", "--", "x"],
    ["generate", "--", "x"],
    [],
  ])("A11 leaves the rest to the parser that explains: %j", (...words) => {
    expect(read(...words)).toBe(null);
  });
});
