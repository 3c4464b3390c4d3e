// Repair (handoff doctor --repair): index and packets agree again, and what a crash left behind is cleared away.
import type { Diagnostic } from "../model/diagnostic.js";
import { changeStore, type ChangeOptions } from "./change-store.js";
import { readIndexFile } from "./index-file.js";
import { allFolders } from "./mistrust-index.js";
import { readStore } from "./read-store.js";
import { repairFolders } from "./repair-folders.js";

/** What was done, in sentences for a person; empty when all was well. */
export interface Repaired {
  readonly actions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks at every packet and mends what does not agree. Repairing twice equals once. Throws UsageError (exit 2). */
export async function repairStore(options: ChangeOptions): Promise<Repaired> {
  const { out } = await readStore(options);
  if (out === null) return { actions: [], diagnostics: [] };
  const found = await readIndexFile(out);
  return changeStore(options, async (change) => {
    const made =
      found.status === "index" || change.index().packets.length === 0
        ? []
        : [`made the index anew from ${change.index().packets.length} packets`];
    const mended = change.diagnostics.flatMap(({ code, args }) =>
      code === "store.repaired" ? [String(args["detail"])] : [],
    );
    const folders = await allFolders(out, change.index());
    const actions = await repairFolders(change, folders, options.templates);
    return { actions: [...made, ...mended, ...actions], diagnostics: change.diagnostics };
  });
}
