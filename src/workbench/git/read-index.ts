// The index as a file: whether git may be asked to read it at all, and whether it can hold a submodule.
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** The mode of a submodule, as every version of the index stores it. */
const GITLINK_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** A split index keeps entries in a second file. */
const LINK_EXTENSION = Buffer.from("link");

export interface IndexFacts {
  /** False: something else lies there (a FIFO, a folder), and a call that reads it may never end. No index is fine. */
  readonly readable: boolean;
  /** False only when no entry can be a submodule. */
  readonly maybeSubmodules: boolean;
}

/** Facts of the index in `gitDir`, the working tree's own git folder. Never waits for a FIFO. */
export async function readIndex(gitDir: string): Promise<IndexFacts> {
  const file = path.join(gitDir, "index");
  const facts = await stat(file).catch(() => null);
  if (facts === null) return { readable: true, maybeSubmodules: false };
  if (!facts.isFile()) return { readable: false, maybeSubmodules: false };
  if (facts.size > MAX_INDEX_BYTES) return { readable: true, maybeSubmodules: true };
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = await handle.readFile();
      const maybeSubmodules = bytes.includes(GITLINK_MODE) || bytes.includes(LINK_EXTENSION);
      return { readable: true, maybeSubmodules };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throwShortage(error);
    return { readable: true, maybeSubmodules: true };
  }
}
