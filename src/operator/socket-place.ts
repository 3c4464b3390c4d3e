// Where a run listens for requests (O1): a socket in its folder; where no socket can be there, as with paths longer than systems
// take, one in a private folder of its own. runner.json in the run's folder says which, and whose it is.
import { lstatSync } from "node:fs";
import { chmod, lstat, mkdtemp, realpath, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { ProcessIdentity } from "../io/process-identity.js";
import { idSchema, isoTimeSchema } from "../model/ids.js";
import { runFolder } from "../rotation/run-folder.js";
import { sha256Hex } from "../text/digest.js";
import { parseJson } from "../text/parse-json.js";
import { type RunPlace, writeRunFile } from "./run-file.js";

const SOCKET = "now.sock";
const RUNNER_FILE = "runner.json";
const PRIVATE = "handoff-now-";
const MAX_BYTES = 64 * 1024;
/** sun_path has 104 bytes on macOS, 108 on Linux, with the NUL. */
const MAX_PATH = 100;

const runnerSchema = z.strictObject({
  schema_version: z.literal("1.0"),
  run_id: idSchema,
  /** A path, or the name of a pipe. */
  address: z.string().min(1),
  runner: z.strictObject({
    pid: z.int().positive(),
    host: z.string(),
    machine: z.string(),
    started: z.string().nullable(),
  }),
  since: isoTimeSchema,
});

/** runner.json: who runs a run now, and where it listens. */
export type RunnerRecord = Readonly<z.infer<typeof runnerSchema>>;

/** An address to listen at. */
export interface SocketPlace {
  readonly address: string;
  /** Removes what was made for it. Never rejects. */
  readonly remove: () => Promise<void>;
}

const fits = (file: string): boolean => Buffer.byteLength(file) <= MAX_PATH;

/** Removes a socket that nobody listens at any more; what is no socket is not ours. */
async function removeStale(file: string): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found?.isSocket() === true) await unlink(file).catch(() => undefined);
}

/** Places to listen at, the best first. Each is made when it is asked for. Only for the one runner of the run. */
export function socketPlaces(folder: string): readonly (() => Promise<SocketPlace | null>)[] {
  if (process.platform === "win32") {
    const address = `\\\\.\\pipe\\handoff-${sha256Hex(folder).slice(0, 16)}-${process.pid}`;
    return [async () => ({ address, remove: async () => undefined })];
  }
  const inFolder = async (): Promise<SocketPlace | null> => {
    const address = path.join(folder, SOCKET);
    if (!fits(address)) return null;
    await removeStale(address);
    return { address, remove: () => removeStale(address) };
  };
  const inPrivate = (base: string) => async (): Promise<SocketPlace | null> => {
    if (!fits(path.join(base, `${PRIVATE}XXXXXX`, "s"))) return null;
    const own = await mkdtemp(path.join(base, PRIVATE));
    await chmod(own, 0o700);
    return {
      address: path.join(own, "s"),
      remove: () => rm(own, { recursive: true, force: true }).catch(() => undefined),
    };
  };
  return [inFolder, inPrivate(tmpdir()), inPrivate("/tmp")];
}

/** True for a private folder of ours: nobody else can have put a socket into it. */
function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return (
    path.basename(folder).startsWith(PRIVATE) &&
    found?.isDirectory() === true &&
    (found.mode & 0o077) === 0 &&
    found.uid === process.getuid?.()
  );
}

/** A workbench may have been copied from anywhere: what its runner.json names is only spoken to where a run of ours listens. */
function isTrusted(folder: string, address: string): boolean {
  if (process.platform === "win32") return /^\\\\\.\\pipe\\handoff-[0-9a-f]{16}-\d+$/u.test(address);
  const isThere = lstatSync(address, { throwIfNoEntry: false })?.isSocket() === true;
  return isThere && (address === path.join(folder, SOCKET) || isPrivate(path.dirname(address)));
}

/** Says where the run listens. Throws UsageError for what the system refuses. */
export function writeRunner(place: RunPlace, record: RunnerRecord): Promise<void> {
  return writeRunFile(place, record.run_id, RUNNER_FILE, record);
}

/** The run listens no more. Never rejects. */
export async function removeRunner({ root, outDir }: RunPlace, runId: string): Promise<void> {
  await unlink(path.join(runFolder(root, outDir, runId), RUNNER_FILE)).catch(() => undefined);
}

/** Who runs a run, as far as its folder says; `address` null: none that may be spoken to. Null: nobody. */
export interface FoundRunner {
  /** Null: somebody who does not let us read it. */
  readonly runner: ProcessIdentity | null;
  readonly address: string | null;
}

/** Reads runner.json. One that makes no sense names nobody; another user's may not be ours to read. */
export async function readRunner({ root, outDir }: RunPlace, runId: string): Promise<FoundRunner | null> {
  // As the runner named it: the real one.
  const named = runFolder(root, outDir, runId);
  const folder = await realpath(named).catch(() => named);
  const read = await readArtifactFile(folder, path.join(folder, RUNNER_FILE), MAX_BYTES);
  if (read.status === "unreadable") return { runner: null, address: null };
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  const record = parsed?.ok === true ? runnerSchema.safeParse(parsed.value) : null;
  if (record?.success !== true || record.data.run_id !== runId) return null;
  const { runner, address } = record.data;
  return { runner, address: isTrusted(folder, address) ? address : null };
}

/** What a runner of this run that was killed had listened at. Only for its one runner, before it listens itself. Never rejects. */
export async function removeStaleRunner(place: RunPlace, runId: string): Promise<void> {
  const address = (await readRunner(place, runId).catch(() => null))?.address ?? null;
  if (address !== null && process.platform !== "win32" && isPrivate(path.dirname(address)))
    await rm(path.dirname(address), { recursive: true, force: true }).catch(() => undefined);
  await removeRunner(place, runId);
}
