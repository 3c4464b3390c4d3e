// Opens a run's socket where one can be, says so in runner.json, and takes both away again (O1).
import { readOwnIdentity } from "../io/process-identity.js";
import { ensureFolder } from "../io/write-atomic.js";
import { runFolder } from "../rotation/run-folder.js";
import { ensureStore } from "../store/store-folder.js";
import type { RunPlace } from "./run-file.js";
import { type RequestDesk, type RequestServer, serveRequests } from "./serve-requests.js";
import {
  removeRunner,
  removeStaleRunner,
  type SocketPlace,
  socketPlaces,
  writeRunner,
} from "./socket-place.js";

/** A socket that is listened at. */
export interface Listening {
  /** What was to be told is told, then nothing of it is left. Never rejects. */
  readonly close: () => Promise<void>;
}

/** The first place where it can be. Throws a plain Error where there is none. */
async function serve(
  folder: string,
  desk: RequestDesk,
): Promise<{ readonly server: RequestServer; readonly socket: SocketPlace }> {
  let problem = "its path is too long for a socket";
  for (const make of socketPlaces(folder)) {
    const socket = await make();
    if (socket === null) continue;
    try {
      return { server: await serveRequests(socket.address, desk), socket };
    } catch (error) {
      await socket.remove();
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  throw new Error(`nobody can ask for a handoff: ${problem}`);
}

/** Listens; only for the one runner of the run. Throws a plain Error where no socket can be, UsageError for its files. */
export async function listenForRequests(
  place: RunPlace,
  desk: RequestDesk,
  since: string,
): Promise<Listening> {
  const { run_id } = desk;
  const base = await ensureStore(place.root, place.outDir);
  const folder = runFolder(base, base, run_id);
  await ensureFolder(folder, { base });
  await removeStaleRunner(place, run_id);
  const { server, socket } = await serve(folder, desk);
  const close = async (): Promise<void> => {
    await server.close();
    await socket.remove();
    // Last: while it names us nobody else runs this run, and what lies where our socket was is ours.
    await removeRunner(place, run_id);
  };
  try {
    const runner = await readOwnIdentity();
    await writeRunner(place, { schema_version: "1.0", run_id, address: socket.address, runner, since });
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
