// Values beside a telling name: `password=…`, `API_KEY: "…"`, `--token …`, `<password>…</password>`, JSON inside JSON.
// Linear: a hit looks back and ahead over a bounded name, and the search goes on behind what it took.
import { readValue } from "./read-value.js";
import { strengthOfName } from "./secret-names.js";
import { isSecretValue, looksMade, type ValueForm } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

/** Part of every telling name. */
const TELLING =
  /passw|passphrase|passcode|_pass|-pass|[a-z]Pass|\bpass|keypass|storepass|dbpass|pwd|pswd|secret|token|key|credential|creds?|auth|jwt|bearer|mnemonic|_pat\b|sas\b|signature|\bsig=/gi;
/** Part of every one of those parts: a quicker look that most texts end with. */
const MAY_TELL = /pass|pwd|pswd|secret|token|key|cred|auth|jwt|bearer|mnemonic|_pat|sas|sig(?:nature|=)/i;
const NAME_BEFORE = 64;
const NAME_CHARACTER = /[\w.-]/;
const NAME_AFTER = /[\w.-]{0,64}/y;
/** Between a name and its value (in YAML also on the next line). Groups: the quote that closes the name, the sign. */
const ASSIGN =
  /([\\"'`]{0,63}["'`])?\]?[ \t]{0,8}(:[ \t]?[A-Za-z_][\w.[\]|<> ]{0,30}=(?=[ \t]?["'])|=>|:=|\?=|\+=|=|:)(?![=:~])[ \t]{0,16}(?:[|>][+-]?[ \t]{0,16}\r?\n[ \t]{1,40})?/y;
