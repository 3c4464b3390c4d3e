// handoff: records what OpenCode does and hands the last session's packet over. Made by `handoff init`; copied by hand to
// .opencode/plugin/ it works too. It hears OpenCode's events and calls handoff with each; whatever goes wrong, OpenCode goes on.
import { spawn } from "node:child_process";

/** The program and its first words, as a shell reads them: an event's name follows. */
const COMMAND = "handoff hook opencode";
/** A call that takes longer than this is given up; a packet is made from a log of any length. */
const LIMIT_MS = { SessionStart: 25_000, Stop: 50_000, PreCompact: 50_000, SessionEnd: 15_000 };
const RECORD_LIMIT_MS = 10_000;
/** A command waits no longer than this for what was recorded before it. */
const PATIENCE_MS = 3000;
const NOTICE_AFTER_MS = 1000;
/** Tools that run a command line or write files; of the others nothing is told. */
const TOOLS = new Set(["bash", "write", "edit", "multiedit", "patch", "apply_patch"]);
/** Longest output that is handed over, in characters; of a longer one both ends. */
const MAX_OUTPUT = 262_144;

/** Runs our program with a payload on its stdin; what it printed, or an empty text. Never rejects. */
function call(event, payload, cwd) {
  return new Promise((resolve) => {
    const out = [];
    let timer;
    const done = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(out).toString("utf8"));
    };
    try {
      const child = spawn(`${COMMAND} ${event}`, {
        cwd,
        shell: true,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        done();
      }, LIMIT_MS[event] ?? RECORD_LIMIT_MS);
      child.on("error", done);
      child.on("close", done);
      child.stdin.on("error", () => {});
      child.stdout.on("data", (chunk) => out.push(chunk));
      child.stdin.end(JSON.stringify(payload));
    } catch {
      done();
    }
  });
}

const passing = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

function cut(text) {
  if (typeof text !== "string" || text.length <= MAX_OUTPUT) return text;
  return `${text.slice(0, MAX_OUTPUT / 8)}\n…\n${text.slice(-MAX_OUTPUT)}`;
}

/** What our program printed; an empty object where that is nothing. */
function readAnswer(printed) {
  try {
    return JSON.parse(printed) ?? {};
  } catch {
    return {};
  }
}

