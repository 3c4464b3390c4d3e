// A request for a handoff in words, one line a state (O14). Pure. Texts in it have passed the gate; they are cleaned here.
import { LIMITS, type RequestRecord, type RequestState } from "../../operator/request-record.js";
import { hanging } from "../lay-out.js";
import { timeOfDay } from "../run/figures.js";
import { shown } from "../report.js";

/** A state that was reached. */
export interface StateLine {
  readonly time: string;
  readonly state: RequestState;
  readonly text: string;
  /** The packet's file, where there is one to name. */
  readonly path: string | null;
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
      return packet === null ? "the packet is out" : `packet ${packet.packet_id}`;
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
    const path = state === "completed" && request.packet !== null ? shown(request.packet.path) : null;
    lines.push({ time: timeOfDay(at), state, text: shown(textOf(state, request, runId)), path });
  }
  return lines;
}

/** What follows a line's time and word, which take up `head` columns: a path stands whole on a line of its own, to be copied. */
export function layOutState({ text, path }: StateLine, head: number, columns: number | null): string {
  if (columns === null) return path === null ? text : `${text}: ${path}`;
  const laid = hanging(" ".repeat(head), path === null ? text : `${text}:`, columns).slice(head);
  return path === null ? laid : `${laid}\n${path}`;
}
