// Whether a recorded next action says anything of the findings that block (P26). By shapes and places, in any language (P7).
import type { Finding } from "../model/artifacts.js";
import { cleanLine } from "../text/clean.js";

/** Programs that are in nearly every sentence about code: their name alone names no finding. */
const COMMON_PROGRAMS = new Set([
  "git",
  "npm",
  "npx",
  "node",
  "python",
  "python3",
  "make",
  "bash",
  "sh",
  "run",
  "test",
]);

/**
 * What a finding can be recognised by in prose: its code, quoted commands, path-like words, and the program its detail
 * begins with. Shapes and places only, so that it works in any language (P7).
 */
function namesOf(finding: Finding): string[] {
  const detail = finding.detail.trim();
  const quoted = [...detail.matchAll(/(["'`])(?<text>[^"'`\n]{2,200})\1/gu)].map(
    (match) => match.groups?.["text"] ?? "",
  );
  const words = detail.match(/[\p{L}\p{N}_@.:/\\-]+/gu) ?? [];
  const paths = words.filter((word) => /[./\\_:]/u.test(word.slice(0, -1)));
  const first = words[0] ?? "";
  const program = first.length < 3 || COMMON_PROGRAMS.has(first.toLowerCase()) ? [] : [first];
  return [finding.code, ...quoted, ...paths, ...program]
    .map((name) =>
      cleanLine(name)
        .replace(/[.:]+$/u, "")
        .toLowerCase(),
    )
    .filter((name) => name.length > 1);
}

/** True when `name` stands in `text` as a word of its own, not inside another. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text.slice(0, at), text.slice(at + name.length)];
    if (!/[\p{L}\p{N}_]$/u.test(around[0] ?? "") && !/^[\p{L}\p{N}_]/u.test(around[1] ?? "")) return true;
  }
  return false;
}

/** True when findings block and the action names none of them. */
export function ignoresVerdict(action: string, findings: readonly Finding[]): boolean {
  const text = cleanLine(action).toLowerCase();
  return findings.length > 0 && !findings.flatMap(namesOf).some((name) => hasWord(text, name));
}