export const Handoff = async ({ client, directory }) => {
  /** What is known of a session: the one it is a helper of, its model, what it said last, whether it did anything. */
  const sessions = new Map();
  /** When each tool call began. */
  const began = new Map();
  /** Calls go out one by one, in the order of what happened. */
  let queue = Promise.resolve("");

  const sessionOf = (id) => {
    let session = sessions.get(id);
    if (session === undefined) {
      session = {
        parent: undefined,
        agent: null,
        model: null,
        last: null,
        isNew: false,
        started: false,
        busy: false,
      };
      sessions.set(id, session);
    }
    return session;
  };

  const learn = ({ id, parentID, agent, model }) => {
    const session = sessionOf(id);
    session.parent = parentID ?? null;
    session.agent = agent ?? session.agent;
    session.model = model?.id ?? session.model;
    return session;
  };

  /** The session, with its parent known: one that was there before this process is asked for. */
  const known = async (id) => {
    const session = sessionOf(id);
    if (session.parent === undefined) {
      const answer = await client?.session?.get({ path: { id } }).catch(() => null);
      if (answer?.data?.id === id) learn(answer.data);
      else session.parent = null;
    }
    return session;
  };

  /** A payload in handoff's own words; a helper's work belongs to the session that asked for it. */
  const payloadOf = async (id, event, fields) => {
    const session = await known(id);
    let top = id;
    for (let depth = 0; depth < 16; depth += 1) {
      const { parent } = await known(top);
      if (parent === null) break;
      top = parent;
    }
    return {
      hook_event_name: event,
      opencode_plugin: 1,
      session_id: top,
      cwd: directory,
      model: session.model,
      ...(top === id ? {} : { agent_id: id, agent_type: session.agent }),
      ...fields,
    };
  };

  /** Sends an event behind all others. */
  const send = (id, event, fields = {}) => {
    const answer = queue
      .then(async () => call(event, await payloadOf(id, event, fields), directory))
      .catch(() => "");
    queue = answer;
    return answer;
  };

  /** A hook of ours: it may change what OpenCode hands it, and never fails. */
  const safely =
    (hook) =>
    async (...args) => {
      try {
        await hook(...args);
      } catch {
        // OpenCode must not notice.
      }
    };

  /** For a person at a terminal; without one nobody hears it. Not at once: the view of a new session sweeps it away. */
  const tellPerson = async (message) => {
    await passing(NOTICE_AFTER_MS);
    await client?.tui?.showToast?.({ body: { message, variant: "info", duration: 8000 } });
  };

  const stop = async (id) => {
    const session = await known(id);
    if (session.parent !== null || !session.busy) return;
    session.busy = false;
    await send(id, "Stop", { last_assistant_message: session.last });
  };

  const end = async (id, reason) => {
    const session = await known(id);
    if (session.parent !== null || !session.started) return;
    session.started = false;
    await send(id, "SessionEnd", { reason });
  };

  return {
    event: safely(async ({ event }) => {
      const { type, properties } = event;
      const id = properties?.sessionID ?? properties?.info?.id;
      if (type === "session.created") learn(properties.info).isNew = true;
      else if (type === "session.updated") learn(properties.info);
      else if (type === "session.idle") await stop(id);
      else if (type === "session.deleted") await end(id, "deleted");
    }),
    "chat.message": safely(async ({ sessionID, model }, { message, parts }) => {
      const session = await known(sessionID);
      session.model = model?.modelID ?? message?.model?.modelID ?? session.model;
      if (session.parent !== null) return;
      session.busy = true;
      const said = parts.filter(({ type, synthetic }) => type === "text" && synthetic !== true);
      if (!session.started) {
        session.started = true;
        const printed = await send(sessionID, "SessionStart", {
          source: session.isNew ? "startup" : "resume",
        });
        const { brief, notice } = readAnswer(printed);
        const [first] = said;
        // A part of the message: it stays in the session, and is compacted with it.
        if (typeof brief === "string" && first !== undefined)
          parts.push({ ...first, id: `${first.id}0`, text: brief, synthetic: true });
        if (typeof notice === "string") void safely(tellPerson)(notice);
      }
      // Behind the start, and waited for by nobody.
      void send(sessionID, "UserPromptSubmit", { prompt: said.map(({ text }) => text).join("\n") });
    }),
    "shell.env": safely(async ({ sessionID }, { env }) => {
      if (sessionID !== undefined) env.HANDOFF_SESSION_ID = (await payloadOf(sessionID, "", {})).session_id;
    }),
    "tool.execute.before": safely(async ({ tool, callID }) => {
      if (TOOLS.has(tool)) began.set(callID, Date.now());
      // What the agent asks handoff in a command, it asks of all that was before.
      if (tool === "bash") await Promise.race([queue, passing(PATIENCE_MS)]);
    }),
    "tool.execute.after": safely(async ({ tool, sessionID, callID, args }, { output, metadata }) => {
      const start = began.get(callID);
      began.delete(callID);
      if (!TOOLS.has(tool)) return;
      const patched = Array.isArray(metadata?.files) ? metadata.files : [];
      const files = [args?.filePath, ...patched.flatMap((file) => [file?.filePath, file?.movePath])].filter(
        Boolean,
      );
      const isCommand = tool === "bash";
      void send(sessionID, "PostToolUse", {
        tool_name: tool,
        tool_use_id: callID,
        tool_input: isCommand
          ? { command: args?.command, description: args?.description, workdir: args?.workdir }
          : {},
        tool_response: isCommand ? { output: cut(output), exit: metadata?.exit } : { files },
        ...(start === undefined
          ? {}
          : { started_at: new Date(start).toISOString(), duration_ms: Date.now() - start }),
      });
    }),
    "experimental.text.complete": safely(async ({ sessionID }, { text }) => {
      sessionOf(sessionID).last = text;
    }),
    "experimental.session.compacting": safely(async ({ sessionID }) => {
      if ((await known(sessionID)).parent === null) await send(sessionID, "PreCompact");
    }),
    dispose: safely(async () => {
      for (const id of sessions.keys()) {
        await stop(id);
        await end(id, "exit");
      }
      await queue;
    }),
  };
};
