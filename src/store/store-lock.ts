// One writer at a time (S4): a lock file in the store's root that names its owner. An owner that died on this machine is
// found out at once, one elsewhere by its missing heartbeat, a living one is waited for, up to a bound. No wall clock:
// a waiter measures with its own steady one how long it has seen nothing move, so clocks may jump or disagree.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, rename, unlink, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readLiveness, readOwnIdentity, type ProcessIdentity } from "../io/process-identity.js";
import { asWriteError, ensureFolder } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import { parseLock, renderAnnouncement, renderOwner, type LockText } from "./lock-text.js";

/**
 * Folder in the store's root. `owner` is the lock; `claim.<token>` a writer that wants it; `takeover.<token>.<n>`, for an
 * instant, a writer that replaces the lock of a dead owner.
 */
const LOCK_FOLDER = ".lock";
const WAIT_MS = 30_000;
const TELL_AFTER_MS = 1000;
const HEARTBEAT_MS = 2000;
const LOOK_EVERY_MS = 250;
/** An owner elsewhere that showed no heartbeat for this long is given up. */
const STALE_MS = 10_000;
const MAX_LOCK_BYTES = 1024 * 1024;

/** What a waiting writer is told about, once, after about a second. */
export interface LockWait {
  /** Who holds the lock, in words for a person. */
  readonly owner: string;
  /** How long it will be waited for, in milliseconds. */
  readonly waitMs: number;
}

export interface LockOptions {
  /** Longest wait in milliseconds. Default 30,000. */
  readonly waitMs?: number;
  /** How long an owner on another machine may show no heartbeat, in milliseconds. Default 10,000. */
  readonly staleMs?: number;
  /** Called once, after about a second of waiting. */
  readonly onWait?: (wait: LockWait) => void;
}