/** `<add key="DbPassword" value="…"/>`, `name: API_TOKEN, value: …` (Kubernetes, on one line or two). */
const NAMED_VALUE = /([\\"']{0,63}["'])?,?\s{0,64}([\\"']{0,63}["'])?value([\\"']{0,63}["'])?\s?[=:]\s?/y;
const ELEMENT = />/y;
/** Behind an option: blanks, or the next string of a list (`"--token", "…"`). */
const OPTION_GAP = /[ \t]{1,16}(?!-)|[\\"']{0,63}["'](?:,\s{0,16}|[ \t]{1,16})(?=\\{0,8}["'])/y;
/** `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`. */
const SQL_GAP = / (?=\\{0,8}')/y;
/** Headers are never prose: whatever stands behind the colon is the value. */
const HEADER_NAME = /^(?:x|private|job|deploy)-[a-z-]+$/i;
/** `aws configure set aws_secret_access_key …`: a name no sentence has, one blank, a long value that looks made. */
const SET_GAP = / (?=[A-Za-z0-9+/_-]{20})/y;
/** `set PASSWORD …` (Redis), `set -gx TOKEN …` (fish), `setx`, `setenv`: before a name in capitals. */
const SET_BEFORE = /(?<![\w-])(?:set|setx|setenv)(?: -[A-Za-z]{1,6})? $/i;
const CAPITALS = /^[A-Z][A-Z0-9_]+$/;
const BLANK = /[ \t](?=[^\s=:-])/y;
const URL_USER = /:\/{1,2}$/;
const HEX_OR_UUID = /^[0-9a-f-]+$/i;
/** What stands behind an option in a sentence. Code never asks for these as values. */
const PROSE = new Set(
  "is was are were be to for and or not with in on at as if when from has have must should can could may will would the a an of by via per it its that this which option options flag flags argument arguments parameter parameters value values variable variables needs requires required instead before after since because so then but takes accepts works does works fails failed wins etc".split(
    " ",
  ),
);

interface Context {
  readonly form: ValueForm;
  /** The form when the value turns out to be in quotes. */
  readonly quotedForm: ValueForm;
  readonly at: number;
  /** A quote that is already open around name and value. */
  readonly close: string | null;
  /** A hash is more likely here than a secret. */
  readonly unlessHex?: true;
}

function contextOf(text: string, nameStart: number, nameEnd: number): Context | null {
  const name = text.slice(nameStart, nameEnd);
  const quoteBefore = /["']/.test(text.charAt(nameStart - 1)) ? text.charAt(nameStart - 1) : null;
  ASSIGN.lastIndex = nameEnd;
  const assign = ASSIGN.exec(text);
  if (assign !== null) {
    const at = ASSIGN.lastIndex;
    const option = name.startsWith("--");
    const tight = assign[0].endsWith("=") && !/[ \t]/.test(assign[0]) && assign[1] === undefined;
    const close =
      option && assign[2] === "=" && quoteBefore !== null && assign[1] === undefined ? quoteBefore : null;
    const quotedForm = tight ? "tight" : assign[2] === ":" || assign[2] === "=>" ? "quoted" : "assigned";
    const header = assign[2] === ":" && HEADER_NAME.test(name);
    return { form: tight || header ? "tight" : "loose", quotedForm, at, close };
  }
  NAMED_VALUE.lastIndex = nameEnd;
  if (NAMED_VALUE.test(text))
    return { form: "loose", quotedForm: "quoted", at: NAMED_VALUE.lastIndex, close: null };
  if (name.startsWith("-")) {
    OPTION_GAP.lastIndex = nameEnd;
    return OPTION_GAP.test(text)
      ? { form: "option", quotedForm: "option", at: OPTION_GAP.lastIndex, close: null }
      : null;
  }
  ELEMENT.lastIndex = nameEnd;
  if (text.charAt(nameStart - 1) === "<" && ELEMENT.test(text))
    return { form: "quoted", quotedForm: "quoted", at: nameEnd + 1, close: "</" };
  SQL_GAP.lastIndex = nameEnd;
  if (/^password$/i.test(name) && SQL_GAP.test(text))
    return { form: "tight", quotedForm: "tight", at: nameEnd + 1, close: null };
  BLANK.lastIndex = nameEnd;
  if (
    CAPITALS.test(name) &&
    BLANK.test(text) &&
    SET_BEFORE.test(text.slice(Math.max(0, nameStart - 20), nameStart))
  )
    return { form: "loose", quotedForm: "quoted", at: nameEnd + 1, close: null };
  SET_GAP.lastIndex = nameEnd;
  if (name.includes("_") && SET_GAP.test(text))
    return { form: "loose", quotedForm: "loose", at: nameEnd + 1, close: null, unlessHex: true };
  return null;
}

function startOfName(text: string, at: number, floor: number): number {
  const lowest = Math.max(floor, at - NAME_BEFORE);
  let start = at;
  while (start > lowest && NAME_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  // `\ntoken=…` written out: the letter belongs to the escape.
  if (start > 0 && text.charAt(start - 1) === "\\" && /[nrt]/.test(text.charAt(start)) && start < at)
    start += 1;
  return start;
}

/** Every value in `text` whose name says that it is a secret. */
export function findAssignments(text: string): Span[] {
  const spans: Span[] = [];
  if (!MAY_TELL.test(text)) return spans;
  let floor = 0;
  TELLING.lastIndex = 0;
  for (let hit = TELLING.exec(text); hit !== null; hit = TELLING.exec(text)) {
    NAME_AFTER.lastIndex = hit.index;
    NAME_AFTER.test(text);
    const nameEnd = NAME_AFTER.lastIndex;
    const nameStart = startOfName(text, hit.index, floor);
    TELLING.lastIndex = Math.max(nameEnd, hit.index + 1);
    const name = text.slice(nameStart, nameEnd);
    const context = contextOf(text, nameStart, nameEnd);
    if (context === null) continue;
    const strength = strengthOfName(name);
    if (strength === null) continue;
    const value = readValue(text, context.at, context.close);
    floor = context.at;
    if (value.end <= value.start) continue;
    // `https://x-access-token:…@host` is for the rule of URLs, which leaves the host.
    if (
      URL_USER.test(text.slice(Math.max(0, nameStart - 3), nameStart)) &&
      /^[^\s/]+@/.test(text.slice(value.start, value.end))
    )
      continue;
    // `<password>` as a placeholder has no end tag.
    if (context.close === "</" && !text.startsWith("</", value.end)) continue;
    const bare = text.slice(value.start, value.end);
    if (context.form === "option" && !value.quoted && PROSE.has(bare.toLowerCase())) continue;
    // A command's output, in a shell.
    if (text.charAt(value.start - 1) === "`" && /\s/.test(bare)) continue;
    if (context.unlessHex === true && (HEX_OR_UUID.test(bare) || !looksMade(bare))) continue;
    const form = value.quoted ? context.quotedForm : context.form;
    const shouting = (name.match(/[A-Z]/g)?.length ?? 0) >= 3 && !/[a-z]/.test(name);
    if (!isSecretValue(bare, { strength, form, shouting: shouting || value.quoted })) continue;
    spans.push({ start: value.start, end: value.end, kind: CREDENTIAL });
    floor = value.after;
    TELLING.lastIndex = Math.max(TELLING.lastIndex, value.after);
  }
  return spans;
}
