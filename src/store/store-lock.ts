// One writer at a time (S4): a lock file in the store's root that names its owner. A dead owner is found out, a living
// one waited for, up to a bound.

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

/**
 * Runs `work` while holding the lock of the store at `out` (which must exist) and gives its result.
 * Throws UsageError `store.locked` (exit 2) when the lock cannot be had in time.
 */
export async function withStoreLock<T>(
  out: string,
  options: LockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  throw new Error(`not yet: ${out} ${options.waitMs ?? 0} ${work.name}`);
}
