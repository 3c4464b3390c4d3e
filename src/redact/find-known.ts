// Secrets that are known by their text: from the environment, or found elsewhere in the same packet.
import { dropQuoting, type View } from "./see-through.js";
import { CREDENTIAL, type Span } from "./spans.js";

const QUOTING = /['"\\]|\$(?=['"])/gu;
const QUOTED = /['"\\]/u;

/** A secret, and the same without quoting; null where that is too short to look for. */
export interface KnownSecret {
  readonly secret: string;
  readonly bare: string | null;
}

export function knownSecret(secret: string): KnownSecret {
  const bare = secret.replace(QUOTING, "");
  return { secret, bare: bare.length >= 6 ? bare : null };
}

/** Every place of every known secret in a view, in places of the original. Looks behind quoting where the secret has any. */
export function findKnown(view: View, secrets: readonly KnownSecret[]): Span[] {
  const spans: Span[] = [];
  if (secrets.length === 0) return spans;
  const look = ({ text, place }: View, secret: string): void => {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
      spans.push({ ...place(at, at + secret.length), kind: CREDENTIAL });
  };
  const isQuoted = QUOTED.test(view.text);
  let unquoted: View | null = null;
  for (const { secret, bare } of secrets) {
    look(view, secret);
    if (bare !== null && (bare !== secret || isQuoted)) {
      unquoted ??= dropQuoting(view);
      look(unquoted, bare);
    }
  }
  return spans;
}
