// P36: what may be shown. Tables for what is known in the wild, properties for everything else.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanLine, cleanText, showControls, UNUSUAL } from "./clean.js";

const ESC = "\u001b";
const spiced = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]`,
        `${ESC}(`,
        "\u009b",
        "\u009d",
        "\u0090",
        "\u0007",
        "\u009c",
        `${ESC}\\`,
      ),
      fc.constantFrom(
        "\u200d",
        "\u200c",
        "\u202e",
        "\ufe0f",
        "\u{e0101}",
        "\u{1f469}",
        "\u{1f3fd}",
        "\ud800",
        "\udc00",
      ),
      fc.constantFrom("\r", "\n", "\t", "31m", ";", "#", "text"),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("the look in front of cleaning (P36)", () => {
  it("lets no character pass that anything here would change", () => {
    const changed =
      /[\p{Default_Ignorable_Code_Point}\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/u;
    const passed: string[] = [];
    for (let point = 0; point <= 0x10_ff_ff; point += 1) {
      const character = String.fromCodePoint(point);
      if (changed.test(character) && !UNUSUAL.test(character)) passed.push(point.toString(16));
    }
    expect(passed).toEqual([]);
  });

  it("is over at once for letters and signs of all kinds", () => {
    expect(
      ["✓ test › passes …", "größer", "日本語", "“quoted”, a – b"].filter((text) => UNUSUAL.test(text)),
    ).toEqual([]);
  });
});

describe("cleanText (P36)", () => {
  it.each([
    ["colour", `${ESC}[31mred${ESC}[0m`, "red"],
    ["colour with colons", `${ESC}[38:2::255:0:0mred${ESC}[m`, "red"],
    ["8-bit CSI", "\u009b1;31mred", "red"],
    ["private mode and cursor", `a${ESC}[?25l${ESC}[2K${ESC}[1Gb`, "ab"],
    ["CSI cut off at the end", `done ${ESC}[31`, "done 31"],
    ["hyperlink ended by ST", `${ESC}]8;;https://x.example${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["title ended by BEL", `${ESC}]0;a title\u0007text`, "text"],
    ["string that never ends loses its introducer only", `a${ESC}]0;title\nb`, "a0;title\nb"],
    ["string broken off by the next sequence", `${ESC}]0;title${ESC}[31mred`, "0;titlered"],
    ["DCS, SOS, PM, APC that never end", `a${ESC}Pb${ESC}Xc${ESC}^d${ESC}_e`, "abcde"],
    ["CSI before a sentence", `key ${ESC}[ (waits for human)`, "key  (waits for human)"],
    ["CSI before a line break", `a${ESC}[1;\nb`, "a1;\nb"],
    ["CSI before another script", `a${ESC}[\u4f60`, "a\u4f60"],
    ["8-bit CSI that never ends", "a\u009b12", "a12"],
    ["cursor style", `a${ESC}[2 qb`, "ab"],
    ["terminal reset", `a${ESC}[!pb`, "ab"],
    ["ESC before a sentence", `a${ESC} (waits for human)`, "a (waits for human)"],
    ["ESC at the end", `a${ESC}`, "a"],
    ["seven-bit controls", `a${ESC} Fb`, "ab"],
    ["double-byte character set", `${ESC}$(Btext`, "text"],
    ["DCS", `a${ESC}Pq#0;2;0${ESC}\\b`, "ab"],
    ["8-bit OSC with its end", "a\u009d0;title\u009cb", "ab"],
    [
      "half a mis-decoded quotation mark swallows nothing",
      "\u00e2\u0080\u009dwhy it failed",
      "\u00e2why it failed",
    ],
    ["character set", `${ESC}(Btext`, "text"],
    ["save and restore", `${ESC}7a${ESC}8`, "a"],
    ["escapes glued after removal stay text", `${ESC}${ESC}[31m[31m`, "[31m"],
    ["C0, DEL, C1", "a\u0000b\u0008c\u007fd\u0085e", "abcde"],
    ["newline and tab stay", "a\tb\nc", "a\tb\nc"],
    ["CRLF and CR", "a\r\nb\rc", "a\nb\nc"],
    ["bidirectional override", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
    ["zero width and BOM", "a\u200bb\ufeffc\u2060d\u00ade", "a\\u200bb\\ufeffc\\u2060d\\u00ade"],
    ["tags", "a\u{e0041}", "a\\u{e0041}"],
    ["line separators", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["emoji joiner stays", "\u{1f469}\u200d\u{1f4bb}", "\u{1f469}\u200d\u{1f4bb}"],
    ["after a skin tone too", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}"],
    ["and after a variation selector", "\u2764\ufe0f\u200d\u{1f525}", "\u2764\ufe0f\u200d\u{1f525}"],
    ["a stray joiner does not", "a\u200db", "a\\u200db"],
    ["non-joiner", "a\u200cb", "a\\u200cb"],
    ["bytes hidden in variation selectors", "a\ufe01\ufe02\u{e0120}", "a\ufe01\\ufe02\\u{e0120}"],
    ["lone surrogates", "a\ud800b\udfff", "a\ufffdb\ufffd"],
    [
      "other scripts stay",
      "\u05e9\u05dc\u05d5\u05dd \u4f60\u597d \u0928\u092e\u0938\u094d\u0924\u0947 e\u0301",
      "\u05e9\u05dc\u05d5\u05dd \u4f60\u597d \u0928\u092e\u0938\u094d\u0924\u0947 e\u0301",
    ],
  ])("%s", (_name, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it("is idempotent and leaves nothing to clean", () => {
    fc.assert(
      fc.property(spiced, (text) => {
        const once = cleanText(text);
        expect(cleanText(once)).toBe(once);
        expect(once.isWellFormed()).toBe(true);
        expect(once).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps the words after a sequence that never ends", () => {
    const opening = fc.constantFrom(
      ESC,
      ...["[", "]", "P", "X", "^", "_", "[1;", "[?25", "]0;"].map((rest) => ESC + rest),
      "\u009b",
      "\u009b1;",
      "\u0090",
      "\u0098",
      "\u009d",
      "\u009e",
      "\u009f",
    );
    // What follows in a sentence of ours: a space, a parenthesis or a line break, then words.
    const words = fc.stringMatching(/^(?: \(|: \(|\n)[a-z]{1,9}(?: [a-z]{1,9})*\)$/u);
    fc.assert(
      fc.property(spiced, opening, words, (before, start, rest) => {
        // The text before must not end a sequence that would begin in it: a line break separates them.
        expect(cleanText(`${before}\n${start}${rest}`).endsWith(rest.replace(/^:/u, ""))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps every harmless text as it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~\n\t\u00e0-\u00ff\u4e00-\u4fff]*$/u), (text) => {
        expect(cleanText(text)).toBe(text);
      }),
    );
  });

  it.each([
    [ESC, ";#"],
    [`${ESC}]`, "x"],
    ["", `${ESC}]`],
    ["", "\u009d"],
    ["", `${ESC}[;`],
    [`${ESC}[`, "1;"],
    ["", `${ESC}[1;`],
    ["", `${ESC}[ `],
    [`${ESC}[`, " "],
    ["", `${ESC}]\u0090`],
    [`${ESC}P`, "\u009d"],
    [ESC, "(#"],
    ["", "\u200d"],
    ["", "\ufe0f"],
    ["", " \t"],
    ["", "\r"],
  ])("goes through a megabyte of %j + %j and comes back", (head, part) => {
    // A quadratic pattern would not end within the time limit of a test.
    const text = head + part.repeat(2 ** 20 / part.length);
    const once = cleanText(text);
    expect(cleanText(once)).toBe(once);
    expect(cleanLine(text)).toBe(cleanLine(once));
  });
});

describe("cleanLine (P36)", () => {
  it.each([
    ["  a \n\t b\u00a0c  ", "a b c"],
    ["\u0000\n", ""],
    ["a\r\nb", "a b"],
  ])("%j -> %j", (text, expected) => {
    expect(cleanLine(text)).toBe(expected);
  });

  it("gives one trimmed line, idempotently", () => {
    fc.assert(
      fc.property(spiced, (text) => {
        const line = cleanLine(text);
        expect(cleanLine(line)).toBe(line);
        expect(line).toBe(line.trim());
        expect(line).not.toMatch(/[\n\r\t]| {2}/u);
      }),
    );
  });
});

describe("showControls (P9)", () => {
  it.each([
    ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["a\u0007\u001b[31mb\u009b", "a\\x07\\x1b[31mb\\x9b"],
    ["a\u202eb", "a\\u202eb"],
    ["two  spaces ", "two  spaces "],
  ])("%j -> %j", (text, expected) => {
    expect(showControls(text)).toBe(expected);
  });
});
