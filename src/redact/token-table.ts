// Secrets that show by their own shape, one row a kind.
import { INFRASTRUCTURE_TOKENS } from "./infrastructure-tokens.js";
import { SERVICE_TOKENS } from "./service-tokens.js";
import type { TokenRow } from "./token-row.js";

/** Every row; where two match at one place the first one's kind stands. */
export const TOKEN_TABLE: readonly TokenRow[] = [...INFRASTRUCTURE_TOKENS, ...SERVICE_TOKENS];
