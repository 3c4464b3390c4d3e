// What happens in a run, in words: one line an event. Pure. Texts have passed the gate; they are cleaned here.
import type { RunEventLine } from "../../model/run-events.js";
import type { WindowSource } from "../../model/run-ledger.js";
import { cutColumns, wrapText } from "../lay-out.js";
import { shown } from "../report.js";
import type { Terminal } from "../terminal.js";
import { count, formatCost, formatTokens, timeOfDay } from "./figures.js";

/** Who says which window it is. */
export const SAID_BY: Readonly<Record<WindowSource, string>> = {
  option: "by --window",
  environment: "by HANDOFF_WINDOW",
  config: "as configured",
  agent: "it says so",
  calibration: "by an earlier overflow",
  model_name: "a guess from its name",
  unknown: "",
};

/** A line's parts: when, a sign, what. `look` says how loud it is. */
export interface EventLine {
  readonly time: string;
  readonly sign: string;
  readonly look: "plain" | "good" | "warn" | "bad";
  readonly text: string;
}

const of = (context: number, window: number | null): string =>
  window === null ? formatTokens(context) : `${formatTokens(context)} of ${formatTokens(window)}`;

function failureWords({
  verdict,
  status,
  text,
  delay_ms,
}: Extract<RunEventLine, { event: "attempt_failed" }>): string {
  const said = `${status === null ? "" : ` (${status})`}${text === "" ? "" : `: ${text}`}`;
  if (verdict === "overflow") return `the context is full${said}`;
  if (verdict === "fatal") return `failed for good${said}`;
  const next = delay_ms === null ? "" : `; again in ${Math.ceil(delay_ms / 1000)} s`;
  return `a try failed${said}${next}`;
}

/** So many lines of a terminal one event may take. */
const MOST_LINES = 4;

function handoffWords({ request_id, what }: Extract<RunEventLine, { event: "handoff" }>): string {
  return `a person asks for a handoff at the next message (${request_id})${what === null ? "" : `: ${what}`}`;
}

/** The event in words; null for those that the view tells in another way. `isAsked`: a person waits for the handoff. */
export function eventLine(event: RunEventLine, isAsked = false): EventLine | null {
  const line = (look: EventLine["look"], sign: string, text: string): EventLine => ({
    time: timeOfDay(event.event === "near" ? event.time : event.at),
    sign,
    look,
    text,
  });
  switch (event.event) {
    case "run_started":
      return line("plain", "▶", `${event.run_id}: ${event.task}`);
    case "generation_started": {
      const { generation, agent, model, window, window_source: source } = event;
      const size = window === null ? "window unknown" : `window ${formatTokens(window)} (${SAID_BY[source]})`;
      const who = [agent, ...(model === null ? [] : [model]), size].join(", ");
      return line("plain", "●", `session ${generation}: ${who}`);
    }
    case "attempt_failed":
      return line(event.verdict === "retryable" ? "warn" : "bad", "✗", failureWords(event));
    case "near":
      return line("warn", "▲", `near the line: ${formatTokens(event.context)} of ${formatTokens(event.at)}`);
    case "writing":
      if (isAsked) return line("plain", "◆", "the session is asked where it stands");
      return line(
        "warn",
        "▲",
        `over the line at ${of(event.context, event.window)}: the session is asked where it stands`,
      );
    case "done": {
      const { degraded, path, packet_id } = event;
      return degraded === null
        ? line("good", "✓", `packet ${packet_id} is out: ${path}`)
        : line(
            "warn",
            "✓",
            `packet ${packet_id} is out, without the session's own words (${degraded}): ${path}`,
          );
    }
    case "generation_ended": {
      const { generation, context, window, turns, cost_usd: cost } = event;
      const facts = [
        `${of(context, window)} tokens`,
        ...(turns === null ? [] : [count(turns, "turn")]),
        ...(cost === null ? [] : [formatCost(cost)]),
      ];
      return line("plain", "○", `session ${generation} is over: ${facts.join(", ")}`);
    }
    case "handoff": {
      const { state, request_id, what } = event;
      if (state === "accepted") return line("plain", "◆", handoffWords(event));
      if (state === "completed") return line("good", "✓", `the handoff is complete (${request_id})`);
      if (state === "superseded")
        return line("plain", "◆", `${what ?? "a newer request"} takes the place of ${request_id}`);
      // The block says these while they last.
      return state === "delivered" || state === "begun"
        ? null
        : line("warn", "✗", `handoff for ${request_id} not fulfilled: ${what ?? ""}`);
    }
    case "run_ended":
      return null;
    default:
      return event satisfies never;
  }
}

const LOOKS = { plain: "cyan", good: "green", warn: "yellow", bad: "red" } as const;

/** The event as it is printed: wrapped below `columns` under its text, or one line where that is null. */
export function paintEvent(line: EventLine, colors: Terminal["colors"], columns: number | null): string[] {
  const { time, sign, look } = line;
  const color = colors[LOOKS[look]];
  const paint = look === "plain" || look === "good" ? String : color;
  const clean = shown(line.text);
  const indent = " ".repeat(time.length + 3);
  const wrapped = columns === null ? [clean] : wrapText(clean, columns - 1 - indent.length);
  const rest = wrapped.slice(MOST_LINES - 1).join(" ");
  const lines =
    columns === null || wrapped.length <= MOST_LINES
      ? wrapped
      : [...wrapped.slice(0, MOST_LINES - 1), cutColumns(rest, columns - 1 - indent.length)];
  return lines.map((text, i) =>
    i === 0 ? `${colors.dim(time)} ${color(sign)} ${paint(text)}` : `${indent}${paint(text)}`,
  );
}
