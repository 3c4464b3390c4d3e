// Passwords that commands take in short options, which only mean that behind the right command: `mysql -p…`, `curl -u`.
import { readValue } from "./read-value.js";
import { isStandIn, looksMade } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

interface CommandRow {
  readonly command: RegExp;
  /** Up to the value; group 1 is a quote opened before the option. */
  readonly option: RegExp;
  /** The secret begins behind this character of the value (`user:password`). */
  readonly after: string | null;
}

const COMMANDS: readonly CommandRow[] = [
  { command: /^(?:mysql|maria|7z)/, option: /\s(["'\\]{0,64})-p(?=[^\s-])/g, after: null },
  { command: /^sshpass/, option: /\s(["'\\]{0,64})-p\s{0,4}/g, after: null },
  {
    command: /^(?:docker|podman|nerdctl|helm|buildah|skopeo|oc|az|crane)/,
    option: /\slogin\b[^|;&\n]{0,300}?\s(["'\\]{0,64})-p[ \t=]{1,4}/g,
    after: null,
  },
  { command: /^redis-cli/, option: /\s(["'\\]{0,64})-a\s{1,4}/g, after: null },
  { command: /^mongo/, option: /\s(["'\\]{0,64})-p[ \t]{1,4}/g, after: null },
  { command: /^ldap/, option: /\s(["'\\]{0,64})-w\s{1,4}/g, after: null },
  { command: /^(?:zip|unzip|sqlcmd|bcp)/, option: /\s(["'\\]{0,64})-P\s{0,4}/g, after: null },
  {
    command: /^(?:curl|wget|https?|xh)$/,
    option: /\s(["'\\]{0,64})(?:-u|-U|-a|--user|--proxy-user|--auth)(?:[ \t=]{1,4}|(?=["'\\\w]))/g,
    after: ":",
  },
  {
    command: /^(?:smbclient|net|rpcclient)$/,
    option: /\s(["'\\]{0,64})(?:-U|--user)[ \t=]{0,4}/g,
    after: "%",
  },
  { command: /^openssl/, option: /\s(["'\\]{0,64})pass:/g, after: null },
];
const COMMAND =
  /(?<![\w.-])(?:mysql(?:dump|admin|import|show)?|mariadb(?:-dump|-admin)?|7z[ar]?|sshpass|docker|podman|nerdctl|helm|buildah|skopeo|oc|az|crane|redis-cli|mongo(?:sh|dump|restore|export|import)?|ldap(?:search|modify|add|whoami|delete)|zip|unzip|sqlcmd|bcp|curl|wget|https?|xh|smbclient|net|rpcclient|openssl)\b(?=["'\\]{0,64},?\s)/g;
/** A line of .netrc. */
const NETRC = /\blogin\s{1,8}\S{1,64}\s{1,8}password\s{1,8}(?=\S)/g;
/** `IDENTIFIED BY '…'`, and Redis' own settings. */
const SAID =
  /\bidentified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?(?=["'\\])|\b(?:requirepass|masterauth)\s{1,4}(?=\S)/gi;
/** What is printed for a command that reads its password from there. */
const PRINTED =
  /\b(?:echo|printf)\s{1,4}(?:-[neE]{1,3}\s{1,4})?(?:["'\\]{0,64}%s(?:\\{1,8}n)?["'\\]{0,64}\s{1,4})?/g;
const INTO_LOGIN =
  /["'\\]{0,64}\s{0,4}\|\s{0,4}(?:[^|;&\n]{0,200}\s--(?:password-stdin|with-token)\b|sudo\s[^|;&\n]{0,40}?-S\b|passwd\s[^|;&\n]{0,40}?--stdin\b)/y;
/** Every option above begins like this, behind white space or a quote. */
const OPTION_START = /(?<=[\s"'\\])(?:-[aApPuUwW]|--user|--proxy-user|--auth|pass:)/;
const SAID_START = /identified\s|requirepass|masterauth/i;
/** How far a command's options are looked for. */
const MAX_COMMAND = 1024;
const COMMAND_END = /[\n|;]|&&/;

/** False for a text in which no rule here can find anything: most texts. */
function mayHold(text: string): boolean {
  return OPTION_START.test(text) || text.includes("login") || text.includes("|") || SAID_START.test(text);
}

/** Every password in a short option of a command that takes one. */
export function findCommandSecrets(text: string): Span[] {
  if (!mayHold(text)) return [];
  const spans: Span[] = [];
  const hits = [...text.matchAll(COMMAND)];
  for (const row of COMMANDS) {
    const own = hits.filter(([name]) => row.command.test(name));
    for (const [i, { 0: name, index }] of own.entries()) {
      const from = index + name.length;
      // Each part of a text is looked at once for a row: a command ends where the next of its kind begins.
      const ahead = text.slice(from, Math.min(from + MAX_COMMAND, own[i + 1]?.index ?? Infinity));
      spans.push(
        ...optionValues(text, from, ahead.slice(0, COMMAND_END.exec(ahead)?.index ?? ahead.length), row),
      );
    }
  }
  for (const match of text.matchAll(NETRC)) {
    const { start, end } = readValue(text, match.index + match[0].length, null);
    if (end > start && !isStandIn(text.slice(start, end))) spans.push({ start, end, kind: CREDENTIAL });
  }
  for (const { 0: said, index } of text.matchAll(SAID)) {
    const { start, end, quoted } = readValue(text, index + said.length, null);
    const secret = text.slice(start, end);
    if (!isStandIn(secret) && (looksMade(secret) || (quoted && secret.length >= 3)))
      spans.push({ start, end, kind: CREDENTIAL });
  }
  if (text.includes("|")) spans.push(...printedSecrets(text));
  return spans;
}

function printedSecrets(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: print, index } of text.matchAll(PRINTED)) {
    const at = index + print.length;
    const ahead = text.slice(at, at + MAX_COMMAND);
    const { start, end } = readValue(ahead, 0, null);
    INTO_LOGIN.lastIndex = end;
    if (end - start >= 3 && !isStandIn(ahead.slice(start, end)) && INTO_LOGIN.test(ahead))
      spans.push({ start: at + start, end: at + end, kind: CREDENTIAL });
  }
  return spans;
}

function optionValues(text: string, from: number, rest: string, { option, after }: CommandRow): Span[] {
  const spans: Span[] = [];
  for (const found of rest.matchAll(option)) {
    const at = from + found.index + found[0].length;
    const quote = found[1] === undefined || found[1] === "" ? null : found[1];
    const glued = !/[ \t=]$/.test(found[0]);
    const value = readValue(text, at, glued ? quote : null);
    const whole = text.slice(value.start, value.end);
    const skip = after === null ? 0 : whole.indexOf(after) + 1;
    const secret = whole.slice(skip);
    if (after !== null && skip === 0) continue;
    if (secret.length >= 2 && !isStandIn(secret))
      spans.push({ start: value.start + skip, end: value.end, kind: CREDENTIAL });
  }
  return spans;
}
