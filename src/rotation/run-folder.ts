// <store>/runs/<run_id>/: run.json, the ledger for everybody (R26), and state.json, what going on after a crash needs (R27),
// which is this machine's own. Both replaced whole; state.json first, since a resumed run starts from it.
import { randomBytes } from "node:crypto";
import { chmod, readdir, rename, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asWriteError, ensureFolder, isTemporary, writeAtomic } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import { type RunLedger, runLedgerSchema } from "../model/run-ledger.js";
import { isValidId } from "../model/valid-id.js";
import type { Redactor } from "../redact/create-redactor.js";
import type { Workbench } from "../session/open-workbench.js";
import { ensureStore, storePath } from "../store/store-folder.js";
import { jsonText } from "../text/json-text.js";
import { parseJson } from "../text/parse-json.js";
import { memoryOf, memoryValue, type RunMemory } from "./run-memory.js";

const RUNS = "runs";
const STATE = "state.json";
const LEDGER = "run.json";
const MAX_BYTES = 64 * 1024 * 1024;

/** `run-` and 12 hex digits. */
export function newRunId(): string {
  return `run-${randomBytes(6).toString("hex")}`;
}

/** Where a run's files lie, absolute; made by the first write. Throws UsageError for a store that cannot be. */
export function runFolder(root: string, outDir: string, runId: string): string {
  return path.join(storePath(root, outDir), RUNS, runId);
}

/** The files of one run, being written. */
export interface RunFiles {
  /** Of run.json. */
  readonly ledgerPath: string;
  /** There is something to go on from. */
  readonly isWritten: () => boolean;
  /** Writes what changed since the last time. Throws UsageError for what the system refuses. */
  readonly write: (memory: RunMemory) => Promise<void>;
}

/** A prompt may hold what is nobody else's business, and so may the arguments of an agent, and what a person asks for. */
const PRIVATE = [STATE, "requests.json", "runner.json", "now.sock"].map((name) => `${name}*\n`).join("");

