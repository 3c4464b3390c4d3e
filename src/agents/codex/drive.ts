// Runs Codex headless (measured with 0.171.0): `codex exec --json`, the prompt on stdin, `exec resume ID -` for the next turn.
// Its output knows neither exit codes by call id nor how full the context is: those come from the rollout, read as it grows.
import type { AgentDriver, AgentSignal, TurnReader, TurnRequest } from "../driver.js";
import { fieldsAt, isFields, textAt, type Fields } from "../payload-fields.js";
import { codexTranscripts } from "./transcript-speech.js";
import { createCodexReader } from "./read-transcript.js";

const SILENT = new Set(["turn.started", "item.started", "item.updated", "turn.completed"]);
/** What Codex says when its context is full; its rollout calls it context_window_exceeded. */
const FULL = /ran out of room in the model's context window|context_window_exceeded/iu;
/** `unexpected status 429 Too Many Requests: …` */
const STATUS = /\bstatus(?: code)?:? (\d{3})\b/iu;

/** The shell line Codex put around the command: `/bin/bash -lc '…'`. */
function commandText(line: string): string {
  const quoted = /^\S+ -l?c '([\s\S]*)'$/u.exec(line)?.[1];
  return quoted === undefined ? line : quoted.replaceAll(String.raw`'\''`, "'");
}

function createReader(request: TurnRequest): TurnReader {
  let session = request.resume;
  let said = "";
  let problem = "";
  let status: "none" | "done" | "failed" = "none";
  let lastWords = "";

  const item = (row: Fields): AgentSignal[] => {
    const it = fieldsAt(row, "item");
    switch (it["type"]) {
      case "agent_message": {
        const text = textAt(it, "text");
        if (text === null) return [];
        said = text;
        return [{ kind: "text", text }];
      }
      case "command_execution": {
        const exit = it["exit_code"];
        const id = textAt(it, "id");
        return [
          {
            kind: "command",
            command: {
              command: commandText(textAt(it, "command") ?? ""),
              exit_code: typeof exit === "number" ? exit : null,
              error: typeof exit === "number" ? null : (textAt(it, "status") ?? "no exit status"),
              stdout: textAt(it, "aggregated_output") ?? "",
              stderr: "",
              duration_ms: null,
              started_at: null,
              tool: "exec_command",
              // Items are numbered anew in every turn; the turn's own id keeps them apart.
              command_id: id === null ? null : `${request.newSession}-${id}`,
              cwd: null,
              subagent: null,
              agent_note: null,
            },
          },
        ];
      }
      case "file_change": {
        const changes = Array.isArray(it["changes"]) ? it["changes"].filter(isFields) : [];
        const paths = changes.map((one) => textAt(one, "path")).filter((one) => one !== null);
        const command_id = textAt(it, "id");
        if (paths.length === 0 || it["status"] !== "completed") return [];
        return [{ kind: "edit", edit: { paths, tool: "apply_patch", command_id }, subagent: null }];
      }
      case "error": {
        const text = textAt(it, "message");
        return text === null ? [] : [{ kind: "notice", text }];
      }
      default:
        return [];
    }
  };

  const take = (row: Fields): AgentSignal[] => {
    const type = typeof row["type"] === "string" ? row["type"] : "";
    switch (type) {
      case "thread.started": {
        session = textAt(row, "thread_id") ?? session;
        return session === null ? [] : [{ kind: "session", session_id: session, model: null }];
      }
      case "item.completed":
        return item(row);
      case "turn.completed":
        status = "done";
        return [];
      case "error":
        problem = textAt(row, "message") ?? problem;
        return [{ kind: "notice", text: problem }];
      case "turn.failed":
        status = "failed";
        problem = textAt(fieldsAt(row, "error"), "message") ?? problem;
        return [];
      default:
        return SILENT.has(type) ? [] : [{ kind: "unknown", type }];
    }
  };

  return {
    stdout: (line) => {
      if (line.trim() === "") return [];
      try {
        const row: unknown = JSON.parse(line);
        if (isFields(row)) return take(row);
      } catch {
        // Told below.
      }
      return [{ kind: "torn" }];
    },
    stderr: (line) => {
      if (line.trim() !== "") lastWords = `${lastWords}\n${line}`.slice(-8192);
      return [];
    },
    end: ({ code, cut }) => {
      const isDone = status === "done" && code === 0;
      // Interrupted it says nothing of it: no end of the turn, exit 1.
      const isCut = !isDone && cut && status !== "failed";
      const text = problem || lastWords.trim();
      const found = STATUS.exec(text)?.[1];
      return [
        {
          kind: "result",
          outcome: isDone ? "done" : isCut ? "interrupted" : "failed",
          text: said,
          error:
            isDone || isCut
              ? null
              : { text, status: found === undefined ? null : Number(found), overflow: FULL.test(text) },
          stop_reason: null,
          is_empty: said === "",
          turns: null,
        },
      ];
    },
  };
}

