// Repair (handoff doctor --repair): index and packets agree again, and what a crash left behind is cleared away.
import type { Diagnostic } from "../model/diagnostic.js";
import type { TemplateOverrides } from "../render/templates.js";
import type { StorePlace } from "./read-store.js";
import type { LockOptions } from "./store-lock.js";

export interface Repairing extends StorePlace {
  readonly templates?: TemplateOverrides;
  readonly lock?: LockOptions;
}

/** What was done, in sentences for a person; empty when all was well. */
export interface Repaired {
  readonly actions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks at every packet and mends what does not agree. Repairing twice equals once. Throws UsageError (exit 2). */
export async function repairStore(repairing: Repairing): Promise<Repaired> {
  throw new Error(`not yet: ${repairing.outDir}`);
}
