// What a template sees of a packet: the same fields, with every text from the packet wrapped so that printing it is safe.
// A naive {{next_action}} prints escaped prose (P38); only our helpers reach the text behind it.
import { cleanLine } from "../text/clean.js";
import { inlineProse } from "./escape-markdown.js";

/** How a text prints itself: `prose` escaped for Markdown, `plain` one clean line, for inside a fence only. */
export type PrintMode = "prose" | "plain";

/** A text from the packet. Has no own or enumerable property, so a template cannot reach what is behind it. */
export class SafeText {
  readonly #raw: string;
  readonly #mode: PrintMode;
  constructor(raw: string, mode: PrintMode) {
    this.#raw = raw;
    this.#mode = mode;
  }
  static rawOf(text: SafeText): string {
    return text.#raw;
  }
  static modeOf(text: SafeText): PrintMode {
    return text.#mode;
  }
  toString(): string {
    return this.#mode === "prose" ? inlineProse(this.#raw) : cleanLine(this.#raw);
  }
}

/** The text behind a template value, for helpers; numbers and literals as they are. */
export function rawText(value: unknown): string {
  if (value instanceof SafeText) return SafeText.rawOf(value);
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/**
 * Wraps every string of a JSON-like value, object keys included. An empty string stays one, so that `{{#if}}` sees it.
 * A view can be wrapped again to change its mode.
 */
export function safeView(value: unknown, mode: PrintMode): unknown {
  if (typeof value === "string") return value === "" ? "" : new SafeText(value, mode);
  if (value instanceof SafeText) return new SafeText(SafeText.rawOf(value), mode);
  if (Array.isArray(value)) return value.map((item) => safeView(item, mode));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    /^\w+$/u.test(key) ? key : new SafeText(key, mode).toString(),
    safeView(item, mode),
  ]);
  return Object.fromEntries(entries);
}
