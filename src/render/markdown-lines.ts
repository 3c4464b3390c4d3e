// Reads Markdown line by line, knowing which lines lie inside a fenced block. Pure.

/** One line, without its end. `inside`: between a fence and its end; the fence's own lines are not inside, but `open` after its first. */
export interface MarkdownLine {
  readonly text: string;
  readonly inside: boolean;
  /** A fenced block is open after this line. */
  readonly open: boolean;
}

/** The lines of a text, CRLF or LF. */
export function* markdownLines(markdown: string): Generator<MarkdownLine> {
  let fence: string | null = null;
  for (const text of markdown.split(/\r?\n/u)) {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/u.exec(text)?.[1];
    const closes = fence !== null && mark !== undefined && mark.startsWith(fence) && text.trim() === mark;
    const inside = fence !== null && !closes;
    if (closes) fence = null;
    else if (fence === null && mark !== undefined) fence = mark;
    yield { text, inside, open: fence !== null };
  }
}

/** At most one blank line in a row outside fences, no space at line ends, none around the text: sections a template leaves out leave gaps. */
export function tidyBlankLines(markdown: string): string {
  const out: string[] = [];
  for (const { text, inside } of markdownLines(markdown.trim())) {
    const line = inside ? text : text.trimEnd();
    if (inside || line !== "" || out.at(-1) !== "") out.push(line);
  }
  return out.join("\n");
}
