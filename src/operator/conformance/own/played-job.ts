// The job that our own executor runs: a puppet for an agent, what that says when it is asked where it stands, how its ends are called.
import { commandDriver } from "../../../agents/command/drive.js";
import type { ExecutorAnswer } from "../../../model/executor-messages.js";
import { readRun } from "../../../rotation/run-folder.js";
import type { RunEnd } from "../../../rotation/run-options.js";
import type { RunBeginning } from "../../../rotation/run-rotation.js";
import { DEFAULT_LIMITS } from "../../../rotation/run-state.js";
import type { Workbench } from "../../../session/open-workbench.js";

type Ended = NonNullable<ExecutorAnswer["ended"]>;

/** What it depends on. */
export interface PlayedJob {
  readonly open: () => Promise<Workbench>;
  /** Words that start a puppet. */
  readonly puppetWords: readonly string[];
  /** The run to go on with; null: a new one. */
  readonly resume: string | null;
  /** So many failures in a row end it; null: as many as ever. */
  readonly maxErrors: number | null;
}

/** What a puppet answers to the last question. */
export const NOTES = {
  usable:
    "## Doing\nwriting the files\n\n## Next\nwrite the file that is missing, then look at all of them\n",
  unusable: "It is late, and there is nothing to say.",
} as const;

/** A new run of a puppet, or the one to go on with. */
export async function beginningOf(options: PlayedJob): Promise<RunBeginning> {
  const { open, resume, maxErrors, puppetWords } = options;
  const max_attempts = maxErrors ?? DEFAULT_LIMITS.max_attempts;
  if (resume !== null) {
    const { root, outDir } = await open();
    return { found: await readRun(root, outDir, resume) };
  }
  const [bin = "", ...args] = puppetWords;
  return {
    plan: {
      task: "Write the files.",
      agent: { driver: commandDriver, bin, args },
      next: null,
      limits: { ...DEFAULT_LIMITS, max_attempts },
      window: null,
      headroom: null,
      at_percent: null,
      compact: "no_summary",
      topic: null,
    },
  };
}

/** How an attempt ended, in the words of the protocol. */
export function endedOf({ handoff, rule }: RunEnd): Ended {
  if (handoff !== null) return "handoff";
  if (rule === "done") return "done";
  return rule === "signal" ? "halted" : "failed";
}
