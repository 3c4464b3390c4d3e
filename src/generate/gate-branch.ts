// A branch's name as packets and the index have it (S6, S13). Packets are found by it, so it has to be the same in every
// environment, and never the same for two branches.
import { createRedactor, type Redactor } from "../redact/create-redactor.js";
import { CREDENTIAL } from "../redact/spans.js";
import { sha256Hex } from "../text/digest.js";

let builtIn: Redactor | null = null;

/**
 * The name without what has the shape of a secret, or what a project's pattern says is one; where something was taken out,
 * eight hex of the whole name's digest behind a `~`, which no branch's own name can hold, tell two such branches apart. What
 * only the value of some environment variable says is a secret stays: a branch's name stands in the open in the repository,
 * and the next session may run without that variable. Gating twice equals once.
 */
export function gateBranch(branch: string | null, redactor: Redactor): string | null {
  if (branch === null || GATED.test(branch) || redactor.redactText(branch).text === branch) return branch;
  builtIn ??= createRedactor();
  const shaped = builtIn.redactText(branch).text;
  const further = redactor.redactText(shaped);
  const isMore = Object.keys(further.counts).some((kind) => kind !== CREDENTIAL);
  const text = isMore ? further.text : shaped;
  return text === branch ? branch : `${text}~${sha256Hex(branch).slice(0, 8)}`;
}

const GATED = /^(?=.*\[redacted:[a-z0-9-]+\]).*~[0-9a-f]{8}$/u;
