// The three severities of a risk and how foreign words map onto them (P26). An unknown word warns and is kept.
import { z } from "zod";

export const severitySchema = z.enum(["block", "warn", "info"]);
export type Severity = z.infer<typeof severitySchema>;

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
  const severity = FOREIGN[word.trim().toLowerCase()] ?? "warn";
  return { severity, original: word === severity ? null : word };
}
