// Runs Claude Code headless (measured with 2.1.332): one process a turn, the prompt as one stream-json line on stdin, a
// control request for the window in front of it, `--resume` for the next turn.
import type { AgentDriver, TurnRequest } from "../driver.js";
import { createStreamReader, WINDOW_REQUEST } from "./read-stream.js";

function environment({ compact }: TurnRequest): Record<string, string> {
  if (compact === "auto") return {};
  return { DISABLE_AUTO_COMPACT: "1", ...(compact === "off" ? { DISABLE_COMPACT: "1" } : {}) };
}

/** What bounds a turn, with its value: `--max-turns 3`, `--max-budget-usd=2`. */
const LIMITS = new Set(["--max-turns", "--max-budget-usd"]);

function withoutLimits(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => {
    if (LIMITS.has(arg) || LIMITS.has(arg.split("=")[0] ?? "")) return false;
    return !LIMITS.has(args[at - 1] ?? "");
  });
}

/** Claude Code as a runner drives it. */
export const claudeDriver: AgentDriver = {
  name: "claude-code",
  title: "Claude Code",
  bin: "claude",
  obeysCompact: true,
  compactsAt: null,
  isUnknownSession: (text) => /\bno conversation found with session id\b/iu.test(text),
  turn: (request) => ({
    command: request.bin ?? claudeDriver.bin,
    args: [
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      "--input-format",
      "stream-json",
      ...(request.resume === null ? ["--session-id", request.newSession] : ["--resume", request.resume]),
      ...(request.writing ? withoutLimits(request.args) : request.args),
    ],
    env: environment(request),
    input: [
      { type: "control_request", request_id: WINDOW_REQUEST, request: { subtype: "get_context_usage" } },
      { type: "user", message: { role: "user", content: [{ type: "text", text: request.prompt }] } },
    ]
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  }),
  createReader: createStreamReader,
};
