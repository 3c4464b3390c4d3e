// The prompt of the writing turn (R14): the last question to a session that is about to be replaced. Pure.

/** What the session is told of itself. */
export interface WritingTurn {
  /** Tokens of context in use. */
  readonly used: number;
  /** Tokens the window holds; null: not known. */
  readonly total: number | null;
  /** Who ends it: the line, or a person who takes over. Default: the line. */
  readonly by?: "line" | "operator";
}

/** A count with separators, the same on every machine. */
function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

/**
 * Asks for the five sections that only this session can fill. Headings are in English and in one shape; the reader takes
 * others too. Nothing else is asked for: commands, files and verdicts are on record.
 */
export function writingPrompt({ used, total, by = "line" }: WritingTurn): string {
  const filled =
    total === null
      ? `${grouped(used)} tokens`
      : `${grouped(used)} of ${grouped(total)} tokens (${Math.floor((used / total) * 100)} %)`;
  const why =
    by === "operator"
      ? `A person hands this job over to somebody else now (your context is at ${filled}). Whoever takes over`
      : `Your context is at ${filled}, so a fresh session takes over this job now. It`;
  return `Stop here. ${why} sees nothing of this conversation: only what you write in this one reply, and what is recorded anyway (commands with their exit codes, changed files, reports, git).

Do not run anything and do not change any file. Reply with these five sections, each under its heading, and nothing else:

## Doing
What you were in the middle of, in one to three sentences. Required.

## Decided
Each decision that still holds, one a line, each with why: "what — because why".

## Dead ends
Each thing you tried that does not work, one a line, each with why. If there was none, write "none"; do not invent any.

## Next
The one action to take first, so exact that it can be carried out without asking back: which file, which change, which command. Required.

## Scene
The paths to look at first, one a line, the most important first. Paths only, no content.`;
}
