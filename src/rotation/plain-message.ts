// The form in which the overflow tables read a provider's message: one line of lower-case words. Codes, class names,
// JSON and prose then share one spelling, so a table row covers a wording wherever a wrapper put it. Linear, pure.

/**
 * `message` in lower case on one line, without quotes and backticks; `snake_case`, `camelCase` and `kebab-case` names as
 * words (`context_length_exceeded` and `ContextLengthExceeded` are both "context length exceeded"), numbers without
 * thousands separators, whatever the country. Punctuation and signs stay: they separate sentences and compare numbers.
 */
export function plainMessage(message: string): string {
  return message
    .replace(/\\[nrt]/gu, " ")
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/["'`‘’“”\\]/gu, " ")
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/(?<=\d)[,_\u{A0}\u{202F}](?=\d{3}(?!\d))/gu, "")
    .replace(/(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.]*\d)/gu, (count) => count.replaceAll(".", ""))
    .toLowerCase()
    .replace(/_|(?<=\p{L})[-‐‑](?=\p{L})/gu, " ")
    .replace(/\s+/gu, " ")
    .replace(/ (?=[:,.;)\]}])/gu, "")
    .trim();
}
