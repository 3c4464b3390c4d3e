// Which command ids a log has shown (P14), in bounded memory: exact for the newest million ids, forgetful past two.

/** Remembers ids; the table behind it may be ours or the kernel's. */
export interface SeenIds {
  /** Notes an id; a number is another id than its digits as text. True when it was there already. */
  seen(id: string | number): boolean;
}

/** Ids that are surely remembered. */
export const IDS_REMEMBERED = 1_000_000;

/** Two generations of ids: when the young one is full it becomes the old one, and the old one is dropped. */
export class RecentIds implements SeenIds {
  #young = new Set<string | number>();
  #old = new Set<string | number>();

  constructor(readonly remembered = IDS_REMEMBERED) {}

  seen(id: string | number): boolean {
    if (this.#young.has(id) || this.#old.has(id)) return true;
    if (this.#young.size >= this.remembered) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(id);
    return false;
  }
}
