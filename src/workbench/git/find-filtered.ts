// Files under a filter driver, which is never run (P9). Their content on disk is not what git would store; of large-file
// pointers we can still tell, without the driver, whether the file is the one the pointer names.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { throwShortage } from "../../io/system-shortage.js";
import type { Git } from "./run-git.js";

/** A file by its name's bytes (latin1, from the top level) and a blob it is compared with. */
export interface FilteredFile {
  readonly path: string;
  readonly blob: string;
}

const MAX_POINTER_BYTES = 1024;
/** What is hashed at most, all files together; past it a file counts as changed. */
const MAX_HASHED_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/u;

/** Those of `paths` whose `filter` attribute names one of `drivers`. Null: git could not say. */
export async function findFiltered(
  git: Git,
  top: string,
  paths: readonly string[],
  drivers: ReadonlySet<string>,
): Promise<ReadonlySet<string> | null> {
  if (drivers.size === 0 || paths.length === 0) return new Set();
  const input = Buffer.from(paths.map((name) => `${name}\0`).join(""), "latin1");
  const asked = await git.run(top, ["check-attr", "-z", "--stdin", "filter"], input);
  if (asked.status !== "ok") return null;
  const fields = asked.stdout.toString("latin1").split("\0");
  const filtered = new Set<string>();
  for (let i = 0; i + 2 < fields.length; i += 3) {
    if (drivers.has(fields[i + 2] ?? "")) filtered.add(fields[i] ?? "");
  }
  return filtered;
}

/** Paths of those files that hold what the pointer in their blob names (git-lfs), by size and SHA-256. */
export async function matchPointers(
  git: Git,
  top: string,
  files: readonly FilteredFile[],
): Promise<ReadonlySet<string>> {
  const pointers = await readPointers(git, top, [...new Set(files.map(({ blob }) => blob))]);
  const matching = new Set<string>();
  let left = MAX_HASHED_BYTES;
  for (const file of files) {
    const pointer = pointers.get(file.blob);
    if (pointer === undefined || pointer.size > left) continue;
    left -= pointer.size;
    const full = Buffer.concat([Buffer.from(`${top}${path.sep}`, "utf8"), Buffer.from(file.path, "latin1")]);
    if ((await hashFile(full, pointer.size)) === pointer.oid) matching.add(file.path);
  }
  return matching;
}

interface Pointer {
  readonly oid: string;
  readonly size: number;
}

/** The pointers among `blobs`; sizes are asked first, so that no large blob is ever read. */
async function readPointers(
  git: Git,
  top: string,
  blobs: readonly string[],
): Promise<ReadonlyMap<string, Pointer>> {
  const pointers = new Map<string, Pointer>();
  if (blobs.length === 0) return pointers;
  const sizes = await git.run(top, ["cat-file", "--batch-check"], lines(blobs));
  const small = sizes.stdout
    .toString("latin1")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, type, size]) => type === "blob" && Number(size) <= MAX_POINTER_BYTES)
    .map(([sha]) => sha ?? "");
  if (sizes.status !== "ok" || small.length === 0) return pointers;
  const read = await git.run(top, ["cat-file", "--batch"], lines(small));
  const out = read.stdout;
  for (let at = 0; at < out.length;) {
    const end = out.indexOf(0x0a, at);
    if (end === -1) break;
    const [sha = "", , size] = out.toString("latin1", at, end).split(" ");
    const length = Number(size);
    if (!Number.isSafeInteger(length)) break;
    const pointer = POINTER.exec(out.toString("latin1", end + 1, end + 1 + length));
    if (pointer !== null) pointers.set(sha, { oid: pointer[1] ?? "", size: Number(pointer[2]) });
    at = end + 1 + length + 1;
  }
  return pointers;
}

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join("");
}

/** SHA-256 of a regular file of exactly `size` bytes; null for anything else. */
async function hashFile(file: Buffer, size: number): Promise<string | null> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = await handle.stat();
      if (!facts.isFile() || facts.size !== size) return null;
      const hash = createHash("sha256");
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size));
      for (let done = 0; done < size;) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - done), done);
        if (bytesRead === 0) return null;
        hash.update(chunk.subarray(0, bytesRead));
        done += bytesRead;
      }
      return hash.digest("hex");
    } finally {
      await handle.close();
    }
  } catch (error) {
    throwShortage(error);
    return null;
  }
}
