// Small files of the operator's in a run's folder (O1): replaced whole, the owner's alone (0600).
import path from "node:path";
import { ensureFolder, writeAtomic } from "../io/write-atomic.js";
import { runFolder } from "../rotation/run-folder.js";
import { ensureStore } from "../store/store-folder.js";
import { jsonText } from "../text/json-text.js";

/** The workbench and its store. */
export interface RunPlace {
  readonly root: string;
  /** Absolute, or relative to the root. */
  readonly outDir: string;
}

/** Replaces the file `name` in the run's folder. Throws UsageError for what the system refuses. */
export async function writeRunFile(
  { root, outDir }: RunPlace,
  runId: string,
  name: string,
  value: unknown,
): Promise<void> {
  const base = await ensureStore(root, outDir);
  const folder = runFolder(base, base, runId);
  await ensureFolder(folder, { base });
  await writeAtomic(path.join(folder, name), `${jsonText(value)}\n`, { base, mode: 0o600 });
}
