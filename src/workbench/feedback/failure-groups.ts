// Every nonzero record in groups of (command key, exit code) (P15, P17). The number of groups in detail is bounded; past the
// bound the group resolved longest ago, else the one that failed longest ago, is folded: it goes on being counted, and comes
// back when it fails again. Counts of groups and of the folded always add up to the number of nonzero records.
import { FoldedGroups, hashKey, type FoldedGroupsState, type KeyHash } from "./folded-groups.js";
import { GroupQueue, type HeldGroup, type QueuedGroup } from "./group-queue.js";
import { LineTrack, type LineTrackState } from "./line-track.js";

/** Where a record's bytes are: enough to read it again, so that nothing of a record need stay in memory. */
export interface RecordRef {
  /** Index in the scan's list of files. */
  readonly file: number;
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Bytes of the line, its end aside. */
  readonly length: number;
  readonly line: number;
}

type GroupState = Omit<HeldGroup, "lines"> & { readonly lines: LineTrackState };

/** {@link FailureGroups} as the cursor stores it; `groups` holds the resolved ones first, each kind in its own order. */
export interface FailureGroupsState {
  readonly groups: readonly GroupState[];
  readonly folded: FoldedGroupsState;
  readonly order: number;
}

/** Told which command keys have an unresolved failure, so that others may be passed over. */
export interface KeyWatcher {
  watch(key: string): void;
  unwatch(key: string): void;
  /** From now on every key is watched: there are some whose text is not known. */
  watchAll(): void;
}

/** The groups of one command key in detail, ordered by last failure, and how many of them are unresolved. */
interface KeyGroups {
  readonly groups: QueuedGroup[];
  open: number;
  /** Whether any group of the key is unresolved, in detail or folded. */
  watched: boolean;
  /** The key's hash, once it was needed. */
  low: number;
  high: number;
  hashed: boolean;
}

export class FailureGroups {
  /** Ordered by last failure. */
  readonly #open = new GroupQueue();
  /** Ordered by when they were resolved. */
  readonly #resolved = new GroupQueue();
  readonly #byKey = new Map<string, KeyGroups>();
  readonly #folded: FoldedGroups;
  #size = 0;
  #order = 0;
  /** The group folded last, to be used again: where groups come and go all the time there is no garbage. */
  #spare: QueuedGroup | null = null;
  #spareKey: KeyGroups | null = null;

  /** @param limit groups kept in detail; at least one. @param foldedLimit see {@link FoldedGroups}. */
  constructor(
    readonly limit: number,
    readonly watcher: KeyWatcher | null,
    foldedLimit?: number,
  ) {
    this.#folded = new FoldedGroups(foldedLimit);
  }

