// P3: commands as shells read them. The real sh and bash are the judges.
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandKey, commandText, quoteArgv, quoteWord, splitPlainWords } from "./shell-words.js";

/** What a real shell makes of each line: its argv, NUL-separated. One process for all lines. */
function argvOf(shell: "sh" | "bash", lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\1\\0'`).join("\n");
  const out = execFileSync(shell, ["-s"], { input: script, maxBuffer: 2 ** 26 }).toString("utf8");
  return out
    .split("\u0001\0")
    .slice(0, -1)
    .map((chunk) => chunk.split("\0").slice(0, -1));
}

/** What a real shell runs for each line, standing alone: `argv` when it ran exactly one command of that name, else null. */
function ranBy(shell: "sh" | "bash", line: string): string[] | null {
  // Every command is unknown (PATH is empty), so bash's and our handler for it prints the argv: a line that is plain
  // words prints them; assignments, keywords and operators print something else or fail.
  const script = `PATH=/nonexistent\ncommand_not_found_handle() { printf '%s\\0' "$@"; }\n${line}\n`;
  try {
    const out = execFileSync(shell, ["-s"], {
      input: script,
      cwd: "/",
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 60_000,
    }).toString("utf8");
    return out === "" ? null : out.split("\0").slice(0, -1);
  } catch {
    return null;
  }
}

const word = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      "'",
      '"',
      "\\",
      "$",
      "`",
      "!",
      " ",
      "\n",
      "\t",
      "*",
      "~",
      "#",
      "a",
      "=",
      "é",
      "%",
      "{",
      ",",
      "}",
    ),
    maxLength: 12,
  }),
  fc.constantFrom(
    "",
    "-",
    "--",
    "a b",
    "it's",
    "'",
    "''",
    "\\",
    "\\'",
    "$HOME",
    "$(id)",
    "FOO=bar",
    "FOO+=bar",
    "if",
    "~",
    "*",
    "[a]",
    "\u0085",
    "\u001bf",
    "\u0001f",
  ),
);
const argv = fc.array(
  word.filter((w) => !w.includes("\0")),
  { minLength: 1, maxLength: 5 },
);
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;

describe("quoteArgv (P3)", () => {
  it.each([
    [["pytest", "-q"], "pytest -q"],
    [["sh", "-c", "echo 'a'"], String.raw`sh -c 'echo '\''a'\'''`],
    [["echo", ""], "echo ''"],
    [["printf", "a\nb"], String.raw`printf $'a\nb'`],
    [["printf", "a\tb\\c'd"], String.raw`printf $'a\tb\\c\'d'`],
    [["x", "\u0001\u0085"], String.raw`x $'\x01\xc2\x85'`],
    [["FOO=bar", "BAR=baz"], "'FOO=bar' BAR=baz"],
    [["env", "FOO=bar"], "env FOO=bar"],
    [["if"], "'if'"],
    [
      ["python3", "-c", "import sys; print('boom'); sys.exit(3)"],
      String.raw`python3 -c 'import sys; print('\''boom'\''); sys.exit(3)'`,
    ],
  ])("%j -> %s", (words, expected) => {
    expect(quoteArgv(words)).toBe(expected);
  });

  it("comes back from a real shell word by word", () => {
    const samples = fc.sample(argv, 600);
    expect(argvOf("bash", samples.map(quoteArgv))).toEqual(samples);
    const plain = samples.filter((words) => !words.some((w) => CONTROL.test(w)));
    expect(plain.length).toBeGreaterThan(100);
    expect(argvOf("sh", plain.map(quoteArgv))).toEqual(plain);
  });

  it("stays on one line", () => {
    fc.assert(
      fc.property(argv, (words) => {
        expect(quoteArgv(words)).not.toMatch(CONTROL);
      }),
    );
  });

  it("takes a megabyte word", () => {
    expect(quoteWord("'".repeat(2 ** 20))).toHaveLength(2 ** 20 * 4 + 2);
    expect(quoteWord("\n".repeat(2 ** 20))).toHaveLength(2 ** 20 * 2 + 3);
  });
});

