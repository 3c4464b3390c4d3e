// handoff.config.json (P42): optional, but when it is there it must be right. Every fault is a usage error (exit 2) that
// names the file, the key and, for an unknown key, the nearest known one.
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { z } from "zod";
import { isGitFolder, readArtifactFile } from "../io/read-artifact-file.js";
import type { HandoffConfig } from "../model/config.js";
import { UsageError } from "../model/errors.js";
import { parseJson } from "../text/parse-json.js";
import { pointerTo } from "./artifacts/field-notes.js";
import { climbs } from "./artifacts/places.js";
import { refusePattern } from "./artifacts/refuse-pattern.js";

/** The name that is looked for in the root. */
export const CONFIG_FILE = "handoff.config.json";
const MAX_CONFIG_BYTES = 1024 * 1024;

interface Source {
  readonly path: string;
  readonly text: string;
}

/** The line of a key, where the file has it only once. */
function lineOf(text: string, key: PropertyKey | undefined): number | undefined {
  if (typeof key !== "string") return undefined;
  const parts = text.split(
    new RegExp(`${JSON.stringify(key).replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)}\\s*:`, "u"),
  );
  return parts.length === 2 ? parts[0]?.split("\n").length : undefined;
}

function placeOf(
  { path: file, text }: Source,
  key: PropertyKey | undefined,
): { path: string; line?: number } {
  const line = lineOf(text, key);
  return line === undefined ? { path: file } : { path: file, line };
}

/** The keys a schema knows at a path: objects and optional objects only, which is all our configuration has. */
async function knownKeys(schema: unknown, at: readonly PropertyKey[]): Promise<string[]> {
  const { z } = await import("zod");
  const shapeOf = (given: unknown): Readonly<Record<string, unknown>> => {
    const inner: unknown = given instanceof z.ZodOptional ? given.unwrap() : given;
    return inner instanceof z.ZodObject ? inner.shape : {};
  };
  const here = at.reduce<unknown>((above, step) => shapeOf(above)[String(step)], schema);
  return Object.keys(shapeOf(here));
}

async function explain(issue: z.core.$ZodIssue, schema: unknown, source: Source): Promise<UsageError> {
  const base = issue.path.reduce<string>((pointer, key) => pointerTo(pointer, String(key)), "");
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const known = await knownKeys(schema, issue.path);
    const { closest } = await import("fastest-levenshtein");
    const nearest = known.length === 0 ? null : closest(key.toLowerCase(), known);
    return new UsageError(
      "config.unknown_key",
      `unknown key ${pointerTo(base, key)}`,
      nearest === null
        ? "remove it"
        : `did you mean ${JSON.stringify(nearest)}? Known here: ${known.join(", ")}`,
      placeOf(source, key),
    );
  }
  return new UsageError(
    "config.invalid",
    `${base === "" ? "the configuration" : base}: ${issue.message}`,
    "see schemas/config.schema.json",
    placeOf(
      source,
      issue.path.findLast((key) => typeof key === "string"),
    ),
  );
}

/** Patterns that leave the root (the workbench is what lies below it), or that no search could end, are refused. */
function checkPatterns(config: HandoffConfig, source: Source): void {
  for (const [artifact, patterns] of Object.entries(config.artifacts ?? {})) {
    for (const pattern of patterns ?? []) {
      const reason = climbs(pattern) ? "leads outside the workbench" : refusePattern(pattern);
      if (reason === null) continue;
      throw new UsageError(
        "config.invalid",
        `/artifacts/${artifact}: ${JSON.stringify(pattern.slice(0, 200))} ${reason}`,
        climbs(pattern)
          ? "patterns are relative to the root and have no .. in them"
          : "write a simpler pattern, or several",
        placeOf(source, artifact),
      );
    }
  }
}

/** What is written into git's own folder can ruin the repository. */
function checkOut({ out }: HandoffConfig, source: Source): void {
  if (out === undefined || !isGitFolder(out)) return;
  throw new UsageError(
    "config.invalid",
    `/out: ${JSON.stringify(out.slice(0, 200))} lies inside git's own folder`,
    "name a folder beside .git, such as outputs/handoff",
    placeOf(source, "out"),
  );
}

