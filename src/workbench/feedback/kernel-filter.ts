// Tells the kernel which commands may matter, so that the success of any other passes without JSON.parse.
// Why this is safe. The kernel hands back every line whose command holds a backslash, a control or a byte beyond ASCII, and
// every command in one string that holds a single quote. For the rest, making the key only adds or removes blanks, quotes
// and backslashes at places that are no letter or digit anyway: between words, around words, at a quote inside an argv's
// word. So the runs of letters and digits of the command as it stands in the log are those of its key, and a sum over
// neighbouring pairs, in which everything else counts as zero, is equal where the keys are. A line whose sum is that of a
// watched key is handed back; no other can be a watched command.
import type { KeyWatcher } from "./failure-groups.js";
import type { Kernel } from "./kernel-memory.js";

function letterAt(key: string, at: number): number {
  const c = key.charCodeAt(at);
  const letter = (c | 0x20) - 0x61;
  const digit = c - 0x30;
  return c <= 0x7f && ((letter >= 0 && letter < 26) || (digit >= 0 && digit < 10)) ? c : 0;
}

/** The kernel's `letterHash` of a key: 18 bits. */
function letterHash(key: string): number {
  let sum = 0;
  for (let at = -1; at < key.length; at += 1) {
    const pair = Math.imul(letterAt(key, at), 0x6b5d) + Math.imul(letterAt(key, at + 1), 0x2c9f);
    const signed = (pair << 16) >> 16;
    sum = (sum + Math.imul(signed, signed)) | 0;
  }
  return (Math.imul(sum, 0x9e3779b1) >>> 0) >>> 14;
}

/** How many hashes there are. */
const HASHES = 2 ** 18;

/** Commands fail and pass again and again: their hashes are remembered. */
const HASHES_REMEMBERED = 16_384;

export class KernelFilter implements KeyWatcher {
  /** Watched keys of each hash; a key may be watched for two reasons. */
  readonly #counts = new Uint32Array(HASHES);
  #all = false;

  readonly #hashes = new Map<string, number>();

  constructor(readonly kernel: Kernel) {}

  #hashOf(key: string): number {
    let hash = this.#hashes.get(key);
    if (hash !== undefined) return hash;
    hash = letterHash(key);
    if (this.#hashes.size >= HASHES_REMEMBERED) this.#hashes.clear();
    this.#hashes.set(key, hash);
    return hash;
  }

  watch(key: string): void {
    this.#change(key, 1);
  }

  unwatch(key: string): void {
    this.#change(key, -1);
  }

  watchAll(): void {
    this.#all = true;
    this.kernel.filter.fill(0xff);
    this.kernel.filterCount = HASHES;
  }

  #change(key: string, by: 1 | -1): void {
    if (this.#all) return;
    const hash = this.#hashOf(key);
    const count = (this.#counts[hash] ?? 0) + by;
    this.#counts[hash] = count;
    const cell = hash >> 3;
    const bit = 1 << (hash & 7);
    const byte = this.kernel.filter[cell] ?? 0;
    if (by === 1 && count === 1) {
      this.kernel.filter[cell] = byte | bit;
      this.kernel.filterCount += 1;
    } else if (by === -1 && count === 0) {
      this.kernel.filter[cell] = byte & ~bit;
      this.kernel.filterCount -= 1;
    }
  }
}
