// Comments and trailing commas, which some programs allow in JSON: found, and blanked out with every offset kept.

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)|,(?=\s*[\]}])/gu;

/** A text with its comments and trailing commas replaced by spaces of the same length; line ends inside them stay. */
export function blankComments(text: string): string {
  // Unit by unit, so that the length stays.
  const blank = (token: string): string =>
    token
      .split("")
      .map((c) => (c === "\n" || c === "\r" ? c : " "))
      .join("");
  const withoutComments = text.replace(TOKEN, (token) => (token.startsWith("/") ? blank(token) : token));
  // In a second pass, since a comment may stand between a comma and what closes.
  return withoutComments.replace(TOKEN, (token) => (token === "," ? " " : token));
}

/** Line of the first comment or trailing comma, from 1; null when there is none. */
export function firstCommentLine(text: string): number | null {
  const blanked = blankComments(text);
  if (blanked === text) return null;
  let at = 0;
  while (text[at] === blanked[at]) at += 1;
  return text.slice(0, at).split("\n").length;
}
