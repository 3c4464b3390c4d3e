// How a text is read when it is searched for words that talk to an agent (S17): its letters as one would read them, without what
// is put between them to hide it. Pure, linear in the text.

/** Look-alikes of Latin letters, for words that mix alphabets. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x",
  і: "i",
  ѕ: "s",
  ј: "j",
  ԁ: "d",
  ո: "n",
  к: "k",
  м: "m",
  т: "t",
  н: "h",
  в: "b",
  α: "a",
  ε: "e",
  ο: "o",
  ρ: "p",
  ι: "i",
  ν: "v",
  τ: "t",
  κ: "k",
  υ: "u",
  ı: "i",
};
const MIXED_WORD =
  /[a-z][\u0370-\u03ff\u0400-\u04ff\u0500-\u058f]|[\u0370-\u03ff\u0400-\u04ff\u0500-\u058f][a-z]/u;

/** Escapes that {@link cleanText} left in the place of invisible characters. */
const INVISIBLE_ESCAPE =
  /\\u(?:00ad|034f|061c|115f|1160|17b[45]|180[b-f]|200[b-f]|202[a-e]|206[0-9a-f]|feff|fe0[0-9a-f]|3164|ffa0)|\\u\{e0[0-9a-f]{3}\}/gu;

/** The letters of a text as one would read them: compatibility forms and invisible characters undone, all small. */
function lettersOf(text: string): string {
  const read = text
    .replace(INVISIBLE_ESCAPE, "")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘ʼ]/gu, "'");
  return MIXED_WORD.test(read) ? read.replace(/[^\u0000-\u007f]/gu, (c) => LOOKALIKES[c] ?? c) : read;
}

/** Texts whose letters are what they seem. */
const PLAIN = /^[\t\n\r -~]*$/;
const EMPHASIS = /[*~`"]/gu;

/** A text to look for what every match of a pattern has in: whatever view of it matches a pattern, the words are in here. */
export function spokenText(text: string): string {
  const letters = PLAIN.test(text) && !text.includes("\\u") ? text.toLowerCase() : lettersOf(text);
  return letters.replace(EMPHASIS, "");
}

/**
 * The views of a text that are looked at: its letters, emphasis and line breaks inside sentences undone, and the same with
 * the joints of names (`_ - . /`) as spaces.
 */
export function plainViews(text: string): {
  readonly text: readonly string[];
  readonly names: readonly string[];
} {
  const letters = lettersOf(text);
  const marks = letters.replace(/[ \t]+/gu, " ");
  const flowing = letters.replace(EMPHASIS, "").replace(/\s+/gu, " ");
  const joined = flowing.replace(/[_\-./\\+%,:;]+|%20/gu, " ").replace(/ {2,}/gu, " ");
  const views = [...new Set([marks, flowing])];
  return { text: views, names: [...new Set([...views, joined])] };
}