  /** Counts a nonzero record. */
  addFailure(key: string, exit_code: number | null, ref: RecordRef): void {
    const sameKey = this.#groupsOf(key);
    let group: QueuedGroup | null = null;
    for (const other of sameKey.groups) if (other.exit_code === exit_code) group = other;
    const known = group !== null;
    if (group === null) group = this.#enter(key, exit_code, sameKey, ref);
    else this.#takeOut(group, sameKey);
    group.count += 1;
    group.lines.add(ref.file, ref.line);
    // Copied in place: a failure should leave no garbage behind.
    group.last.file = ref.file;
    group.last.offset = ref.offset;
    group.last.length = ref.length;
    group.last.line = ref.line;
    group.order = this.#order;
    this.#order += 1;
    group.resolved_at = null;
    this.#putOpen(group, sameKey);
    if (!known && this.#size > Math.max(1, this.limit)) this.#foldOldest();
  }

  /** A group that is new in detail: either new at all, or folded before. It is in no queue yet. */
  #enter(key: string, exit_code: number | null, sameKey: KeyGroups, ref: RecordRef): QueuedGroup {
    const group = this.#spare ?? {
      key,
      exit_code,
      count: 0,
      lines: new LineTrack(),
      first: [0, 0],
      last: { file: 0, offset: 0, length: 0, line: 0 },
      order: 0,
      resolved_at: null,
      before: null,
      after: null,
    };
    this.#spare = null;
    group.key = key;
    group.exit_code = exit_code;
    const before = this.#folded.isEmpty ? null : this.#folded.take(hashOf(key, sameKey), exit_code);
    group.count = group.lines.startAfter(before?.counts ?? []);
    group.first[0] = before === null ? ref.file : before.first[0];
    group.first[1] = before === null ? ref.line : before.first[1];
    this.#size += 1;
    return group;
  }

  #groupsOf(key: string): KeyGroups {
    let sameKey = this.#byKey.get(key);
    if (sameKey === undefined) {
      sameKey = this.#spareKey ?? { groups: [], open: 0, watched: false, low: 0, high: 0, hashed: false };
      this.#spareKey = null;
      sameKey.watched = false;
      sameKey.hashed = false;
      if (this.#folded.open > 0) sameKey.watched = this.#folded.openOf(hashOf(key, sameKey)) > 0;
      this.#byKey.set(key, sameKey);
    }
    return sameKey;
  }

  #takeOut(group: QueuedGroup, sameKey: KeyGroups): void {
    if (group.resolved_at === null) {
      this.#open.remove(group);
      sameKey.open -= 1;
    } else this.#resolved.remove(group);
    const { groups } = sameKey;
    // Mostly it is the last, and only, one.
    if (groups.at(-1) === group) groups.pop();
    else groups.splice(groups.indexOf(group), 1);
  }

  #putOpen(group: QueuedGroup, sameKey: KeyGroups): void {
    this.#open.push(group);
    sameKey.groups.push(group);
    sameKey.open += 1;
    if (!sameKey.watched) {
      sameKey.watched = true;
      this.watcher?.watch(group.key);
    }
  }

  #foldOldest(): void {
    const group = this.#resolved.first ?? this.#open.first;
    const sameKey = group === null ? undefined : this.#byKey.get(group.key);
    if (group === null || sameKey === undefined) return;
    this.#takeOut(group, sameKey);
    this.#size -= 1;
    const { key, exit_code, first, lines, resolved_at } = group;
    const counts = lines.counts();
    this.#folded.put(hashOf(key, sameKey), exit_code, { counts, first }, resolved_at !== null);
    this.#settleKey(key, sameKey);
    this.#spare = group;
  }

  /** Stops watching a key without unresolved groups, forgets one without any in detail. */
  #settleKey(key: string, sameKey: KeyGroups): void {
    if (sameKey.watched && sameKey.open === 0 && this.#openFolded(key, sameKey) === 0) {
      sameKey.watched = false;
      this.watcher?.unwatch(key);
    }
    if (sameKey.groups.length > 0) return;
    this.#byKey.delete(key);
    this.#spareKey = sameKey;
  }

  #openFolded(key: string, sameKey: KeyGroups): number {
    return this.#folded.open === 0 ? 0 : this.#folded.openOf(hashOf(key, sameKey));
  }

  /** Notes a success: resolves every group of that key (P17). */
  addSuccess(key: string, file: number, line: number): void {
    const sameKey = this.#byKey.get(key);
    if (sameKey === undefined) {
      if (this.#folded.open > 0 && this.#folded.resolve(hashKey(key))) this.watcher?.unwatch(key);
      return;
    }
    if (!sameKey.watched) return;
    for (const group of sameKey.groups) {
      if (group.resolved_at !== null) continue;
      this.#open.remove(group);
      group.resolved_at = [file, line];
      this.#resolved.push(group);
    }
    sameKey.open = 0;
    if (this.#folded.open > 0) this.#folded.resolve(hashOf(key, sameKey));
    this.#settleKey(key, sameKey);
  }

  /** All groups kept in detail, in order of their last failure. */
  inOrder(): readonly HeldGroup[] {
    return [...this.#resolved, ...this.#open].sort((a, b) => a.order - b.order);
  }

  get folded(): { readonly groups: number; readonly records: number; readonly unresolved_groups: number } {
    return this.#folded.totals;
  }

  save(): FailureGroupsState {
    return {
      groups: [...this.#resolved, ...this.#open].map(({ before: _before, after: _after, ...group }) => ({
        ...group,
        lines: group.lines.save(),
      })),
      folded: this.#folded.save(),
      order: this.#order,
    };
  }

  /** The memory of the folded groups, to be stored beside the state. */
  parts(): readonly Buffer[] {
    return this.#folded.parts();
  }

  /** Prepares a fresh table for a saved state: its {@link parts} are then filled in by the caller, who calls {@link restore}. */
  makeRoom(state: FailureGroupsState): void {
    this.#folded.restore(state.folded);
  }

  /** Takes over a saved state. */
  restore(state: FailureGroupsState): void {
    this.#folded.index();
    // Of what is folded only hashes are known, so nobody can say which commands matter.
    if (this.#folded.open > 0) this.watcher?.watchAll();
    this.#order = state.order;
    for (const saved of state.groups) {
      const group: QueuedGroup = {
        ...saved,
        last: { ...saved.last },
        lines: LineTrack.restore(saved.lines),
        before: null,
        after: null,
      };
      const sameKey = this.#groupsOf(group.key);
      this.#size += 1;
      if (group.resolved_at === null) this.#putOpen(group, sameKey);
      else {
        this.#resolved.push(group);
        sameKey.groups.push(group);
      }
    }
    for (const { groups } of this.#byKey.values()) groups.sort((a, b) => a.order - b.order);
  }
}

function hashOf(key: string, sameKey: KeyGroups): KeyHash {
  if (!sameKey.hashed) {
    const { low, high } = hashKey(key);
    sameKey.low = low;
    sameKey.high = high;
    sameKey.hashed = true;
  }
  return sameKey;
}
