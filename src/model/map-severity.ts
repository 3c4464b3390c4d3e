// How foreign severity words map onto ours (P26). An unknown word warns and is kept.
import type { Severity } from "./severity.js";

const FOREIGN: Readonly<Record<string, Severity>> = {
  block: "block",
  blocker: "block",
  blocking: "block",
  critical: "block",
  fatal: "block",
  high: "block",
  error: "block",
  warn: "warn",
  warning: "warn",
  medium: "warn",
  moderate: "warn",
  low: "info",
  note: "info",
  notice: "info",
  info: "info",
  informational: "info",
};

/** Maps a severity word of any tool to ours. `original` is the word as found when it is not already one of ours, else null. */
export function mapSeverity(word: string): { severity: Severity; original: string | null } {
  const known = word.trim().toLowerCase();
  const severity = (Object.hasOwn(FOREIGN, known) ? FOREIGN[known] : undefined) ?? "warn";
  return { severity, original: word === severity ? null : word };
}