/** A configuration comes with the repository: what a session is asked to write stays inside. */
function checkHandover({ rollover }: HandoffConfig, source: Source): void {
  const file = rollover?.handover_path ?? "";
  const isElsewhere = climbs(file) || isGitFolder(file) || path.isAbsolute(file);
  const isFolder = rollover !== undefined && /^\.?$|[/\\]\.?$/u.test(file);
  if (!isElsewhere && !isFolder) return;
  throw new UsageError(
    "config.invalid",
    `/rollover/handover_path: ${JSON.stringify(file.slice(0, 200))} ${isElsewhere ? "leads outside the workbench, or into git's own folder" : "is a folder"}`,
    "name a file inside it, such as handover.md, or auto",
    placeOf(source, "handover_path"),
  );
}

/**
 * It is typed into an agent's input line and sent off, where the first character decides: `!` runs a shell, `/` a command, which
 * may clear once more. Words begin with a letter.
 */
function checkBootstrap({ rollover }: HandoffConfig, source: Source): void {
  const text = rollover?.bootstrap_text;
  if (text === undefined || /^[\p{L}\p{N}]/u.test(text)) return;
  throw new UsageError(
    "config.invalid",
    `/rollover/bootstrap_text: ${JSON.stringify(text.slice(0, 200))} does not begin with a letter or a digit`,
    "write a sentence: what begins otherwise may be a command of the agent's input line",
    placeOf(source, "bootstrap_text"),
  );
}

/** Regular expressions must at least be some; what else they must be, the gate that uses them says. */
function checkExpressions({ redaction = {} }: HandoffConfig, source: Source): void {
  const expressions = [
    ...Object.entries(redaction.patterns ?? {}).map(
      ([key, text]) => [pointerTo("/redaction/patterns", key), key, text] as const,
    ),
    ...(redaction.allow ?? []).map((text, at) => [`/redaction/allow/${at}`, "allow", text] as const),
  ];
  for (const [pointer, key, text] of expressions) {
    if (isExpression(text, "u") || isExpression(text, "")) continue;
    throw new UsageError(
      "config.invalid",
      `${pointer}: ${JSON.stringify(text.slice(0, 200))} is not a regular expression`,
      "correct it, or remove it",
      placeOf(source, key),
    );
  }
}

function isExpression(text: string, flags: string): boolean {
  try {
    return new RegExp(text, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Reads the configuration of the workbench at `root`, or the file a person named (relative to the current folder).
 * @returns the configuration; empty when none was named and the root has none
 * @throws UsageError when the file named is missing, or the file cannot be read, is not JSON or does not fit the schema
 */
export async function loadConfig(root: string, explicitPath: string | null): Promise<HandoffConfig> {
  const shown = explicitPath ?? CONFIG_FILE;
  const file =
    explicitPath === null
      ? await readArtifactFile(await realpath(root), CONFIG_FILE, MAX_CONFIG_BYTES)
      : await readArtifactFile(null, path.resolve(explicitPath), MAX_CONFIG_BYTES);
  if (file.status === "missing" && explicitPath === null) return {};
  if (file.status !== "read") {
    const { status, ...rest } = file;
    const why = [status.replaceAll("_", " "), ...Object.values(rest).slice(0, 1)].join(": ");
    throw new UsageError(
      "config.unreadable",
      `the configuration cannot be read (${why})`,
      "name a readable file with --config",
      {
        path: shown,
      },
    );
  }
  const source = { path: shown, text: file.text };
  const parsed = parseJson(file.text);
  if (!parsed.ok)
    throw new UsageError(
      "config.not_json",
      `the configuration is not JSON: ${parsed.reason}`,
      "mend the file",
      {
        path: shown,
        line: parsed.line,
      },
    );
  // Loaded only when there is a configuration: most workbenches have none, and start-up is a feature.
  const { configSchema } = await import("../model/config.js");
  const result = configSchema.safeParse(parsed.value);
  if (result.success) {
    checkPatterns(result.data, source);
    checkOut(result.data, source);
    checkHandover(result.data, source);
    checkBootstrap(result.data, source);
    checkExpressions(result.data, source);
    return result.data;
  }
  const issues = result.error.issues;
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  throw first === undefined ? result.error : await explain(first, configSchema, source);
}
