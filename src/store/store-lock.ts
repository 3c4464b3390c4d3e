// One writer at a time (S4): a lock file in the store's root that names its owner. An owner that died on this machine is
// found out at once, one elsewhere by its missing heartbeat, a living one is waited for, up to a bound. No wall clock:
// a waiter measures with its own steady one how long it has seen nothing move, so clocks may jump or disagree.
import { open, unlink, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readLiveness, readOwnIdentity, type ProcessIdentity } from "../io/process-identity.js";
import { asWriteError, ensureFolder } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import {
  clearDeadClaims,
  createClaim,
  placeClaim,
  readLock,
  takeOver,
  type Claim,
  type SeenLock,
} from "./lock-claims.js";
import { renderAnnouncement, type LockText } from "./lock-text.js";

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

/** True while somebody holds the lock, or died holding it. */
export async function isLocked(out: string): Promise<boolean> {
  return (await readLock(path.join(out, LOCK_FOLDER, "owner")).catch(() => null)) !== null;
}

/** True when the last writer died on this machine before it had finished: what it left wants the next one. */
export async function isAbandoned(out: string): Promise<boolean> {
  const seen = await readLock(path.join(out, LOCK_FOLDER, "owner")).catch(() => null);
  const owner = seen?.owner ?? null;
  return owner !== null && (await readLiveness(owner, await readOwnIdentity())) === "dead";
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

/** Milliseconds by a clock that never goes back. */
const clock = (): number => process.uptime() * 1000;

/** Tells whether whoever placed a claim is gone. */
type IsGone = (file: string, seen: SeenLock) => Promise<boolean>;

/**
 * An owner that died here is known at once; of any other one somebody has to have seen nothing move for `staleMs`, and remembers
 * since when by the claim's place.
 */
function watchOwners(own: ProcessIdentity, staleMs: number): IsGone {
  const still = new Map<string, { readonly beat: string; readonly since: number }>();
  return async (file, { owner, beat }) => {
    const now = clock();
    const known = still.get(file);
    const since = known?.beat === beat ? known.since : now;
    still.set(file, { beat, since });
    const liveness = owner === null ? "unknown" : await readLiveness(owner, own);
    return liveness === "dead" || (liveness === "unknown" && now - since >= staleMs);
  };
}

/** Waits until the lock is ours. Gives what a dead owner had announced, null when nobody died. */
async function acquire(
  lockFile: string,
  claim: Claim,
  { waitMs = WAIT_MS, staleMs = STALE_MS, onWait }: LockOptions,
): Promise<readonly string[] | null> {
  const start = clock();
  let told = false;
  let seen: SeenLock | null = null;
  let lookAt = start;
  const isGone = watchOwners(claim.own, staleMs);
  for (let pause = 4; ; pause = Math.min(pause * 1.5, 60)) {
    if (await placeClaim(claim, lockFile)) return null;
    const now = clock();
    // Who has it is looked at from time to time only: many may be waiting.
    if (now >= lookAt) {
      lookAt = now + LOOK_EVERY_MS;
      seen = await readLock(lockFile);
      if (seen !== null && (await isGone(lockFile, seen))) {
        const abandoned = await takeOver(lockFile, seen, claim, isGone);
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
