// Whether the name of a variable, option, field or header says that its value is a secret. Names are code, not prose:
// they are English whatever language the people speak.

/**
 * `password`: any value is one. `token`: issued by a machine, so short or wordy values are something else. `weak`: the
 * name says little, only a value that looks made counts.
 */
export type NameStrength = "password" | "token" | "weak";

/** What may stand behind the telling word: `DB_PASSWORD_PROD`, `apiKey2`, `SECRET_B64`. Anything else (`_file`, `_id`, `_limit`) changes the meaning. */
const HARMLESS_TAIL =
  /^(?:[0-9]+|v[0-9]+|prod|production|dev|staging|stage|live|test|testing|ci|value|val|str|string|text|plain|plaintext|raw|new|old|current|primary|secondary|main|default|backup|base64|b64|encoded|decoded|env|here|confirm|confirmation|again|base)$/;
const PASSWORD = /(?:password|passwd|passphrase|passcode|passwort|secret|pwd|pswd|mnemonic)$/;
const PASSWORDS = /(?:passwords|secrets|credentials?|creds?)$/;
const TOKEN =
  /(?:token|apikey|authkey|secretkey|privatekey|accesskey|accountkey|masterkey|signingkey|encryptionkey|jwt|bearer)$/;
/** `key` alone names anything; behind these words it names a secret. */
const BEFORE_KEY =
  /^(?:api|access|secret|private|priv|auth|account|master|signing|encryption|encrypt|decryption|service|shared|storage|subscription|hmac|jwt|app|application|consumer|admin|deploy|webhook|license|licence|openai|anthropic|gemini|stripe|sendgrid|mailgun|twilio|datadog|dd|algolia|claude|mistral|groq|cohere|deepseek|openrouter|azure|aes|rsa|ssh|gpg|pgp|crypto|cookie|session|integration|ingest|server|role)$/;
/** `pass` alone is what tests do; behind these words it is a password. */
const GLUED_PASS =
  /^(?:(?:store|key|user|db|my|ssh|smtp|ftp|pg|root|admin|mail|http|ldap|wifi|vpn)pass|passin|passout)$/;
/** Tokens of parsers, models and pages are no secrets; nor is a question or a count. */
const OTHER_TOKEN =
  /^(?:next|prev|previous|page|paging|continuation|cursor|eos|bos|pad|unk|sep|cls|mask|stop|start|end|special|max|min|num|per|unexpected|unknown|invalid|missing|expired|design|syntax|lexer|parser|first|last|total|count|is|has|no)$/;
const QUESTION =
  /^(?:is|has|have|show|hide|toggle|require|requires|required|needs|use|uses|allow|max|min|num|no|missing|invalid)$/;
/** Names the shell and other tools set themselves. */
const NOT_A_SECRET = /^(?:PWD|OLDPWD|INIT_CWD|SSH_AUTH_SOCK|XAUTHORITY)$/;

const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const MAX_NAME = 80;

/** `clientSecret`, `X-Api-Key`, `spring.datasource.password`, `_authToken` … How strongly it says so; null: it does not. */
export function strengthOfName(name: string): NameStrength | null {
  if (name.length > MAX_NAME || NOT_A_SECRET.test(name)) return null;
  const parts = name.match(PARTS)?.map((part) => part.toLowerCase()) ?? [];
  while (parts.length > 1 && HARMLESS_TAIL.test(parts.at(-1) ?? "")) parts.pop();
  const last = parts.at(-1) ?? "";
  const before = parts.at(-2) ?? "";
  if (QUESTION.test(parts[0] ?? "") && parts.length > 1) return null;
  // `secret: db-creds` names one, in Kubernetes and Compose.
  if (last === "secret" && parts.length === 1) return "token";
  if (last === "pwd" && parts.length === 1) return "weak";
  if (PASSWORD.test(last)) return "password";
  if (last === "pass" && before !== "") return "password";
  if (GLUED_PASS.test(last)) return "password";
  if (last.endsWith("token") && OTHER_TOKEN.test(before)) return null;
  if (TOKEN.test(last) || PASSWORDS.test(last)) return "token";
  if (last === "key" && BEFORE_KEY.test(before)) return "token";
  if (last === "auth" && name.startsWith("_")) return "token";
  if (last === "auth" || last === "pass" || last === "sas") return "weak";
  if (last === "pat" && before !== "") return "token";
  if (last === "signature" && /^(?:amz|goog)$/.test(before)) return "token";
  return null;
}
