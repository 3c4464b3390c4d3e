// The failure groups whose detail was dropped (P15), each as a hash and a few numbers: enough to go on counting them, to
// take them back when they fail again, and to see them resolved (P17). Exact up to the bound; past it, records stay exact.
import { HashedRows } from "./hashed-rows.js";

/** Rows kept: one for each folded group and each file it failed in. */
const MOST_ROWS = 262_144;

/** 64 bits of a command key. */
export interface KeyHash {
  readonly low: number;
  readonly high: number;
}

/** What a folded group still knows. */
export interface FoldedGroup {
  /** Indexes of files, each followed by the records in it. */
  readonly counts: readonly number[];
  readonly first: readonly [file: number, line: number];
}

/** {@link FoldedGroups} as the cursor stores it, its rows aside. */
export interface FoldedGroupsState {
  readonly groups: number;
  readonly records: number;
  readonly unresolved: number;
  readonly lost: { readonly groups: number; readonly records: number; readonly unresolved: number };
  readonly group_rows: number;
  readonly key_rows: number;
}

/** Fields of a group's row. `epoch` is its key's as long as it is unresolved; `line` is set in the row of its first file. */
const GROUP = { epoch: 0, count: 1, line: 2, file: 3 } as const;
/** Fields of a key's row. The epoch moves on with every success, which resolves all of the key's groups at once. */
const KEY = { epoch: 0, groups: 1, open: 2 } as const;

/** Two independent sums over the key's UTF-16 units, each mixed to 32 bits. */
export function hashKey(key: string): KeyHash {
  let low = 0x2c1b3c6d ^ key.length;
  let high = 0x297a2d39 ^ key.length;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul((high ^ unit) + (high >>> 15), 0x85ebca6b);
    low ^= low >>> 16;
  }
  return { low: mix(low, high >>> 7), high: mix(high, low) };
}

