// What a scan keeps while lines go by: totals, failure groups, the newest records' places, watched commands, the newest
// time. Independent of who reads the lines, and small whatever their number (P18).
import { FailureGroups, type FailureGroupsState, type KeyWatcher, type RecordRef } from "./failure-groups.js";
import { parseLine, readGist, type SkipReason } from "./normalize-record.js";
import type { SeenIds } from "./recent-ids.js";
import type { TailRing } from "./tail-ring.js";

/** A {@link LineReduction} as the cursor stores it. */
export interface LineReductionState {
  readonly total: number;
  readonly nonzero: number;
  readonly newest_at: number | null;
  readonly passed: readonly string[];
  readonly groups: FailureGroupsState;
}

/** What became of a line: a record, one that repeats a known command_id, or skipped. */
export type LineFate = "record" | "repeated" | SkipReason;

export class LineReduction {
  total = 0;
  nonzero = 0;
  newestAt: number | null = null;
  readonly groups: FailureGroups;
  readonly #passed = new Set<string>();
  readonly #waiting: Set<string>;

  /**
   * @param watch command keys whose success is to be noticed
   * @param watcher told which keys a reader may not pass over: an unresolved failure, or watched and not yet seen to pass
   */
  constructor(
    watch: readonly string[],
    maxGroups: number,
    readonly ids: SeenIds,
    readonly tail: TailRing,
    readonly watcher: KeyWatcher | null,
  ) {
    this.groups = new FailureGroups(maxGroups, watcher);
    this.#waiting = new Set(watch);
    for (const key of this.#waiting) watcher?.watch(key);
  }

  /** Takes in the text of one line that is not blank. */
  addLine(text: string, ref: RecordRef): LineFate {
    const fields = parseLine(text);
    if (typeof fields === "string") return fields;
    const gist = readGist(fields);
    if (gist === null) return "no command";
    if (gist.command_id !== null && this.ids.seen(gist.command_id)) return "repeated";
    this.total += 1;
    this.noteTime(gist.at);
    this.tail.push(ref);
    this.addOutcome(gist.key, gist.exit_code, ref);
    return "record";
  }

  /** Takes in a record that is counted already: what its exit means for its command. */
  addOutcome(key: string, exit_code: number | null, ref: RecordRef): void {
    if (exit_code !== 0) {
      this.nonzero += 1;
      this.groups.addFailure(key, exit_code, ref);
      return;
    }
    this.groups.addSuccess(key, ref.file, ref.line);
    if (!this.#waiting.delete(key)) return;
    this.#passed.add(key);
    this.watcher?.unwatch(key);
  }

  noteTime(at: number | null): void {
    if (at !== null && (this.newestAt === null || at > this.newestAt)) this.newestAt = at;
  }

  /** The watched keys that passed, in the order given to the constructor's `watch`. */
  passed(watch: readonly string[]): string[] {
    return [...new Set(watch)].filter((key) => this.#passed.has(key));
  }

  save(): LineReductionState {
    return {
      total: this.total,
      nonzero: this.nonzero,
      newest_at: this.newestAt,
      passed: [...this.#passed],
      groups: this.groups.save(),
    };
  }

  /** Takes over a saved state; only on a fresh reduction with the same options, after `groups.makeRoom`. */
  restore(state: LineReductionState): void {
    this.total = state.total;
    this.nonzero = state.nonzero;
    this.newestAt = state.newest_at;
    for (const key of state.passed) {
      this.#passed.add(key);
      if (this.#waiting.delete(key)) this.watcher?.unwatch(key);
    }
    this.groups.restore(state.groups);
  }
}
