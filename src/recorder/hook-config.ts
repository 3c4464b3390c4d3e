// The few settings of handoff.config.json that every hook needs, read without the schema library: start-up counts (A10). The
// whole configuration is judged where a packet is made; a hook that only records takes what is usable.
import { readArtifactFile } from "../io/read-artifact-file.js";
import { createRedactor, type Redactor } from "../redact/create-redactor.js";
import { parseJson } from "../text/parse-json.js";

const FILE = "handoff.config.json";
const DEFAULT_OUT = "outputs/handoff";

export interface HookConfig {
  readonly redactor: Redactor;
  /** The store's root, relative to the root. */
  readonly out: string;
  /** Why the project's own redaction rules could not be used; null: they are, or there are none. */
  readonly problem: string | null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  const texts: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) if (typeof one === "string") texts[name] = one;
  return texts;
}

/** Reads it. Never throws for what is on disk. */
export async function readHookConfig(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HookConfig> {
  const plain = (problem: string | null, out = DEFAULT_OUT): HookConfig => ({
    redactor: createRedactor({ env }),
    out,
    problem,
  });
  const read = await readArtifactFile(root, FILE);
  if (read.status === "missing") return plain(null);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  if (parsed?.ok !== true || !isRecord(parsed.value)) return plain(`${FILE} cannot be used`);
  const { redaction, out } = parsed.value;
  const folder =
    typeof out === "string" && out !== "" ? out.replace(/^\.\//u, "").replace(/\/+$/u, "") : DEFAULT_OUT;
  if (!isRecord(redaction)) return plain(null, folder);
  try {
    const allow = Array.isArray(redaction["allow"])
      ? redaction["allow"].filter((one) => typeof one === "string")
      : [];
    const redactor = createRedactor({ env, patterns: textsOf(redaction["patterns"]), allow });
    return { redactor, out: folder, problem: null };
  } catch (error) {
    return plain(
      `${FILE}: ${error instanceof Error ? error.message : "redaction rules cannot be used"}`,
      folder,
    );
  }
}
