// Every nonzero record in groups of (command key, exit code) (P15, P17). The number of groups is bounded; past the bound
// the group resolved longest ago, else the one that failed longest ago, is folded into a counted remainder, so that the
// counts of the groups and of the remainder always add up to the number of nonzero records.
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

/** A group as the scan holds it. */
export interface HeldGroup {
  readonly key: string;
  readonly exit_code: number | null;
  count: number;
  readonly lines: LineTrack;
  readonly first: readonly [file: number, line: number];
  readonly last: { file: number; offset: number; length: number; line: number };
  /** Position of the last failure among all failures, for order. */
  order: number;
  resolved_at: readonly [file: number, line: number] | null;
}

type GroupState = Omit<HeldGroup, "lines"> & { readonly lines: LineTrackState };

/** {@link FailureGroups} as the cursor stores it; `groups` holds the resolved ones first, each kind in its own order. */
export interface FailureGroupsState {
  readonly groups: readonly GroupState[];
  readonly folded: { groups: number; records: number; unresolved_groups: number };
  readonly order: number;
}

/** Told which command keys have an unresolved failure, so that others may be passed over. */
export interface KeyWatcher {
  watch(key: string): void;
  unwatch(key: string): void;
}

/** A group in its queue. */
interface Queued extends HeldGroup {
  before: Queued | null;
  after: Queued | null;
}

/** Groups in an order that changes all the time: each may leave from anywhere and joins at the end. */
class GroupQueue {
  first: Queued | null = null;
  #last: Queued | null = null;

  push(group: Queued): void {
    group.before = this.#last;
    group.after = null;
    if (this.#last === null) this.first = group;
    else this.#last.after = group;
    this.#last = group;
  }

  remove(group: Queued): void {
    if (group.before === null) this.first = group.after;
    else group.before.after = group.after;
    if (group.after === null) this.#last = group.before;
    else group.after.before = group.before;
  }

  *[Symbol.iterator](): Generator<Queued> {
    for (let group = this.first; group !== null; group = group.after) yield group;
  }
}

/** The groups of one command key, ordered by last failure, and how many of them are unresolved. */
interface KeyGroups {
  readonly groups: Queued[];
  open: number;
  watched: boolean;
}

export class FailureGroups {
  /** Ordered by last failure. */
  readonly #open = new GroupQueue();
  /** Ordered by when they were resolved. */
  readonly #resolved = new GroupQueue();
  readonly #byKey = new Map<string, KeyGroups>();
  #size = 0;
  #folded = { groups: 0, records: 0, unresolved_groups: 0 };
  #order = 0;

  /** @param limit groups kept; at least one. */
  constructor(
    readonly limit: number,
    readonly watcher: KeyWatcher | null,
  ) {}

  /** Counts a nonzero record. */
  addFailure(key: string, exit_code: number | null, ref: RecordRef): void {
    const sameKey = this.#groupsOf(key);
    let group: Queued | null = null;
    for (const other of sameKey.groups) if (other.exit_code === exit_code) group = other;
    const known = group !== null;
    if (group === null) {
      const [lines, first] = [new LineTrack(), [ref.file, ref.line] as const];
      group = {
        key,
        exit_code,
        count: 0,
        lines,
        first,
        last: { ...ref },
        order: 0,
        resolved_at: null,
        before: null,
        after: null,
      };
      this.#size += 1;
    } else this.#takeOut(group, sameKey);
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

  #groupsOf(key: string): KeyGroups {
    let sameKey = this.#byKey.get(key);
    if (sameKey === undefined) {
      sameKey = { groups: [], open: 0, watched: false };
      this.#byKey.set(key, sameKey);
    }
    return sameKey;
  }

  #takeOut(group: Queued, sameKey: KeyGroups): void {
    if (group.resolved_at === null) {
      this.#open.remove(group);
      sameKey.open -= 1;
    } else this.#resolved.remove(group);
    const { groups } = sameKey;
    // Mostly it is the last, and only, one.
    if (groups.at(-1) === group) groups.pop();
    else groups.splice(groups.indexOf(group), 1);
  }

  #putOpen(group: Queued, sameKey: KeyGroups): void {
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
    this.#folded.groups += 1;
    this.#folded.records += group.count;
    if (group.resolved_at === null) this.#folded.unresolved_groups += 1;
    this.#settleKey(group.key, sameKey);
  }

  /** Stops watching a key without unresolved groups, forgets one without any. */
  #settleKey(key: string, sameKey: KeyGroups): void {
    if (sameKey.open === 0 && sameKey.watched) {
      sameKey.watched = false;
      this.watcher?.unwatch(key);
    }
    if (sameKey.groups.length === 0) this.#byKey.delete(key);
  }

  /** Notes a success: resolves every group of that key (P17). */
  addSuccess(key: string, file: number, line: number): void {
    const sameKey = this.#byKey.get(key);
    if (sameKey === undefined || sameKey.open === 0) return;
    for (const group of sameKey.groups) {
      if (group.resolved_at !== null) continue;
      this.#open.remove(group);
      group.resolved_at = [file, line];
      this.#resolved.push(group);
    }
    sameKey.open = 0;
    this.#settleKey(key, sameKey);
  }

  /** All groups kept, in order of their last failure. */
  inOrder(): readonly HeldGroup[] {
    return [...this.#resolved, ...this.#open].sort((a, b) => a.order - b.order);
  }

  get folded(): { readonly groups: number; readonly records: number; readonly unresolved_groups: number } {
    return this.#folded;
  }

  save(): FailureGroupsState {
    return {
      groups: [...this.#resolved, ...this.#open].map(({ before: _before, after: _after, ...group }) => ({
        ...group,
        lines: group.lines.save(),
      })),
      folded: this.#folded,
      order: this.#order,
    };
  }

  /** Takes over a saved state; only on a fresh table. */
  restore(state: FailureGroupsState): void {
    this.#folded = { ...state.folded };
    this.#order = state.order;
    for (const saved of state.groups) {
      const group: Queued = {
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
