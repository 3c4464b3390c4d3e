// Windows that real overflows showed (R4, R13), by agent, endpoint and model: `.handoff/cache/windows.json`. Lost without harm.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { CACHE_FOLDER, type Environment } from "../session/open-workbench.js";
import { jsonText } from "../text/json-text.js";
import { parseJson } from "../text/parse-json.js";
import type { RunAgent } from "./run-options.js";

const NAME = "windows.json";
const MAX_ENTRIES = 200;

/** Windows in tokens, by what {@link windowKey} gives. */
export type WindowMemory = Readonly<Record<string, number>>;

/** What a window belongs to: the same model may be served with another one elsewhere. */
export function windowKey({ driver, bin }: RunAgent, model: string | null, env: Environment): string {
  const endpoint = env["ANTHROPIC_BASE_URL"] ?? env["OPENAI_BASE_URL"] ?? "";
  let host = "";
  try {
    host = endpoint === "" ? "" : new URL(endpoint).host;
  } catch {
    // No address: the agent will say so itself.
  }
  return [driver.name, bin ?? "", host, model ?? ""].join(" ");
}

/** All that are remembered. Never throws. */
export async function readWindows(root: string): Promise<WindowMemory> {
  try {
    const read = await readArtifactFile(root, path.join(root, CACHE_FOLDER, NAME));
    const parsed = read.status === "read" ? parseJson(read.text) : null;
    if (parsed?.ok !== true || typeof parsed.value !== "object" || parsed.value === null) return {};
    const entries = Object.entries(parsed.value).flatMap(([key, window]: [string, unknown]) =>
      typeof window === "number" && Number.isSafeInteger(window) && window > 0
        ? [[key, window] as const]
        : [],
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

/** Remembers one. Never throws: it is a help, no more. */
export async function rememberWindow(root: string, key: string, window: number): Promise<void> {
  try {
    const { [key]: _, ...others } = await readWindows(root);
    const kept = Object.entries(others).slice(-MAX_ENTRIES + 1);
    const folder = path.join(root, CACHE_FOLDER);
    await ensureFolder(folder, { base: root });
    await writeAtomic(path.join(folder, NAME), jsonText(Object.fromEntries([...kept, [key, window]])), {
      base: root,
    });
  } catch {
    // Nothing depends on it.
  }
}
