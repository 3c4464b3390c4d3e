// Failure groups in an order that changes all the time (P15): joining, leaving and finding the oldest cost the same however
// many there are.
import type { LineTrack } from "./line-track.js";

/** A group as the scan holds it. */
export interface HeldGroup {
  readonly key: string;
  readonly exit_code: number | null;
  count: number;
  readonly lines: LineTrack;
  readonly first: [file: number, line: number];
  readonly last: { file: number; offset: number; length: number; line: number };
  /** Position of the last failure among all failures, for order. */
  order: number;
  resolved_at: readonly [file: number, line: number] | null;
}

/** A group in its queue. */
export interface QueuedGroup extends HeldGroup {
  key: string;
  exit_code: number | null;
  before: QueuedGroup | null;
  after: QueuedGroup | null;
}

/** Groups in an order that changes all the time: each may leave from anywhere and joins at the end. */
export class GroupQueue {
  first: QueuedGroup | null = null;
  #last: QueuedGroup | null = null;

  push(group: QueuedGroup): void {
    group.before = this.#last;
    group.after = null;
    if (this.#last === null) this.first = group;
    else this.#last.after = group;
    this.#last = group;
  }

  remove(group: QueuedGroup): void {
    if (group.before === null) this.first = group.after;
    else group.before.after = group.after;
    if (group.after === null) this.#last = group.before;
    else group.after.before = group.before;
  }

  *[Symbol.iterator](): Generator<QueuedGroup> {
    for (let group = this.first; group !== null; group = group.after) yield group;
  }
}
