// Secrets that show by their own shape, one row a kind.
import { infrastructureTokens } from "./infrastructure-tokens.js";
import { serviceTokens } from "./service-tokens.js";
import type { TokenRow } from "./token-row.js";

let table: readonly TokenRow[] | null = null;

/** Every row; where two match at one place the first one's kind stands. Made when it is first asked for: most runs never do. */
export function tokenTable(): readonly TokenRow[] {
  table ??= [...infrastructureTokens(), ...serviceTokens()];
  return table;
}
