// tmux (3.x): one short call of its program for each question, on the very socket that the pane's own environment names.
import { findExecutable } from "../io/find-program.js";
import { runProcess } from "../io/run-process.js";
import { type PaneFacts, type PaneName, SILENT, type TerminalMultiplexer } from "./terminal-multiplexer.js";

/** So long an answer is waited for. */
const ANSWER_MS = 10_000;
const LIMITS = { cwd: "/", maxBytes: 4 * 1024 * 1024 } as const;
const ASKED = [
  "pane_id",
  "pane_pid",
  "pid",
  "pane_dead",
  "pane_in_mode",
  "pane_synchronized",
  "pane_input_off",
  "pane_tty",
];

/** Why keys would not arrive, or not there alone. */
function whyClosed(isInMode: boolean, isShared: boolean, isOff: boolean): string | null {
  if (isInMode) return "the pane is in copy mode";
  if (isShared) return "the panes of its window are synchronized";
  return isOff ? "input to the pane is off" : null;
}

function readFacts(said: string, { pane }: PaneName): PaneFacts | null {
  const [id, panePid, serverPid, dead, mode, shared, off, tty = ""] = said.trimEnd().split("\t");
  if (id !== pane || dead === "1") return null;
  return {
    server_pid: Number(serverPid),
    pane_pid: Number(panePid),
    tty,
    closed: whyClosed(mode !== "0", shared === "1", off === "1"),
  };
}

/** tmux as it is found on the PATH. */
export function createTmux(
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs = ANSWER_MS,
): TerminalMultiplexer {
  const run = async (
    { socket }: PaneName,
    ...words: readonly string[]
  ): Promise<string | null | typeof SILENT> => {
    const program = findExecutable("tmux", env);
    if (program === null) return null;
    // A client inside of tmux takes other defaults; every call here says what it means.
    const { TMUX: _server, TMUX_PANE: _pane, ...plain } = env;
    const ended = await runProcess(program, ["-u", "-S", socket, ...words], {
      ...LIMITS,
      timeoutMs,
      env: plain,
    });
    if (ended.status === "ok") return ended.stdout.toString("utf8");
    // Only what it says itself tells that something is gone.
    return ended.status === "exit" && ended.exitCode !== null ? null : SILENT;
  };
  const did = async (asked: ReturnType<typeof run>): Promise<boolean> => typeof (await asked) === "string";
  return {
    name: "tmux",
    look: async (pane) => {
      const form = ASKED.map((name) => `#{${name}}`).join("\t");
      const said = await run(pane, "display-message", "-p", "-t", pane.pane, form);
      return typeof said === "string" ? readFacts(said, pane) : said;
    },
    capture: (pane) => run(pane, "capture-pane", "-e", "-p", "-t", pane.pane),
    // A semicolon at the end of an argument would end the command.
    type: (pane, text) =>
      did(run(pane, "send-keys", "-t", pane.pane, "-l", "--", text.replace(/;$/u, String.raw`\;`))),
    pressEnter: (pane) => did(run(pane, "send-keys", "-t", pane.pane, "Enter")),
    pressBackspace: (pane, times) =>
      did(run(pane, "send-keys", "-t", pane.pane, "-N", String(times), "BSpace")),
  };
}