/** The lock while it is held. */
export interface HeldLock {
  /** Folders (relative to the store's root) about to be touched: what the next writer looks at if this one dies. */
  readonly announce: (folders: readonly string[]) => Promise<void>;
  /** Throws UsageError `store.lock_lost` when somebody took the lock over meanwhile. Asked right before a commit. */
  readonly assertHeld: () => Promise<void>;
  /** Folders that an owner who died had announced; null when nobody died. */
  readonly abandoned: readonly string[] | null;
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** A lock file as seen at one instant. `beat` changes with every heartbeat and every line. */
type SeenLock = LockText & { readonly beat: string };

async function readLock(file: string): Promise<SeenLock | null> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat({ bigint: true });
    const buffer = Buffer.alloc(Math.min(Number(facts.size), MAX_LOCK_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = parseLock(buffer.toString("utf8", 0, bytesRead));
    return { ...text, beat: `${text.token ?? ""} ${facts.size} ${facts.mtimeNs}` };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw asWriteError(error, file);
  } finally {
    await handle?.close();
  }
}

/** Puts our claim at `file` if nothing is there. The claim is whole from its first instant, as a link to a finished file. */
async function placeClaim(claim: Claim, file: string): Promise<boolean> {
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

interface Claim {
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

async function createClaim(folder: string): Promise<Claim> {
  const own = await readOwnIdentity();
  const token = randomBytes(8).toString("hex");
  const file = path.join(folder, `claim.${token}`);
  const claim = { path: file, token, text: renderOwner(token, own), own };
  await writeClaim(claim);
  return claim;
}

/**
 * Replaces the lock of an owner that is gone. Only one process can ever replace the lock of one owner: the first to place
 * a claim named after that owner's token. Null when it was somebody else.
 */
async function takeOver(lockFile: string, dead: SeenLock, claim: Claim): Promise<readonly string[] | null> {
  const name = path.join(path.dirname(lockFile), `takeover.${dead.token ?? "unknown"}`);
  for (let n = 0; n < 100; n += 1) {
    const guard = `${name}.${n}`;
    if (await placeClaim(claim, guard)) {
      try {
        const now = await readLock(lockFile);
        if (now === null || now.token !== dead.token) return null;
        await rename(claim.path, lockFile).catch((error: unknown) => {
          throw asWriteError(error, lockFile);
        });
        return now.announced;
      } finally {
        await unlink(guard).catch(() => undefined);
      }
    }
    // Somebody is at it; if that one died in the middle, the next number is free to be won.
    const other = await readLock(guard);
    if (other === null || other.owner === null || (await readLiveness(other.owner, claim.own)) !== "dead")
      return null;
  }
  return null;
}

/** Removes what writers that died while they waited or took over have left. The caller holds the lock. */
async function clearDeadClaims(lockFile: string, own: ProcessIdentity): Promise<void> {
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

/** True while somebody holds the lock, or died holding it. */
export async function isLocked(out: string): Promise<boolean> {
  return (await readLock(path.join(out, LOCK_FOLDER, "owner")).catch(() => null)) !== null;
}

function describeOwner(lock: LockText | null): string {
  const owner = lock?.owner ?? null;
  return owner === null ? "an unknown process" : `process ${owner.pid} on ${owner.host}`;
}

function lockedError(lockFile: string, seen: SeenLock | null, waitMs: number): UsageError {
  return new UsageError(
    "store.locked",
    `the store is in use by ${describeOwner(seen)}; gave up after ${Math.round(waitMs / 1000)} s`,
    "run it again later; if that process hangs, end it: the lock of a process that is gone is taken over",
    { path: lockFile },
  );
}

/** Waits until the lock is ours. Gives what a dead owner had announced, null when nobody died. */
async function acquire(
  lockFile: string,
  claim: Claim,
  { waitMs = WAIT_MS, staleMs = STALE_MS, onWait }: LockOptions,
): Promise<readonly string[] | null> {
  const start = performance.now();
  let told = false;
  let seen: SeenLock | null = null;
  let beat: string | undefined;
  let movedAt = start;
  let lookAt = start;
  for (let pause = 4; ; pause = Math.min(pause * 1.5, 60)) {
    if (await placeClaim(claim, lockFile)) return null;
    const now = performance.now();
    // Who has it is looked at from time to time only: many may be waiting.
    if (now >= lookAt) {
      lookAt = now + LOOK_EVERY_MS;
      const found: SeenLock | null = await readLock(lockFile);
      if (found?.beat !== beat) movedAt = now;
      beat = found?.beat;
      seen = found;
      const owner = seen?.owner ?? null;
      const liveness = owner === null ? "unknown" : await readLiveness(owner, claim.own);
      const isStale = liveness === "dead" || (liveness === "unknown" && now - movedAt >= staleMs);
      if (seen !== null && isStale) {
        const abandoned = await takeOver(lockFile, seen, claim);
        if (abandoned !== null) return abandoned;
      }
    }
    if (now - start >= waitMs) throw lockedError(lockFile, seen, waitMs);
    if (!told && now - start >= TELL_AFTER_MS) {
      told = true;
      onWait?.({ owner: describeOwner(seen), waitMs });
    }
    // Uneven steps, so that waiters do not march in step.
    await delay(pause * (0.5 + Math.random()));
  }
}

/**
 * Runs `work` while holding the lock of the store at `out` (which must exist) and gives its result.
 * Throws UsageError `store.locked` (exit 2) when the lock cannot be had in time.
 */
export async function withStoreLock<T>(
  out: string,
  options: LockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const folder = path.join(out, LOCK_FOLDER);
  const lockFile = path.join(folder, "owner");
  await ensureFolder(folder, { base: out });
  const claim = await createClaim(folder);
  let abandoned: readonly string[] | null;
  try {
    abandoned = await acquire(lockFile, claim, options);
  } finally {
    await unlink(claim.path).catch(() => undefined);
  }
  const isOurs = async (): Promise<boolean> => (await readLock(lockFile))?.token === claim.token;
  let handle: FileHandle | null = null;
  let heartbeat: NodeJS.Timeout | null = null;
  try {
    // Written through the open file: should somebody take the lock over, this never touches theirs.
    const opened = await open(lockFile, "a").catch((error: unknown) => {
      throw asWriteError(error, lockFile);
    });
    handle = opened;
    heartbeat = setInterval(() => {
      opened.appendFile("\n").catch(() => undefined);
    }, HEARTBEAT_MS);
    heartbeat.unref();
    await clearDeadClaims(lockFile, claim.own);
    return await work({
      abandoned,
      announce: async (folders) => {
        await opened.appendFile(renderAnnouncement(folders)).catch((error: unknown) => {
          throw asWriteError(error, lockFile);
        });
      },
      assertHeld: async () => {
        if (await isOurs()) return;
        throw new UsageError(
          "store.lock_lost",
          "another process took the store's lock over, because this one gave no sign of life; nothing was published",
          "run it again",
          { path: lockFile },
        );
      },
    });
  } finally {
    if (heartbeat !== null) clearInterval(heartbeat);
    await handle?.close();
    if (await isOurs().catch(() => false)) await unlink(lockFile).catch(() => undefined);
  }
}
