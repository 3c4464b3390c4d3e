// How the end of a run is told (R19, R22, R23): what happened, and what to do about it. Pure.
import type { RunState, StopRule } from "./run-state.js";

/** What the message can name. Tokens. */
export interface StopFacts {
  readonly state: RunState;
  readonly window: number | null;
  readonly run_id: string;
  /** The last error's text, or null. */
  readonly error: string | null;
}

/** An ending in words; `code` is stable. Null for a job that ended well: there is nothing to say. */
export interface StopMessage {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

const tokens = (count: number | null): string => (count === null ? "unknown" : `${count} tokens`);

/** Line and window, as far as they are known. */
function measures({ state, window }: StopFacts): string {
  return `the line is ${tokens(state.thresholds?.at ?? null)}, the window ${tokens(window)}, the last reading ${tokens(state.readings.context)}`;
}

/** The switches that move the line, which a run keeps: a new one has another. */
const SWITCHES = "raise the line with --window, or with a smaller --headroom (or --at-percent), in a new run";
const goOn = ({ run_id }: StopFacts): string => `go on with handoff run --resume ${run_id}`;

const MESSAGES: Readonly<Record<Exclude<StopRule, "done">, (facts: StopFacts) => Omit<StopMessage, "code">>> =
  {
    max_generations: (facts) => ({
      what: `${facts.state.retired} sessions were retired, and the next one is full as well (${measures(facts)}); most likely the line is below what this agent needs to start up`,
      hint: `if it is merely a long job, ${goOn(facts)} --max-generations N; else ${SWITCHES}`,
    }),
    start_up_floor: (facts) => ({
      what: `two fresh sessions in a row stood above the line with their first message (${measures(facts)}): the line is below what this agent needs to start up`,
      hint: `${SWITCHES}; fewer tools or a shorter system prompt lower the start-up floor (--max-generations moves nothing)`,
    }),
    degraded: (facts) => ({
      what: `${facts.state.degraded_in_row} sessions in a row could not say where they stood${facts.error === null ? "" : ` (the last: ${facts.error})`}; the last packet is published, no successor was started`,
      hint: `read it with handoff show, complete its next action with handoff edit, then ${goOn(facts)}`,
    }),
    attempts: (facts) => ({
      what: `${facts.state.failed_tries} tries in a row failed${facts.error === null ? "" : `: ${facts.error}`}`,
      hint: `when the cause is gone, ${goOn(facts)}; --max-attempts allows more tries`,
    }),
    agent_failed: (facts) => ({
      what: `the agent failed for good${facts.error === null ? "" : `: ${facts.error}`}`,
      hint: `mend what the error names, then ${goOn(facts)}`,
    }),
    not_published: (facts) => ({
      what: `the packet could not be written${facts.error === null ? "" : `: ${facts.error}`}`,
      hint: `nothing is lost, the session is as it was; then ${goOn(facts)}`,
    }),
    operator: (facts) => ({
      what:
        facts.state.operator === "begun"
          ? "a person asked for a handoff, and its packet is out"
          : "a person stopped the run",
      hint: `${facts.state.operator === "begun" ? "take over with handoff brief, or " : ""}${goOn(facts)}`,
    }),
    signal: (facts) => ({
      what: "the run was interrupted",
      hint: goOn(facts),
    }),
  };

/** The words for the end of a run, or null when the job is done. */
export function stopMessage(rule: StopRule, facts: StopFacts): StopMessage | null {
  return rule === "done" ? null : { code: `run.${rule}`, ...MESSAGES[rule](facts) };
}
