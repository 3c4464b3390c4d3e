// The window a server states when it refuses a request that is too long: the calibration of R4 and R13. Pure.
import { plainMessage } from "./plain-message.js";

/** Below this a number in such a message is something else: a code, a count of messages. */
const LEAST = 1_000;

/** What may stand between the name of a limit and its number. */
const OF = String.raw`(?: (?:is|of|limit|only|just|tokens)){0,3}:? (\d+)(?!\d| \+)`;
const OF_IN_BRACKETS = String.raw`(?: (?:is|of|limit|only|just|tokens)){0,3}:? ?\((\d+)(?: tokens)?\)`;
const NAMES = String.raw`\b(?:(?:context|ctx) (?:length|window|size|limit)|(?:max(?:imum)?|allowed|supported) (?:allowed |supported |input |prompt |model |sequence |token |context |message |tokens |number of )*(?:length|limit|size|tokens|allowed|len)|max seq len|n ctx|token limit|tokens limit)`;

/** Places that name the limit, the surest first; the number is group 1. */
const LIMITS: readonly RegExp[] = [
  /\btokens? > (\d+)/u,
  /\d \+ \d+ > (\d+)/u,
  // Of bytes it would be no window.
  /^(?!.*\bbytes\b).*\b\d+ > (\d+)/u,
  /\(\d+ > (\d+)(?: - \d+)?\)/u,
  /\brange of (?:input|prompt) length should be \[\d+, ?(\d+)\]/u,
  /\bn ctx:? ?[=(]? ?(\d+)/u,
  /\bcontext: (\d+) tokens, prompt\b/u,
  /\bavailable context size \((\d+)/u,
  new RegExp(`${NAMES}${OF}`, "u"),
  // `context window exceeds limit (2013)` is an error's number, so the name must stand right before the brackets.
  new RegExp(`${NAMES}${OF_IN_BRACKETS}`, "u"),
  /\btoo large for model with (\d+)/u,
  /\b(?:limit|configured limit|limit of|limit is|window of|max context of) (?:of |is )?(\d+)/u,
  /\(limit (\d+)\)/u,
  /\bmust (?:be|have) (?:<=|less than) (\d+)/u,
  /\b(?:must not|cannot) exceed (\d+)/u,
  /\b(?:supports|up to|at most) (?:only )?(?:up to )?(\d+)/u,
  /\bmax size: (\d+) tokens/u,
  /\b(\d+) token limit\b/u,
  /\b(?:limit|max(?:imum)?)(?: for this model)?(?: is| of|:|=)? ?(\d+)(?! ?bytes|\d| \+)/u,
  // Both counts in brackets: alone it may be the number of an error.
  /\(\d+\)[^.]{0,80}\b(?:limit|max(?:imum)?) \((\d+)\)/u,
];

/** The model's window in tokens as an overflow's message states it, or null when it states none that can be one. */
export function windowInOverflow(message: string): number | null {
  const plain = plainMessage(message);
  for (const pattern of LIMITS) {
    const limit = Number(pattern.exec(plain)?.[1] ?? 0);
    if (limit >= LEAST && limit <= 100_000_000) return limit;
  }
  return null;
}

/**
 * The window to remember for an endpoint and model after a real overflow (R13): what the message states, else the largest
 * context that still went through, which is as far as one may count on. Null when neither says anything.
 */
export function calibrateWindow(overflow: {
  readonly message: string;
  /** Running maximum of the generation's readings, in tokens; 0 when there was none. */
  readonly context: number;
}): number | null {
  const stated = windowInOverflow(overflow.message);
  if (stated !== null) return stated;
  return overflow.context >= 10_000 ? Math.floor(overflow.context) : null;
}