/** A turn begins or ends: nothing is under way. */
const OVER = /"type":\s*"(?:task_started|task_complete|turn_aborted)"/u;
const COMPLETE = /"type":\s*"task_complete"/u;
/** A call or its answer, by the beginning of its row. */
const CALL = /"type":\s*"(?:function_call|custom_tool_call|local_shell_call)(_output)?"/u;

/** What the rollout tells while the turn goes on. */
function createSideReader(): Pick<TurnReader, "stdout"> {
  const reader = createCodexReader();
  let window: number | null = null;
  let told: number | null = null;
  let model: string | null = null;
  /** Calls under way: only between them is a place to cut. */
  let open = 0;

  const boundary = (final: boolean): AgentSignal[] => {
    const used = reader.context()?.used_tokens ?? null;
    if (used === null || (used === told && !final) || open > 0) return [];
    told = used;
    return [{ kind: "reading", used_tokens: used, final }];
  };
  /** A message ends where its calls are answered; one without a call ends the turn. */
  const boundaryAt = (line: string): AgentSignal[] => {
    const head = line.slice(0, 400);
    if (OVER.test(head)) open = 0;
    const call = CALL.exec(head);
    if (call === null) return COMPLETE.test(head) ? boundary(true) : [];
    const isAnswer = call[1] !== undefined;
    open = Math.max(0, open + (isAnswer ? -1 : 1));
    return isAnswer ? boundary(false) : [];
  };
  return {
    stdout: (line) => {
      const signals: AgentSignal[] = [];
      for (const item of reader.push(line)) {
        if (item.kind === "command") signals.push({ kind: "command", command: item.command });
        else if (item.kind === "edit")
          signals.push({ kind: "edit", edit: item.edit, subagent: item.subagent });
      }
      const head = line.slice(0, 200);
      if (/"type":\s*"compacted"/u.test(head)) signals.push({ kind: "compacted" });
      const facts = reader.facts();
      if (facts.model !== null && facts.model !== model && facts.session_id !== null) {
        ({ model } = facts);
        signals.push({ kind: "session", session_id: facts.session_id, model });
      }
      const capacity = reader.context()?.window ?? null;
      if (capacity !== null && capacity !== window) {
        window = capacity;
        signals.push({ kind: "window", window: capacity });
      }
      signals.push(...boundaryAt(line));
      return signals;
    },
  };
}

/** Codex as a runner drives it. */
export const codexDriver: AgentDriver = {
  name: "codex",
  title: "Codex",
  bin: "codex",
  obeysCompact: false,
  // Measured: at 185k of 200k, whatever the configuration said.
  compactsAt: 0.9,
  // The names in the environment are those of another vendor's models.
  modelVariables: [],
  isUnknownSession: (text) => /\bno rollout found for thread id\b/iu.test(text),
  turn: (request) => ({
    command: request.bin ?? codexDriver.bin,
    args: [
      "exec",
      ...request.args,
      "--json",
      ...(request.resume === null ? ["-"] : ["resume", request.resume, "-"]),
    ],
    env: {},
    input: request.prompt,
  }),
  createReader,
  sideFile: {
    find: (sessionId, env) => codexTranscripts.find(sessionId, { env }),
    createReader: createSideReader,
  },
};
