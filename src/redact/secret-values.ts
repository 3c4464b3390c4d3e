// Whether a value beside a telling name is a secret, or stands for one (a placeholder, a reference, a path, a word).
import type { NameStrength } from "./secret-names.js";

/**
 * How a value was given: `tight` `name=value`; `assigned` `name = "value"`; `quoted` `name: "value"`; `loose` `name: value`,
 * `name = value`; `option` `--name value`.
 */
export type ValueForm = "tight" | "assigned" | "quoted" | "loose" | "option";

/** Stands in for a mark while a text is searched: see create-redactor.ts. */
export const MARK_FILLER = "\uffff";

const STAND_INS = new Set(
  (
    "true false null none nil undefined nan yes no on off string str number int integer bool boolean any unknown never object " +
    "text char varchar required optional redacted hidden masked removed filtered sanitized secret secrets password passwd pass pwd token tokens key apikey " +
    "api_key api-key changeme change_me change-me changeit replaceme replace_me replace-me example sample dummy placeholder todo tbd " +
    "fixme empty missing invalid expired value unset default inherit self this here file env prompt stdin ask vault keychain " +
    "basic bearer digest negotiate oauth oauth2 jwt saml apikeyauth sha1 sha256 sha384 sha512 md5 hs256 hs384 hs512 rs256 rs384 " +
    "rs512 es256 es384 ps256 eddsa ed25519 x509 argon2 argon2id bcrypt scrypt pbkdf2 base64 utf8 utf-8 hex aes256 aes128 aes-256-gcm"
  ).split(" "),
);
const MASKED = /^[*•●x.…?_#\-\s]+$/iu;
const PARTLY_MASKED = /\*{3,}|[•●]{2,}|…/u;
/** `<token>`, `{{ token }}`, `%TOKEN%`, `[REDACTED]`, `{token}`, `__TOKEN__`, `:token`. */
const WRAPPED =
  /^(?:<[^<>]*>?|\{\{.*|\$\{\{.*|%[A-Za-z_]\w*%|\[[A-Za-z _:-]*\]?|\{[A-Za-z_.]\w*\}?|__[A-Z_]+__|:[a-z_]+)$/u;
/** `$TOKEN`, `${TOKEN}`, `$(cat token)`, `` `cat token` ``, `$env:TOKEN`, `$token`, `$this->token`. */
const REFERENCES =
  /\$\{\{?[^}]*\}{0,2}|\$\([^)]*\)?|`[^`]*`?|\$env:\w+|\$[A-Z_][A-Z0-9_]*(?![A-Za-z0-9])|^\$[A-Za-z_]+(?:->\w+(?:\(\))?)*-?$|\$[0-9@*#?](?!\w)/gu;
const SHELL_DEFAULT = /^\$\{[A-Za-z_]\w*:?[-=+](.*?)\}?$/u;
const YOUR =
  /^(?:your|insert|enter|replace|put|paste|change|example|sample|dummy|fake|placeholder|todo)[-_ .A-Za-z]*$/iu;
const YOUR_WHAT = /key|token|secret|passw|pwd|credential|here|value|this|me$/iu;
/** `config.token`, `process.env.API_KEY`, `getToken()`, `args[1]`, `z.string().min(12)`, `os.environ["X"]`. */
const CODE_PATH =
  /^(?:await\s+|new\s+|\.\.\.|[@&!*~])*[A-Za-z_$][A-Za-z_$]*\d{0,2}(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][A-Za-z_$]*\d{0,2})+[;,)]*$/u;
const CODE_CALL =
  /^(?:await\s+|new\s+|\.\.\.|[@&!*~])*[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][\w$]*)*(?:(?:\?\.)?\(|(?:\?\.)?\[|<[A-Za-z])/u;
const SAYS_WHAT_IT_IS =
  /\s.*\b(?:passwords?|secrets?|tokens?|passphrase)\b|\b(?:passwords?|secrets?|tokens?|passphrase)\b.*\s/iu;
const NAMES_A_SECRET = /^[A-Za-z_$]*(?:token|passw|pwd|secret|key|cred|auth|pass)[A-Za-z_$]*\d{0,2}$/iu;
const PATH = /^(?:(?:~|\.{1,2})?[\\/]|[A-Za-z]:[\\/]|file:\/\/)/u;
const VERSION_OR_SIZE =
  /^(?:v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d.*|\d+(?:[.,]\d+)?\s?(?:[a-z]{1,3}|%|bytes|chars?|characters|bits?|tokens|days|hours|minutes|seconds)?)$/iu;
/** A digest, a colour, an anchor, the name of a resource. */
const NAMED_THING = /^(?:(?:sha\d+|md5)[:-]|#(?:[0-9a-f]{3,8}|[a-z-]+)$|arn:|projects\/[\w-]+\/)/iu;
/** `db-creds-v2`, `kv/data/app1`: how things are named, where a secret would stand. */
const KEBAB_NAME = /^[a-z]+(?:[-_./][a-z]+)*(?:[-_./]v?\d{1,3}|(?<=[-_./][a-z]+)\d{1,3})?$/u;
const BASIC_PAIR = /^[\u0020-\u007e]+:[\u0020-\u007e]+$/u;

/** True for what is written where a secret would stand: never touched (S15). */
export function isStandIn(value: string): boolean {
  const bare = value.trim();
  if (bare === "" || bare.replaceAll(MARK_FILLER, "") === "") return true;
  if (bare.length > 200) return false;
  if (STAND_INS.has(bare.toLowerCase()) || MASKED.test(bare) || WRAPPED.test(bare)) return true;
  if (PARTLY_MASKED.test(bare) && bare.replace(/[^A-Za-z0-9]/gu, "").length <= 12) return true;
  const fallback = SHELL_DEFAULT.exec(bare);
  if (fallback !== null) return isStandIn(fallback[1] ?? "");
  if (/[$`]/u.test(bare)) {
    const rest = bare.replace(REFERENCES, "");
    if (rest !== bare) return !looksMade(rest) || isStandIn(rest);
  }
  return YOUR.test(bare) && YOUR_WHAT.test(bare);
}

