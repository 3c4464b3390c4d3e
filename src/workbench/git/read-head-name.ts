// The branch that HEAD names, read from its file: git itself does not say it when the branch's own file is damaged.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";

const MAX_BYTES = 4096;

/** The branch, without `refs/heads/`; null when HEAD names none or cannot be read. */
export async function readHeadName(gitDir: string): Promise<string | null> {
  try {
    const handle = await open(path.join(gitDir, "HEAD"), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return null;
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      const text = buffer.toString("utf8", 0, bytesRead);
      const name = /^ref:\s*refs\/heads\/([^\s\0]+)\s*$/u.exec(text)?.[1] ?? null;
      return name === ".invalid" ? null : name; // a reftable's stand-in
    } finally {
      await handle.close();
    }
  } catch (error) {
    throwShortage(error);
    return null;
  }
}
