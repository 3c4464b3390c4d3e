// Passwords that commands take in short options, which only mean that behind the right command: `mysql -p…`, `curl -u`.
import { readValue } from "./read-value.js";
import { isStandIn } from "./secret-values.js";
import { CREDENTIAL, type Span } from "./spans.js";

interface CommandRow {
  readonly command: RegExp;
  /** Up to the value; group 1 is a quote opened before the option. */
  readonly option: RegExp;
  /** The secret begins behind this character of the value (`user:password`). */
  readonly after: string | null;
}

const COMMANDS: readonly CommandRow[] = [
  { command: /^(?:mysql|maria|7z)/, option: /\s(["']?)-p(?=[^\s-])/g, after: null },
  { command: /^sshpass/, option: /\s(["']?)-p\s{0,4}/g, after: null },
  {
    command: /^(?:docker|podman|nerdctl|helm|buildah|skopeo|oc|az|crane)/,
    option: /\slogin\b[^|;&\n]{0,300}?\s(["']?)-p[ \t=]{1,4}/g,
    after: null,
  },
  { command: /^redis-cli/, option: /\s(["']?)-a\s{1,4}/g, after: null },
  { command: /^mongo/, option: /\s(["']?)-p[ \t]{1,4}/g, after: null },
  { command: /^ldap/, option: /\s(["']?)-w\s{1,4}/g, after: null },
  { command: /^(?:zip|unzip|sqlcmd|bcp)/, option: /\s(["']?)-P\s{0,4}/g, after: null },
  {
    command: /^(?:curl|wget|https?|xh)$/,
    option: /\s(["']?)(?:-u|-U|-a|--user|--proxy-user|--auth)(?:[ \t=]{1,4}|(?=["'\w]))/g,
    after: ":",
  },
  { command: /^(?:smbclient|net|rpcclient)$/, option: /\s(["']?)(?:-U|--user)[ \t=]{0,4}/g, after: "%" },
  { command: /^openssl/, option: /\s(["']?)pass:/g, after: null },
];
const COMMAND =
  /(?<![\w.-])(?:mysql(?:dump|admin|import|show)?|mariadb(?:-dump|-admin)?|7z[ar]?|sshpass|docker|podman|nerdctl|helm|buildah|skopeo|oc|az|crane|redis-cli|mongo(?:sh|dump|restore|export|import)?|ldap(?:search|modify|add|whoami|delete)|zip|unzip|sqlcmd|bcp|curl|wget|https?|xh|smbclient|net|rpcclient|openssl)\b(?=["']?,?\s)/g;
/** A line of .netrc. */
const NETRC = /\blogin\s{1,8}\S{1,64}\s{1,8}password\s{1,8}(?=\S)/g;
/** How far a command's options are looked for. */
const MAX_COMMAND = 1024;
const COMMAND_END = /[\n|;]|&&/;

/** Every password in a short option of a command that takes one. */
export function findCommandSecrets(text: string): Span[] {
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
