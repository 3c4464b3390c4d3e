// The entry in git's own list of what this clone ignores (S12): `.git/info/exclude` is no tracked file, so that one person's
// choice is nobody else's. Pure: text in, text out; put in and taken out again gives the same bytes.

const NOTE = "# Packets stay out of git (handoff init --ignore; --uninstall takes this out)";

/** A folder as a pattern of git's: anchored, a folder only, nothing in it special. @param folder relative to the top of the repository */
export function excludePattern(folder: string): string {
  const escaped = folder.replaceAll(/[\\*?[\]]/gu, String.raw`\$&`).replace(/ (?= *$)/gu, String.raw`\ `);
  return `/${escaped.replace(/\/+$/u, "")}/`;
}

function entryAt(text: string): { from: number; to: number } | null {
  const lines = text.split("\n");
  const note = lines.findIndex((line) => line.trimEnd() === NOTE);
  if (note === -1) return null;
  const from = lines.slice(0, note).join("\n").length + (note === 0 ? 0 : 1);
  const pattern = lines[note + 1];
  return { from, to: from + (lines[note] ?? "").length + (pattern === undefined ? 0 : 1 + pattern.length) };
}

/** The list without our entry. */
export function withoutExclude(text: string): string {
  const entry = entryAt(text);
  if (entry === null) return text;
  const [before, behind] = [text.slice(0, entry.from), text.slice(entry.to)];
  // The line end that came with it: behind, or in front where the list ended without one.
  return behind.startsWith("\n") ? before + behind.slice(1) : before.replace(/\n$/u, "") + behind;
}

/** The list with our entry, once. */
export function withExclude(text: string, pattern: string): string {
  const entry = `${NOTE}\n${pattern}`;
  const place = entryAt(text);
  if (place !== null) return text.slice(0, place.from) + entry + text.slice(place.to);
  return text === "" || text.endsWith("\n") ? `${text}${entry}\n` : `${text}\n${entry}`;
}