describe("splitPlainWords (P3)", () => {
  it.each([
    ["a  b\tc", ["a", "b", "c"]],
    [`'a b' "c d" e\\ f`, ["a b", "c d", "e f"]],
    [String.raw`"a\"b\\c\d"`, [String.raw`a"b\c\d`]],
    [`a''b ''`, ["ab", ""]],
    ["echo é 你好", ["echo", "é", "你好"]],
    [`"FOO=bar" x`, ["FOO=bar", "x"]],
    [`F'OO=bar'`, ["FOO=bar"]],
    ["'if' x", ["if", "x"]],
    ["make if", ["make", "if"]],
    ["env FOO=bar", ["env", "FOO=bar"]],
  ])("%s -> %j", (line, words) => {
    expect(splitPlainWords(line)).toEqual(words);
  });

  it.each([
    "",
    "   ",
    "a | b",
    "a;b",
    "a && b",
    "a > b",
    "a\nb",
    "echo $HOME",
    'echo "$HOME"',
    'echo "`id`"',
    "echo `id`",
    "ls *",
    "ls ?",
    "ls [ab]",
    "ls {a,b}",
    "ls ~",
    "a # b",
    "FOO=bar x",
    "FOO+=bar x",
    "FOO='a b' x",
    "if true",
    "while x",
    "! x",
    "(a)",
    "a &",
    "'open",
    '"open',
    "a\\",
    "a \\\n b",
    "a\u2028b",
    "a\u200bb",
    "$'a'",
  ])("%j is not plain words", (line) => {
    expect(splitPlainWords(line)).toBeNull();
  });

  it("undoes quoteArgv for words without controls", () => {
    const clean = fc.array(
      word.filter((w) => !CONTROL.test(w)),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(clean, (words) => {
        expect(splitPlainWords(quoteArgv(words))).toEqual(words);
      }),
      { numRuns: 1000 },
    );
  });

  it("never takes for plain words what a real shell would act on", () => {
    const unit = fc.oneof(
      fc.constantFrom("if", "do"),
      fc.stringMatching(/^[abX=+ \t'"\\$`|&;><*?[\]{},~#!()\né%^:/1.-]$/u),
    );
    const lines = fc
      .sample(fc.string({ unit, minLength: 1, maxLength: 10 }), 6000)
      .map((line) => ({ line, words: splitPlainWords(line) }))
      .filter((s): s is { line: string; words: string[] } => s.words !== null);
    expect(lines.length).toBeGreaterThan(150);
    expect(
      argvOf(
        "sh",
        lines.map((s) => s.line),
      ),
    ).toEqual(lines.map((s) => s.words));
    expect(
      argvOf(
        "bash",
        lines.map((s) => s.line),
      ),
    ).toEqual(lines.map((s) => s.words));
  });

  it("nor in front of a command, where keywords and assignments live", () => {
    const start = fc.constantFrom(
      "if",
      "for",
      "X=1",
      "X+=1",
      "'X=1'",
      "X'='1",
      "case",
      "'if'",
      "i\\f",
      "fi",
      "in",
      "zz",
      "select",
      "function",
      "coproc",
      "z=",
      "1=2",
      "%x",
    );
    const samples = fc
      .sample(fc.tuple(start, fc.constantFrom("", " a", " 'b c'", " X=2")), 80)
      .map((p) => p.join(""));
    const plain = [...new Set(samples)]
      .map((line) => ({ line, ran: splitPlainWords(line) }))
      .filter(({ ran }) => ran !== null);
    expect(plain.map(({ line }) => ({ line, ran: ranBy("bash", line) }))).toEqual(plain);
  });

  it.each(["'", '"', "\\", "a", " ", "'a' ", '"\\\\" '])("goes through a megabyte of %j", (part) => {
    const line = part.repeat(2 ** 20 / part.length);
    const words = splitPlainWords(line);
    expect(words === null || words.length > 0).toBe(true);
  });
});

describe("commandKey and commandText (P3)", () => {
  it.each([
    ["pytest -q", ["pytest", "-q"]],
    ["  pytest   -q ", ["pytest", "-q"]],
    [`pytest "-q"`, ["pytest", "-q"]],
    ["echo 'it'\\''s'", ["echo", "it's"]],
    ["printf 'a\nb'", ["printf", "a\nb"]],
    [String.raw`printf $'a\nb'`, ["printf", "a\nb"]],
    ["echo é", ["echo", "é"]],
  ])("%j and %j are the same command", (text, words) => {
    expect(commandKey(text)).toBe(commandKey(words));
  });

  it.each([
    ["echo $HOME", ["echo", "$HOME"]],
    ["ls *", ["ls", "*"]],
    ["a | b", ["a", "|", "b"]],
    ["FOO=1 make", ["FOO=1", "make"]],
  ])("%j and %j are not", (text, words) => {
    expect(commandKey(text)).not.toBe(commandKey(words));
  });

  it("keeps a shell text as it is and never shows a repr", () => {
    expect(commandText("  a  | b ")).toBe("a  | b");
    expect(commandText(["a b", "c"])).toBe("'a b' c");
    expect(commandKey(" a  | b ")).toBe("a  | b");
  });

  it("is stable: the key of a key is itself", () => {
    fc.assert(
      fc.property(fc.oneof(argv, fc.string({ maxLength: 20 })), (command) => {
        const key = commandKey(command);
        expect(commandKey(key)).toBe(key);
      }),
    );
  });
});
