// Does an error say that the context is full (R9)? Vetoes first (R10): what speaks of rates, money, output or files is no
// overflow. Null-safe, case-insensitive, linear in the texts.
import { OVERFLOW_PATTERNS } from "./overflow-patterns.js";
import { OVERFLOW_VETOES } from "./overflow-vetoes.js";
import { plainMessage } from "./plain-message.js";
import { visibleStatus } from "./visible-status.js";

/** Statuses a provider refuses a request with that does not fit. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** The code of hosted providers, whose 5xx is a fault of theirs: that it reads like a local server's wording counts for nothing. */
const HOSTED_CODE = /context_length_exceeded/giu;

/** A server that fails at something with the context, and does not say that it is full. */
const OWN_FAULT =
  /\b(?:could not|cannot|failed to|unable to|error|while|when) (?:comput|determin|calculat|check|count|estimat|load|read|resolv)/u;

/** A server's "max_tokens is too large" that counts input and output against the window (vLLM): `cap > window - input`. */
const CAP_AND_WINDOW =
  /\btokens is too large: (?<cap>\d+)\. this models maximum context length is (?<window>\d+) tokens and your request has \d+ input tokens/u;

/**
 * Whether such a message blames the input: a shorter one would fit. When the output cap alone does not fit it is a bad
 * parameter, which a fresh session would repeat. Null for every other message.
 */
function blamesInput(plain: string): boolean | null {
  const { cap, window } = CAP_AND_WINDOW.exec(plain)?.groups ?? {};
  return cap === undefined || window === undefined ? null : Number(cap) < Number(window);
}

/**
 * {@link isOverflow} with the status the failure came with, if one is known. A status outside 400, 413 and 422 is a veto,
 * unless it is a 5xx and the wording is one of the servers that report a full context that way.
 */
export function isOverflowWithStatus(text: string, status: number | null): boolean {
  if (text === "") return false;
  const plain = plainMessage(text);
  const fits = blamesInput(plain);
  if (fits !== null) return fits;
  if (OVERFLOW_VETOES.some((row) => row.pattern.test(plain))) return false;
  const failed = status ?? visibleStatus(text);
  if (failed === null || failed < 400 || REFUSALS.has(failed))
    return OVERFLOW_PATTERNS.some((row) => row.pattern.test(plain));
  if (failed < 500) return false;
  const own = plainMessage(text.replaceAll(HOSTED_CODE, " "));
  return !OWN_FAULT.test(own) && OVERFLOW_PATTERNS.some((row) => row.local === true && row.pattern.test(own));
}

/**
 * Whether an error says that the model's context is full (R9). The texts are parts of one error (message, code, body):
 * a veto in any of them counts for all. Null and undefined are passed over; no text, no overflow.
 */
export function isOverflow(...texts: readonly (string | null | undefined)[]): boolean {
  const said = texts.filter((text): text is string => typeof text === "string" && text.trim() !== "");
  return isOverflowWithStatus(said.join("\n"), null);
}