async function keepPrivate(runs: string): Promise<void> {
  const file = path.join(runs, ".gitignore");
  try {
    await writeFile(file, PRIVATE, { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw asWriteError(error, runs);
    // As an earlier version wrote it.
    const found = await readArtifactFile(runs, file);
    if (found.status === "read" && found.text === `${STATE}*\n`)
      await writeAtomic(file, PRIVATE, { base: runs });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

/** What a runner that was killed in the middle of a write left in a run's folder. Best effort. */
async function removeTemporaries(folder: string): Promise<void> {
  for (const file of await readdir(folder).catch((): string[] => [])) {
    // `.name.<pid>.<random>.tmp`: of a writer that lives it is no leftover, be it of this very process.
    const pid = isTemporary(file) ? Number(file.split(".").at(-3)) : null;
    if (pid !== null && !isAlive(pid)) await unlink(path.join(folder, file)).catch(() => undefined);
  }
}

/** Most runs that are looked through for what is left of writes. */
const MAX_RUNS = 500;

/** What runners that were killed before their run could be gone on with left in other runs' folders. Best effort. */
async function removeAbandoned(runs: string): Promise<void> {
  const folders = await readdir(runs).catch((): string[] => []);
  for (const name of folders.slice(-MAX_RUNS)) await removeTemporaries(path.join(runs, name));
}

/** Has passed the gate already, or was made by us. */
const PASSED: ReadonlySet<string> = new Set(
  "run_id status task errors packet_id degraded agent window_source started_at ended_at".split(" "),
);

/** What an agent calls itself and its sessions passes the gate, as in events (S13). */
function publicLedger(ledger: RunLedger, redactor: Redactor): RunLedger {
  return redactor.redactStrings(ledger, { skip: (way) => PASSED.has(way.at(-1) ?? "") }).value;
}

/** Nothing is written yet. */
export function openRunFiles(
  { root, outDir, redactor }: Pick<Workbench, "root" | "outDir" | "redactor">,
  runId: string,
): RunFiles {
  let base: string | null = null;
  const written = new Map<string, string>();
  const open = async (): Promise<string> => {
    const out = await ensureStore(root, outDir);
    const folder = path.join(out, RUNS, runId);
    await ensureFolder(folder, { base: out });
    await keepPrivate(path.dirname(folder));
    await removeTemporaries(folder);
    await removeAbandoned(path.dirname(folder));
    return out;
  };
  const replace = async (out: string, name: string, value: unknown): Promise<void> => {
    const file = path.join(out, RUNS, runId, name);
    const said = `${jsonText(value)}\n`;
    if (written.get(name) === said) return;
    const isFirst = name === STATE && !written.has(name);
    // Nobody else's from its first byte on; one that somebody copied here becomes so.
    await writeAtomic(file, said, { base: out, ...(isFirst ? { mode: 0o600 } : {}) });
    if (isFirst) await chmod(file, 0o600).catch(() => undefined);
    written.set(name, said);
  };
  const writeBoth = async (state: unknown, ledger: unknown): Promise<void> => {
    base ??= await open();
    await replace(base, STATE, state);
    await replace(base, LEDGER, ledger);
  };
  /** Writes follow each other in the order they were asked for. */
  let last: Promise<void> = Promise.resolve();
  return {
    ledgerPath: path.join(runFolder(root, outDir, runId), LEDGER),
    isWritten: () => written.has(STATE),
    write: (memory) => {
      const state = memoryValue(memory);
      last = last.catch(() => undefined).then(() => writeBoth(state, publicLedger(memory.ledger, redactor)));
      return last;
    },
  };
}

/** Moves a file of a run that cannot be used out of the way, and says where to. Throws UsageError for what the system refuses. */
export async function setAside(folder: string, name: string): Promise<string> {
  const aside = `${name}.unusable-${randomBytes(3).toString("hex")}`;
  try {
    await rename(path.join(folder, name), path.join(folder, aside));
  } catch (error) {
    throw asWriteError(error, path.join(folder, name));
  }
  return aside;
}

/** What a run's folder holds. `warning`: what was set aside. */
export interface FoundRun {
  readonly memory: RunMemory;
  readonly warning: string | null;
}

/**
 * Reads a run to go on with. A ledger that cannot be read is set aside, and made again from state.json. Throws UsageError
 * when there is no such run (`run.missing`), nothing to go on from (`run.unreadable`), or an agent that is none any more.
 */
export async function readRun(root: string, outDir: string, runId: string): Promise<FoundRun> {
  if (!isValidId(runId))
    throw new UsageError(
      "usage.bad_id",
      `run id ${JSON.stringify(runId)} is not allowed`,
      "a run's id is told when it starts; the store's runs folder has them all",
    );
  const folder = runFolder(root, outDir, runId);
  const file = path.join(folder, STATE);
  const read = await readArtifactFile(folder, file, MAX_BYTES);
  if (read.status === "missing")
    throw new UsageError(
      "run.missing",
      `there is no run ${runId} to go on with`,
      `look into ${path.dirname(folder)}`,
      { path: file },
    );
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  const memory = parsed?.ok === true ? memoryOf(parsed.value, runId) : null;
  if (memory === null) {
    const aside = await setAside(folder, STATE);
    throw new UsageError(
      "run.unreadable",
      `the run ${runId} cannot be read, and was set aside as ${aside}`,
      "its sessions' packets are untouched: handoff brief has the active one; start the job again with handoff run",
      { path: file },
    );
  }
  const ledger = await readArtifactFile(folder, path.join(folder, LEDGER), MAX_BYTES);
  if (ledger.status === "missing") return { memory, warning: null };
  const told = ledger.status === "read" ? parseJson(ledger.text) : null;
  if (told?.ok === true && runLedgerSchema.safeParse(told.value).success) return { memory, warning: null };
  const aside = await setAside(folder, LEDGER);
  return {
    memory,
    warning: `the ledger of ${runId} could not be read: it was set aside as ${aside} and made anew`,
  };
}
