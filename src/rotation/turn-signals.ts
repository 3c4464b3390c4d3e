// What a turn tells, as one stream of signals: its output, and the file that some agents write beside it. Commands and edits
// come from the file where there is one, since it knows more of them, else from the output: never from both.
import type { AgentDriver, AgentSignal, TurnExit, TurnRequest } from "../agents/driver.js";
import { splitLines } from "../io/line-splitter.js";
import { followFile, type FollowedFile } from "./follow-file.js";

/** How often the side file is looked at, in milliseconds. */
const FOLLOW_MS = 100;
/** So many commands and edits are waited for a side file with; then it is given up for them. */
const MOST_HELD = 200;

const TORN: readonly AgentSignal[] = [{ kind: "torn" }];

/** The output of a turn, as it comes. */
export interface TurnSignals {
  readonly stdout: (piece: Buffer) => void;
  readonly stderr: (piece: Buffer) => void;
  /** The process has ended: gives what is left, the result last. */
  readonly end: (exit: TurnExit) => Promise<void>;
}

export interface SignalOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called for each signal in order. */
  readonly onSignal: (signal: AgentSignal) => void;
}

const isWork = ({ kind }: AgentSignal): boolean => kind === "command" || kind === "edit";

/** Begins to read a turn. */
export function readSignals(
  driver: AgentDriver,
  request: TurnRequest,
  { env, onSignal }: SignalOptions,
): TurnSignals {
  const reader = driver.createReader(request);
  const { sideFile } = driver;
  let side: FollowedFile | null = null;
  /** Who tells of commands and edits. */
  let teller: "output" | "side" | "undecided" = sideFile === undefined ? "output" : "undecided";
  /** What the output says of them until that is known. */
  let held: AgentSignal[] = [];

  const letOutputTell = (): void => {
    teller = "output";
    for (const signal of held) onSignal(signal);
    held = [];
  };
  const fromSide = (signals: readonly AgentSignal[]): void => {
    if (teller === "undecided") {
      teller = "side";
      held = [];
    }
    for (const signal of signals) if (teller === "side" || !isWork(signal)) onSignal(signal);
  };
  const follow = (sessionId: string): void => {
    if (side !== null || sideFile === undefined) return;
    const sideReader = sideFile.createReader();
    side = followFile({
      find: () => sideFile.find(sessionId, env),
      fromStart: request.resume === null,
      everyMs: FOLLOW_MS,
      onLine: (line) => fromSide(line === null ? TORN : sideReader.stdout(line)),
    });
  };
  const fromOutput = (signals: readonly AgentSignal[]): void => {
    for (const signal of signals) {
      if (signal.kind === "session") follow(signal.session_id);
      if (teller === "output" || !isWork(signal)) onSignal(signal);
      else if (teller === "undecided" && held.push(signal) >= MOST_HELD) letOutputTell();
    }
  };
  if (request.resume !== null) follow(request.resume);

  const out = splitLines((line) => fromOutput(line === null ? TORN : reader.stdout(line)));
  const err = splitLines((line) => fromOutput(line === null ? [] : reader.stderr(line)));
  return {
    stdout: out.push,
    stderr: err.push,
    end: async (exit) => {
      out.end();
      err.end();
      await side?.end();
      if (teller === "undecided") letOutputTell();
      fromOutput(reader.end(exit));
    },
  };
}
