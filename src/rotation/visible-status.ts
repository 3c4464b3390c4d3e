// The HTTP status that an error's own text names: agents hand on a provider's failure as text, often without its status.

/**
 * In front or after a colon or quote (`429 Too many…`, `error: 429 too…`), after a name for it (`status code 503`,
 * `"code": 400`, `API Error: 500 {…}`), or as `<400>` and `[400 Bad Request]`. Numbers that count something are none.
 */
const STATUS =
  /(?:^[\s[(]{0,4}|(?:[:"']|\s-)\s?)(?<bare>40[0-9]|413|422|429|50[0-4]|529)(?=\s+(?!tokens)\p{L})|^[\s[(]{0,4}(?<front>[45]\d\d)(?![\d%\w]|[.,]\d| ?tokens)|\b(?:http(?:\/[\d.]{1,3})?|status|status[\s_]?code|error[\s_]code|http[\s_]code|api\s?error|capierror|code)["'\s:=(]{1,4}(?<named>[45]\d\d)(?![\d%\w]|[.,]\d)|<(?<angled>[45]\d\d)>|\[(?<boxed>[45]\d\d)[ \]]/giu;

/**
 * The failing status (400 to 599) an error text shows, or null. Of several the last one: wrappers put their own in front,
 * the provider's is inside.
 */
export function visibleStatus(text: string): number | null {
  let last: string | undefined;
  for (const { groups = {} } of text.matchAll(STATUS))
    last =
      groups["bare"] ?? groups["front"] ?? groups["named"] ?? groups["angled"] ?? groups["boxed"] ?? last;
  return last === undefined ? null : Number(last);
}