function mix(value: number, other: number): number {
  let mixed = Math.imul(value ^ (value >>> 16) ^ other, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The hash of a key's group with this exit. Null is none of the numbers that a safe integer's upper half can be. */
function hashGroup({ low, high }: KeyHash, exit: number | null): KeyHash {
  const [lower, upper] = exit === null ? [0, 0x40000000] : [exit | 0, Math.floor(exit / 2 ** 32)];
  const mixed = mix(Math.imul(lower, 0x9e3779b1), upper);
  return { low: mix(low, mixed), high: mix(high ^ Math.imul(lower, 0xc2b2ae35), ~mixed) };
}

export class FoldedGroups {
  readonly #groups: HashedRows;
  readonly #keys: HashedRows;
  #count = 0;
  #records = 0;
  #open = 0;
  /** Past the bound: counted, and never heard of again. */
  #lost = { groups: 0, records: 0, unresolved: 0 };

  constructor(readonly limit = MOST_ROWS) {
    this.#groups = new HashedRows(4, limit);
    this.#keys = new HashedRows(3, limit);
  }

  get totals(): { readonly groups: number; readonly records: number; readonly unresolved_groups: number } {
    return {
      groups: this.#count + this.#lost.groups,
      records: this.#records + this.#lost.records,
      unresolved_groups: this.#open + this.#lost.unresolved,
    };
  }

  /** Whether any group can be taken back. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Unresolved groups that a success can still resolve: of all keys, or of one. */
  get open(): number {
    return this.#open;
  }
  openOf({ low, high }: KeyHash): number {
    const row = this.#open === 0 ? -1 : this.#keys.find(low, high);
    return row === -1 ? 0 : this.#keys.get(row, KEY.open);
  }

  put(key: KeyHash, exit: number | null, group: FoldedGroup, resolved: boolean): void {
    let records = 0;
    const { counts, first } = group;
    for (let at = 1; at < counts.length; at += 2) records += counts[at] ?? 0;
    if (this.#groups.size + counts.length / 2 > this.limit) {
      this.#lost.groups += 1;
      this.#lost.records += records;
      if (!resolved) this.#lost.unresolved += 1;
      return;
    }
    let keyRow = this.#keys.find(key.low, key.high);
    if (keyRow === -1) keyRow = this.#keys.add(key.low, key.high);
    const epoch = this.#keys.get(keyRow, KEY.epoch);
    this.#keys.set(keyRow, KEY.groups, this.#keys.get(keyRow, KEY.groups) + 1);
    if (!resolved) this.#keys.set(keyRow, KEY.open, this.#keys.get(keyRow, KEY.open) + 1);
    const { low, high } = hashGroup(key, exit);
    for (let at = 0; at < counts.length; at += 2) {
      const file = counts[at] ?? 0;
      const row = this.#groups.add(low, high);
      this.#groups.set(row, GROUP.epoch, resolved ? epoch - 1 : epoch);
      this.#groups.set(row, GROUP.count, counts[at + 1] ?? 0);
      this.#groups.set(row, GROUP.line, file === first[0] ? first[1] : 0);
      this.#groups.set(row, GROUP.file, file);
    }
    this.#count += 1;
    this.#records += records;
    if (!resolved) this.#open += 1;
  }

  /** Takes a group out, because it failed again. Null when it is not known here. */
  take(key: KeyHash, exit: number | null): FoldedGroup | null {
    const { low, high } = hashGroup(key, exit);
    let row = this.#groups.find(low, high);
    const keyRow = row === -1 ? -1 : this.#keys.find(key.low, key.high);
    if (keyRow === -1) return null;
    const resolved = this.#groups.get(row, GROUP.epoch) !== this.#keys.get(keyRow, KEY.epoch);
    const counts: number[] = [];
    let first: readonly [number, number] = [0, 0];
    for (; row !== -1; row = this.#groups.find(low, high)) {
      const [file, line] = [this.#groups.get(row, GROUP.file), this.#groups.get(row, GROUP.line)];
      const count = this.#groups.get(row, GROUP.count);
      counts.push(file, count);
      this.#records -= count;
      if (line !== 0) first = [file, line];
      this.#groups.remove(row);
    }
    this.#count -= 1;
    if (!resolved) {
      this.#open -= 1;
      this.#keys.set(keyRow, KEY.open, this.#keys.get(keyRow, KEY.open) - 1);
    }
    const left = this.#keys.get(keyRow, KEY.groups) - 1;
    if (left === 0) this.#keys.remove(keyRow);
    else this.#keys.set(keyRow, KEY.groups, left);
    return { counts, first };
  }

  /** Notes a success of the key. True when a group was unresolved until now. */
  resolve({ low, high }: KeyHash): boolean {
    const row = this.#open === 0 ? -1 : this.#keys.find(low, high);
    const open = row === -1 ? 0 : this.#keys.get(row, KEY.open);
    if (open === 0) return false;
    this.#keys.set(row, KEY.open, 0);
    this.#keys.set(row, KEY.epoch, this.#keys.get(row, KEY.epoch) + 1);
    this.#open -= open;
    return true;
  }

  save(): FoldedGroupsState {
    return {
      groups: this.#count,
      records: this.#records,
      unresolved: this.#open,
      lost: this.#lost,
      group_rows: this.#groups.size,
      key_rows: this.#keys.size,
    };
  }

  /** The memory of the rows, to be stored beside the state. */
  parts(): readonly Buffer[] {
    return [this.#groups.bytes(), this.#keys.bytes()].filter(({ length }) => length > 0);
  }

  /** Takes over a saved state, only on an empty table; the caller fills {@link parts}, then calls {@link index}. */
  restore(state: FoldedGroupsState): void {
    this.#count = state.groups;
    this.#records = state.records;
    this.#open = state.unresolved;
    this.#lost = { ...state.lost };
    this.#groups.makeRoom(state.group_rows);
    this.#keys.makeRoom(state.key_rows);
  }

  index(): void {
    this.#groups.index();
    this.#keys.index();
  }
}
