// Why a request was not fulfilled, in words for people (O8). Pure.
import type { RunEnd } from "../rotation/run-options.js";
import type { Reason } from "./request-record.js";

const ENDINGS: Readonly<Record<string, string>> = {
  done: "the job was done before the session could be asked",
  signal: "the run was interrupted",
  operator: "the run was stopped before there was a session to hand over",
  not_published: "the packet could not be written",
};

/** The words; `fault` is what is wrong with the packet, where that is known. */
export function whyWords(reason: Reason, { rule, message }: RunEnd, fault: string | null): string {
  switch (reason) {
    case "outcome_not_handoff":
      return ENDINGS[rule] ?? `the run ended otherwise: ${message?.what ?? rule}`;
    case "never_begun":
      return "the handoff had not begun when the run ended";
    case "packet_invalid":
      return `the packet cannot be handed over: ${fault ?? "there is none"}`;
    case "acceptance_missing":
      return "it is not on record when the request was accepted";
    case "over_budget":
      return "it took longer than 360 s; the packet is there all the same";
    case "publication_late":
      return "the packet was published too late";
    case "held":
    case "crashed":
    case "expired":
    default:
      return reason;
  }
}
