// A failure as an agent is told of it: code, what, where, what to do. Through the gate, on plain lines, and never with a stack.
import { asShortage } from "../io/system-shortage.js";
import { HandoffError } from "../model/errors.js";
import type { Redactor } from "../redact/create-redactor.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";

const MAX_TOLD = 2000;

/** A failure, told. */
export interface ToldFault {
  readonly code: string;
  readonly text: string;
}

/** A hint, which speaks of commands and options, in the words of our tools where one of them does the same. */
export function inToolWords(hint: string): string {
  return hint
    .replaceAll(/\bhandoff note ([a-z-]+) TEXT\b/gu, 'handoff_note, kind "$1"')
    .replaceAll(/\bhandoff (?=(?:note|brief|generate)\b)/gu, "handoff_")
    .replaceAll(/--(task|topic|max-bytes|allow-degraded)\b/gu, (_, option: string) =>
      JSON.stringify(option.replace("-", "_")),
    );
}

/** Anything not thrown on purpose is a fault of ours, and says so. */
export function tellFault(thrown: unknown, gate: Redactor): ToldFault {
  const error = asShortage(thrown);
  const shown = (text: string): string => cutText(cleanLine(gate.redactText(text).text), MAX_TOLD);
  if (!(error instanceof HandoffError)) {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return {
      code: "bug",
      text: `handoff: bug: ${shown(what)}\nthis is a fault of handoff, not of your call`,
    };
  }
  const { code, message, hint, place } = error;
  const line = place?.line === undefined ? "" : `:${place.line}`;
  const where = place === null ? "" : ` (${shown(place.path)}${line})`;
  return { code, text: `handoff: ${shown(code)}: ${shown(message)}${where}\n${shown(inToolWords(hint))}` };
}