function isPath(value: string): boolean {
  return (
    PATH.test(value) &&
    value
      .split(/[\\/]/u)
      .every(
        (part) => part.length < 24 || !(/[a-z]/u.test(part) && /[A-Z]/u.test(part) && /\d/u.test(part)),
      ) &&
    !/[+=]/u.test(value)
  );
}

function isUrl(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//iu.test(value);
}

function isCode(value: string): boolean {
  return CODE_CALL.test(value) || CODE_PATH.test(value) || NAMES_A_SECRET.test(value);
}

/** `NonExpressionEnd`: words, where random letters change their case all the time. */
function isCamelCase(value: string): boolean {
  const capitals = value.match(/[A-Z]/gu)?.length ?? 0;
  return /^\W?[A-Za-z]+$/u.test(value) && capitals > 0 && capitals * 3 <= value.length;
}

/** More than words: letters with digits, or signs that words do not have. Versions, sizes, dates and algorithms are no secrets. */
export function looksMade(value: string): boolean {
  if (value.length < 6 || VERSION_OR_SIZE.test(value) || NAMED_THING.test(value)) return false;
  const letters = /\p{L}/u.test(value);
  if (letters && /\d/u.test(value)) return true;
  if (/[!@#$%^&*+=~]/u.test(value) && (letters || /\d/u.test(value))) return true;
  return (
    value.length >= 20 &&
    /^[A-Za-z0-9_+/=-]+$/u.test(value) &&
    /[a-z][A-Z].*[a-z][A-Z]/u.test(value) &&
    !isCamelCase(value)
  );
}

/**
 * Decides over a value beside a telling name. `shouting`: the name is in capitals, as environment variables are, where
 * code references do not occur.
 */
export function isSecretValue(
  value: string,
  { strength, form, shouting }: { strength: NameStrength; form: ValueForm; shouting: boolean },
): boolean {
  if (isStandIn(value)) return false;
  if (value.length > 200) return true;
  if (isPath(value) || isUrl(value)) return false;
  if (strength === "weak") {
    const pair =
      /^[A-Za-z0-9+/]{8,}={0,2}$/u.test(value) &&
      BASIC_PAIR.test(Buffer.from(value, "base64").toString("latin1"));
    return form !== "loose" && (pair || (looksMade(value) && !isCode(value) && !/\s/u.test(value)));
  }
  const digitsOnly = /^[\d.,]+$/u.test(value);
  if (digitsOnly) return strength === "password" ? value.length >= 4 : /^\d{10,}$/u.test(value);
  const shortest = strength === "password" ? 3 : 6;
  if (value.length < shortest) return false;
  if (form === "quoted" || form === "assigned") {
    if (form === "assigned" && strength === "password" && !SAYS_WHAT_IT_IS.test(value)) return true;
    // An API's message about a field: {"password": "must have 12 characters"}.
    if (strength === "token" && KEBAB_NAME.test(value) && /[-_./]/u.test(value)) return value.length >= 40;
    if (/\s/u.test(value)) return value.split(/\s+/u).some((word) => looksMade(word) && !isCode(word));
    return (
      strength === "password" ||
      looksMade(value) ||
      (value.length >= 16 && !NAMES_A_SECRET.test(value) && !isCamelCase(value))
    );
  }
  if (!(shouting && form === "tight") && isCode(value)) return false;
  if (form === "loose") return looksMade(value) && !(strength === "token" && KEBAB_NAME.test(value));
  if (VERSION_OR_SIZE.test(value) && strength === "token") return false;
  return true;
}
