// The form in which the overflow tables read a provider's message: one line of lower-case words. Codes, class names,
// JSON and prose then share one spelling, so a table row covers a wording wherever a wrapper put it. Linear, pure.

/**
 * `message` in lower case on one line, without quotes and backticks; `snake_case`, `camelCase` and `kebab-case` names as
 * words (`context_length_exceeded` and `ContextLengthExceeded` are both "context length exceeded"), numbers without
 * thousands separators. Punctuation and signs stay: they separate sentences and compare numbers.
 */
export function plainMessage(message: string): string {
  return message
    .replace(/\\[nrt]/gu, " ")
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/["'`‘’“”\\]/gu, " ")
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .replace(/_|(?<=\p{L})[-‐‑](?=\p{L})/gu, " ")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/ (?=[:,.;)\]}])/gu, "")
    .trim();
}
