// What Codex wrote down as the answer to a tool call: for a command that got no item of its own, all there is (0.171.0:
// commands that fail in the sandbox, rejected ones), and in earlier versions the only word on how any command ended.
import { countAt, fieldsAt, isFields } from "../payload-fields.js";

/** How a command ended, by the answer to its call. */
export type CallOutput =
  | { readonly kind: "ended"; readonly exit_code: number; readonly output: string }
  /** It goes on, or what becomes of it is told later: `error` if it never is. */
  | { readonly kind: "open"; readonly error: string; readonly output: string }
  | { readonly kind: "refused"; readonly error: string }
  /** No command at all: an unknown tool, or arguments that are none. */
  | { readonly kind: "none" };

/** `Chunk ID: 99cfec\nWall time: 0.5 seconds\nProcess exited with code 1\nOriginal token count: 2\nOutput:\n…` */
const HEAD =
  /^(?:(?:Chunk ID|Wall time|Original token count|Total output lines): [^\n]*\n|Process running with session ID [^\n]*\n|Process exited with code -?\d+\n|Exit code: -?\d+\n)+(?:Output:\n)?/u;
const EXITED = /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/mu;
/** `unsupported call: shell`, `failed to parse function arguments: missing field …` */
const NO_COMMAND = /^(?:unsupported call: |failed to parse function arguments: )/u;
/** `approval policy is Never; reject command — …`, `… rejected by user approval settings`, `… rejected by user` */
const REFUSED = /\b(?:reject(?:ed)?|denied|declined|not allowed)\b/iu;

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** The text of an answer: a string, or a list of texts. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return "";
  const texts: string[] = [];
  for (const one of output) if (isFields(one) && typeof one["text"] === "string") texts.push(one["text"]);
  return texts.join("");
}

/** Until 2026 an answer was JSON: `{"output": "…", "metadata": {"exit_code": 0, "duration_seconds": 0.2}}`. */
function readJsonOutput(text: string): CallOutput | null {
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isFields(value)) return null;
    const exit_code = countAt(fieldsAt(value, "metadata"), "exit_code");
    if (exit_code === null || !Number.isSafeInteger(exit_code)) return null;
    return { kind: "ended", exit_code, output: outputText(value["output"]) };
  } catch {
    return null;
  }
}

/** Reads the answer to a call of a command tool. */
export function readCallOutput(answer: unknown): CallOutput {
  const text = outputText(answer);
  const json = readJsonOutput(text);
  if (json !== null) return json;
  if (NO_COMMAND.test(text)) return { kind: "none" };
  const head = HEAD.exec(text)?.[0] ?? "";
  const output = text.slice(head.length);
  const exit = EXITED.exec(head)?.[1];
  if (exit !== undefined) return { kind: "ended", exit_code: Number(exit), output };
  if (head.includes("Process running with session ID "))
    return { kind: "open", error: "still running when the transcript ends", output };
  if (output.startsWith("aborted by user")) return { kind: "open", error: "interrupted", output: "" };
  if (REFUSED.test(text)) return { kind: "refused", error: `denied: ${firstLine(output)}` };
  return { kind: "refused", error: firstLine(output) || "it ended without an exit status" };
}
