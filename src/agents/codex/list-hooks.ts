// Asks Codex itself which hooks it sees in a folder and whether a person has trusted them: `codex app-server`, JSON-RPC on
// stdio, `hooks/list` (measured with 0.171.0; an answer takes about 0.2 s, and needs no network and no login).
import { runDialogue } from "../../io/run-dialogue.js";
import { parseJson } from "../../text/parse-json.js";
import { fieldsAt, isFields, textAt } from "../payload-fields.js";

/** A hook as Codex sees it. */
export interface ListedHook {
  /** `trusted`, `untrusted`, `modified` (trusted once, and changed since) or `managed`. */
  readonly trust: string;
  readonly enabled: boolean;
  /** Absolute path of the file it is from. */
  readonly file: string;
  readonly command: string;
}

/** What Codex answered; `asked` false: it did not, for this reason. */
export type HookListing =
  | {
      readonly asked: true;
      readonly hooks: readonly ListedHook[];
      /** Files that it could not use, in its own words. */
      readonly warnings: readonly string[];
      /** It leaves out this folder's own hooks until a person trusts the folder. */
      readonly isFolderUntrusted: boolean;
    }
  | { readonly asked: false; readonly why: string };

/** With plugins it would ask for its collections of them; nothing here needs a network. */
const QUIETLY = ["-c", "features.plugins=false", "-c", "analytics.enabled=false", "app-server"];
const TIMEOUT_MS = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;
/** How Codex says that a folder is not trusted: a `configWarning` with these words. */
const UNTRUSTED_FOLDER = /hooks.*disabled.*until the project is trusted/isu;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function readListing(result: unknown): { hooks: ListedHook[]; warnings: string[] } {
  const entries = listOf(isFields(result) ? result["data"] : null).filter(isFields);
  return {
    hooks: entries
      .flatMap((entry) => listOf(entry["hooks"]))
      .filter(isFields)
      .map((hook) => ({
        trust: textAt(hook, "trustStatus") ?? "unknown",
        enabled: hook["enabled"] !== false,
        file: textAt(hook, "sourcePath") ?? "",
        command: textAt(hook, "command") ?? "",
      })),
    warnings: entries.flatMap((entry) => [
      ...listOf(entry["warnings"]).filter((text) => typeof text === "string"),
      ...listOf(entry["errors"])
        .filter(isFields)
        .map((error) => `${textAt(error, "path") ?? ""}: ${textAt(error, "message") ?? ""}`),
    ]),
  };
}

/** Asks the `codex` at `program` about the folder `cwd`. Never throws. */
export async function listCodexHooks(
  program: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  timeoutMs: number = TIMEOUT_MS,
): Promise<HookListing> {
  let isFolderUntrusted = false;
  let listing: HookListing | null = null;
  const initialize = {
    id: 1,
    method: "initialize",
    params: { clientInfo: { name: "handoff", title: "handoff doctor", version: "1" } },
  };
  const status = await runDialogue(program, QUIETLY, {
    cwd,
    env,
    timeoutMs,
    maxChars: MAX_CHARS,
    opening: [JSON.stringify(initialize)],
    onLine: (line) => {
      const parsed = parseJson(line);
      if (!parsed.ok || !isFields(parsed.value)) return [];
      const message = parsed.value;
      const summary = textAt(fieldsAt(message, "params"), "summary") ?? "";
      if (message["method"] === "configWarning" && UNTRUSTED_FOLDER.test(summary)) isFolderUntrusted = true;
      if (message["id"] === 1)
        return [
          JSON.stringify({ method: "initialized" }),
          JSON.stringify({ id: 2, method: "hooks/list", params: { cwds: [cwd] } }),
        ];
      if (message["id"] !== 2) return [];
      listing = isFields(message["error"])
        ? { asked: false, why: textAt(message["error"], "message") ?? "it refused" }
        : { asked: true, ...readListing(message["result"]), isFolderUntrusted };
      return null;
    },
  });
  const WHY: Record<string, string> = {
    timeout: `no answer within ${timeoutMs / 1000} s`,
    too_large: "it said too much",
    failed: "it could not be started",
  };
  return listing ?? { asked: false, why: WHY[status] ?? "it ended without an answer" };
}
