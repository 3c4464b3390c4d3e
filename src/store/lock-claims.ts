// The files a lock is made of: claims, each whole from its first instant, one of which is the lock's. Who may replace the
// lock of a dead owner is decided by a claim too, so that it is only ever one.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { link, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "../io/has-code.js";
import { readLiveness, readOwnIdentity, type ProcessIdentity } from "../io/process-identity.js";
import { asWriteError } from "../io/write-atomic.js";
import { parseLock, renderAnnouncement, renderOwner, type LockText } from "./lock-text.js";

const MAX_LOCK_BYTES = 1024 * 1024;

/** A lock file as seen at one instant. `beat` changes with every heartbeat and every line. */
export type SeenLock = LockText & { readonly beat: string };

/** Reads a lock or a claim; null: there is none. Throws UsageError. */
export async function readLock(file: string): Promise<SeenLock | null> {
  let fd: number | null = null;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = fstatSync(fd, { bigint: true });
    const buffer = Buffer.alloc(Math.min(Number(facts.size), MAX_LOCK_BYTES));
    const bytesRead = readSync(fd, buffer, 0, buffer.length, 0);
    const text = parseLock(buffer.toString("utf8", 0, bytesRead));
    return { ...text, beat: `${text.token ?? ""} ${facts.size} ${facts.mtimeNs}` };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw asWriteError(error, file);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Puts our claim at `file` if nothing is there. The claim is whole from its first instant, as a link to a finished file. */
export async function placeClaim(claim: Claim, file: string): Promise<boolean> {
  try {
    await link(claim.path, file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (hasCode(error, "ENOENT")) {
      // Cleared away as a dead writer's while it was still empty: once more.
      await writeClaim(claim);
      return false;
    }
    if (!hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"))
      throw asWriteError(error, file);
  }
  // A file system without hard links: for an instant the claim is empty, and counts as one of unknown owner.
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(claim.text).finally(() => handle.close());
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw asWriteError(error, file);
  }
}

/** A writer's wish for the lock: a finished file of its own. */
export interface Claim {
  readonly path: string;
  readonly token: string;
  readonly text: string;
  readonly own: ProcessIdentity;
}

async function writeClaim({ path: file, text }: Claim): Promise<void> {
  try {
    const handle = await open(file, "w");
    await handle.writeFile(text).finally(() => handle.close());
  } catch (error) {
    await unlink(file).catch(() => undefined);
    throw asWriteError(error, path.dirname(file));
  }
}

/** Writes a claim of this process into the lock's folder. Throws UsageError. */
export async function createClaim(folder: string): Promise<Claim> {
  const own = await readOwnIdentity();
  const token = randomBytes(8).toString("hex");
  const file = path.join(folder, `claim.${token}`);
  const claim = { path: file, token, text: renderOwner(token, own), own };
  await writeClaim(claim);
  return claim;
}

/** What a dead owner left undone is ours to do from the first instant: we may die over it, too. */
async function inherit(claim: Claim, announced: readonly string[]): Promise<void> {
  if (announced.length === 0) return;
  const handle = await open(claim.path, constants.O_WRONLY | constants.O_APPEND);
  await handle.appendFile(renderAnnouncement(announced)).finally(() => handle.close());
}

/**
 * Replaces the lock of an owner that is gone. Only one process can ever replace the lock of one owner: the first to place
 * a claim named after that owner's token. Null when it was somebody else.
 * @param isGone whether whoever placed the claim at this place is gone
 */
export async function takeOver(
  lockFile: string,
  dead: SeenLock,
  claim: Claim,
  isGone: (file: string, seen: SeenLock) => Promise<boolean>,
): Promise<readonly string[] | null> {
  const name = path.join(path.dirname(lockFile), `takeover.${dead.token ?? "unknown"}`);
  for (let n = 0; n < 100; n += 1) {
    const guard = `${name}.${n}`;
    if (await placeClaim(claim, guard)) {
      try {
        const now = await readLock(lockFile);
        if (now === null || now.token !== dead.token) return null;
        try {
          await inherit(claim, now.announced);
          await rename(claim.path, lockFile);
        } catch (error) {
          throw asWriteError(error, lockFile);
        }
        return now.announced;
      } finally {
        await unlink(guard).catch(() => undefined);
      }
    }
    // Somebody is at it; if that one died in the middle, the next number is free to be won.
    const other = await readLock(guard);
    if (other === null || !(await isGone(guard, other))) return null;
  }
  return null;
}

/** Removes what writers that died while they waited or took over have left. The caller holds the lock. */
export async function clearDeadClaims(lockFile: string, own: ProcessIdentity): Promise<void> {
  const folder = path.dirname(lockFile);
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const file = path.join(folder, name);
    if (file === lockFile) continue;
    const claim = await readLock(file).catch(() => null);
    if (claim === null) continue;
    // One without an owner was cut short, or is being written this instant: its writer then writes it again.
    if (claim.owner === null || (await readLiveness(claim.owner, own)) === "dead")
      await unlink(file).catch(() => undefined);
  }
}
