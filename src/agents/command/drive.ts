// Runs any program as an agent (R-command of src/rotation/README.md): the prompt on stdin, its words on stdout, and, if it
// can tell, `HANDOFF_USAGE {"context": N, "window": N}` lines on stderr. Its session id is the runner's own.
import type { AgentDriver, AgentSignal, TurnReader, TurnRequest } from "../driver.js";
import { isFields, wholeAt } from "../payload-fields.js";

/** A program that keeps sessions, and has none of the name it was given. */
const UNKNOWN_SESSION = /^HANDOFF_UNKNOWN_SESSION\b/mu;
const USAGE = /^HANDOFF_USAGE\s+(\{.*\})\s*$/u;
/** Most characters of output that are kept as the agent's last words. */
const LAST_WORDS = 65_536;
const ERROR_WORDS = 8192;

function readUsage(line: string): AgentSignal[] | null {
  const json = USAGE.exec(line)?.[1];
  if (json === undefined) return null;
  try {
    const usage: unknown = JSON.parse(json);
    if (!isFields(usage)) return [{ kind: "torn" }];
    const window = wholeAt(usage, "window");
    const used_tokens = wholeAt(usage, "context");
    return [
      ...(window === null || window === 0 ? [] : [{ kind: "window", window } as const]),
      ...(used_tokens === null ? [] : [{ kind: "reading", used_tokens, final: false } as const]),
    ];
  } catch {
    return [{ kind: "torn" }];
  }
}

function createReader(request: TurnRequest): TurnReader {
  let said = "";
  let errors = "";
  let isTold = false;
  const session = (): AgentSignal[] => {
    if (isTold) return [];
    isTold = true;
    return [{ kind: "session", session_id: request.resume ?? request.newSession, model: null }];
  };
  return {
    stdout: (line) => {
      said = `${said}${line}\n`.slice(-LAST_WORDS);
      return [...session(), { kind: "text", text: line }];
    },
    stderr: (line) => {
      const usage = readUsage(line);
      if (usage !== null) return [...session(), ...usage];
      errors = `${errors}${line}\n`.slice(-ERROR_WORDS);
      return [];
    },
    end: ({ code, cut }) => [
      ...session(),
      {
        kind: "result",
        // Whether a program that was cut and says 0 was through with it, nobody knows: asking it is the safer half.
        outcome: cut ? "interrupted" : code === 0 ? "done" : "failed",
        text: said.trim(),
        error:
          cut || code === 0
            ? null
            : {
                text: errors.trim() || said.trim().slice(-ERROR_WORDS),
                status: null,
                overflow: false,
              },
        stop_reason: null,
        is_empty: said.trim() === "",
        turns: null,
      },
    ],
  };
}

/** Any program. `--agent-bin` names it; the variables tell it which session and turn this is. */
export const commandDriver: AgentDriver = {
  name: "command",
  title: "command",
  bin: "",
  obeysCompact: false,
  compactsAt: null,
  isUnknownSession: (text) => UNKNOWN_SESSION.test(text),
  turn: (request) => ({
    command: request.bin ?? "",
    args: request.args,
    env: {
      HANDOFF_SESSION_ID: request.resume ?? request.newSession,
      HANDOFF_TURN: request.resume === null ? "first" : "next",
    },
    input: request.prompt,
  }),
  createReader,
};
