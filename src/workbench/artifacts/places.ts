// Where each artifact is looked for (first match wins) and which paths are the workbench's own, whatever the ids.
import type { ArtifactPatterns } from "../../model/config.js";

/** Patterns of every artifact, none left out. */
export type Places = { readonly [K in keyof Required<ArtifactPatterns>]: readonly string[] };

/** The places without a configuration. */
export const DEFAULT_PLACES: Places = {
  state: [".handoff/sessions/<session_id>/agent_state.json", ".handoff/agent_state.json", "agent_state.json"],
  board: [".handoff/task_board.json", "task_board.json"],
  verification: [
    "outputs/verification/<task_id>.json",
    "verification_report_<task_id>.json",
    "verification_report.json",
  ],
  review: ["outputs/review/<task_id>.json", "review_report_<task_id>.json", "review_report.json"],
  feedback: [".handoff/sessions/<session_id>/feedback.jsonl", "feedback.jsonl", "feedback_record.jsonl"],
  scope_contract: ["scope_contract.json", "outputs/scope/closed/<task_id>.json"],
  scope_report: ["outputs/scope/closed/<task_id>.report.json", "outputs/scope/closed/<task_id>.json"],
  rule_report: ["rule_report.json"],
  last_known_good: ["last_known_good.json"],
  overrides: ["overrides.jsonl"],
};

/** Rotated parts of a log, oldest first. */
export const ROTATED_PARTS = [".5", ".4", ".3", ".2", ".1"] as const;

/** The configured patterns, ours where none are configured. */
export function placesOf(configured: ArtifactPatterns | undefined): Places {
  const given = Object.fromEntries(
    Object.entries(configured ?? {}).filter(([, patterns]) => patterns !== undefined),
  );
  return { ...DEFAULT_PLACES, ...given };
}

/** The ids a pattern may name. They are validated before they get here, so they cannot climb out of a folder. */
export interface PatternIds {
  readonly task_id: string | null;
  readonly session_id: string | null;
}

/** A pattern with its ids filled in; null when it names one that is not known. */
export function fillPattern(pattern: string, ids: PatternIds): string | null {
  if (pattern.includes("<task_id>") && ids.task_id === null) return null;
  if (pattern.includes("<session_id>") && ids.session_id === null) return null;
  return pattern.replaceAll("<task_id>", ids.task_id ?? "").replaceAll("<session_id>", ids.session_id ?? "");
}

/** True for a pattern that would leave the root: absolute, or with a `..` segment. */
export function climbs(pattern: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:)/u.test(pattern) || pattern.split(/[/\\]/u).includes("..");
}

/** True for a pattern that must be matched against the disk: `* ? [] {}`, `@()` and the like, or an escape. Bare parentheses are a name. */
export function isDynamic(pattern: string): boolean {
  return /[*?[\]{}\\]|[@+!]\(/u.test(pattern);
}

/**
 * Tells the workbench's own paths (P10): any place of any artifact, with any id, and the rotated parts of logs.
 * Patterns with wildcards count by what they matched.
 */
export function ownPlaceMatcher(places: Places): (path: string) => boolean {
  const exact = Object.entries(places).flatMap(([artifact, patterns]) =>
    patterns
      .filter((pattern) => !isDynamic(pattern))
      .map((pattern) => {
        const source = pattern
          .replace(/^\.\//u, "")
          .split(/<(?:task_id|session_id)>/u)
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`))
          .join("[A-Za-z0-9._-]{1,128}");
        return `${source}${artifact === "feedback" ? String.raw`(?:\.[1-5])?` : ""}`;
      }),
  );
  const own = new RegExp(`^(?:${exact.join("|")})$`, "u");
  return (path) => exact.length > 0 && own.test(path);
}
