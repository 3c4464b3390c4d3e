// Secrets that are known by their text: from the environment, or found elsewhere in the same packet.
import { dropQuoting, type View } from "./see-through.js";
import { CREDENTIAL, type Span } from "./spans.js";

const QUOTING = /['"\\]|\$(?=['"])/gu;

/** Every place of every known secret in a view, in places of the original. Looks behind quoting where the secret has any. */
export function findKnown(view: View, secrets: readonly string[]): Span[] {
  const spans: Span[] = [];
  const look = ({ text, place }: View, secret: string): void => {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
      spans.push({ ...place(at, at + secret.length), kind: CREDENTIAL });
  };
  let unquoted: View | null = null;
  for (const secret of secrets) {
    look(view, secret);
    const bare = secret.replace(QUOTING, "");
    if (bare.length >= 6 && (bare !== secret || /['"\\]/u.test(view.text))) {
      unquoted ??= dropQuoting(view);
      look(unquoted, bare);
    }
  }
  return spans;
}
