// A request for a handoff in words, one line a state (O14). Pure. Texts in it have passed the gate; they are cleaned here.
import { LIMITS, type RequestRecord, type RequestState } from "../../operator/request-record.js";
import { timeOfDay } from "../run/figures.js";
import { shown } from "../report.js";

/** A state that was reached. */
export interface StateLine {
  readonly time: string;
  readonly state: RequestState;
  readonly text: string;
}

const WORDS: Readonly<Record<RequestState, string>> = {
  accepted: "accepted",
  delivered: "delivered",
  begun: "begun",
  completed: "completed",
  not_fulfilled: "not fulfilled",
  superseded: "superseded",
};
/** Of the longest of them. */
export const STATE_WIDTH = Math.max(...Object.values(WORDS).map(({ length }) => length));

/** The word for a state. */
export const stateWord = (state: RequestState): string => WORDS[state];

function textOf(state: RequestState, request: RequestRecord, runId: string): string {
  const { request_id, packet, why, superseded_by } = request;
  switch (state) {
    case "accepted":
      return `${request_id}: ${runId} hands over at its next message, in ${LIMITS.interrupt / 1000} s at the latest`;
    case "delivered":
      return "the run has picked it up";
    case "begun":
      return "the session is asked where it stands";
    case "completed":
      return packet === null ? "the packet is out" : `packet ${packet.packet_id}: ${packet.path}`;
    case "not_fulfilled":
      return why?.what ?? "for reasons that are not on record";
    case "superseded":
    default:
      return `a newer request took its place: ${superseded_by ?? "unknown"}`;
  }
}

/** What there is to say of a request by now, without what was said before: the states it has come through, in their order. */
export function stateLines(
  request: RequestRecord,
  runId: string,
  told: ReadonlySet<RequestState>,
): StateLine[] {
  const times: readonly (readonly [RequestState, string | null])[] = [
    ["accepted", request.accepted_at],
    ["delivered", request.delivered_at],
    ["begun", request.begun_at],
    [request.state, request.ended_at ?? request.begun_at ?? request.delivered_at ?? request.accepted_at],
  ];
  const lines: StateLine[] = [];
  for (const [state, at] of times) {
    if (at === null || told.has(state) || lines.some((line) => line.state === state)) continue;
    lines.push({ time: timeOfDay(at), state, text: shown(textOf(state, request, runId)) });
  }
  return lines;
}
