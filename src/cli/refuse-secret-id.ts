// An id that a person gave and that holds a secret (S13): it would stand in packets and file names, where nothing can be taken
// out of it.
import { UsageError } from "../model/errors.js";
import type { Redactor } from "../redact/create-redactor.js";

/** Throws UsageError `usage.bad_id` for one. @param option the option's name, without its dashes */
export function refuseSecretId(
  option: string,
  id: string | null,
  { redactor }: { readonly redactor: Redactor },
): void {
  if (id === null || redactor.redactText(id).text === id) return;
  throw new UsageError(
    "usage.bad_id",
    `--${option} ${JSON.stringify(id)} holds a secret`,
    "ids stand in packets and file names: choose one that holds no secret",
  );
}
