// The lines of one failure group as compact ranges (P15), bounded: the first and the last ranges are kept, the records of
// those between are counted per file.
import type { LineRanges } from "../../model/feedback.js";

/** Ranges kept at each end. */
const KEPT = 50;
/** Numbers a range takes: file index, first line, last line. Flat, as a log may have thousands of groups with all of them. */
const WIDTH = 3;
const RING = KEPT * WIDTH;
const RING_END = 2 * RING;

/** A {@link LineTrack} as the cursor stores it. */
export interface LineTrackState {
  readonly ranges: readonly number[];
  readonly omitted: readonly (readonly [number, number])[];
}

/** Collects lines in log order. */
export class LineTrack {
  /** The first ranges, then those of a ring; used up to `#used`, so that a track can be used again without garbage. */
  readonly #ranges: number[] = [];
  #used = 0;
  /** Where the ring's oldest range is. */
  #oldest = RING;
  /** Where the newest range is. */
  #newest = -WIDTH;
  /** Indexes of files, each followed by the records whose lines are not kept; as far as `#omittedUsed`. */
  readonly #omitted: number[] = [];
  #omittedUsed = 0;

  add(file: number, line: number): void {
    const ranges = this.#ranges;
    const newest = this.#newest;
    if (newest >= 0 && ranges[newest] === file && (ranges[newest + 2] ?? 0) + 1 === line) {
      ranges[newest + 2] = line;
      return;
    }
    let at = this.#used;
    if (at < RING_END) this.#used += WIDTH;
    else {
      at = this.#oldest;
      const [oldFile = 0, from = 0, to = 0] = [ranges[at], ranges[at + 1], ranges[at + 2]];
      this.#omit(oldFile, to - from + 1);
      this.#oldest = at + WIDTH === RING_END ? RING : at + WIDTH;
    }
    ranges[at] = file;
    ranges[at + 1] = line;
    ranges[at + 2] = line;
    this.#newest = at;
  }

  /** Makes it a track of records whose lines are no longer known, `counts` as by {@link counts}; returns how many. */
  startAfter(counts: readonly number[]): number {
    this.#used = 0;
    this.#oldest = RING;
    this.#newest = -WIDTH;
    this.#omittedUsed = 0;
    let records = 0;
    for (let at = 0; at < counts.length; at += 2) {
      const [file = 0, count = 0] = [counts[at], counts[at + 1]];
      this.#omit(file, count);
      records += count;
    }
    return records;
  }

  /** All records: indexes of files, each followed by the number in it. */
  counts(): readonly number[] {
    const counts = this.#omitted.slice(0, this.#omittedUsed);
    for (let at = 0; at < this.#used; at += WIDTH) {
      const [file = 0, from = 0, to = 0] = [this.#ranges[at], this.#ranges[at + 1], this.#ranges[at + 2]];
      let place = 0;
      while (place < counts.length && counts[place] !== file) place += 2;
      if (place === counts.length) counts.push(file, 0);
      counts[place + 1] = (counts[place + 1] ?? 0) + to - from + 1;
    }
    return counts;
  }

  #omit(file: number, count: number): void {
    let at = 0;
    while (at < this.#omittedUsed && this.#omitted[at] !== file) at += 2;
    if (at === this.#omittedUsed) {
      this.#omitted[at] = file;
      this.#omitted[at + 1] = 0;
      this.#omittedUsed += 2;
    }
    this.#omitted[at + 1] = (this.#omitted[at + 1] ?? 0) + count;
  }

  #omittedPairs(): (readonly [number, number])[] {
    const pairs: (readonly [number, number])[] = [];
    for (let at = 0; at < this.#omittedUsed; at += 2)
      pairs.push([this.#omitted[at] ?? 0, this.#omitted[at + 1] ?? 0]);
    return pairs;
  }

  #inOrder(): number[] {
    const ranges = this.#ranges;
    return [
      ...ranges.slice(0, Math.min(RING, this.#used)),
      ...ranges.slice(this.#oldest, this.#used),
      ...ranges.slice(RING, this.#oldest),
    ];
  }

  /** The ranges per file, in log order; a file that has only lines left out is listed too. */
  ranges(paths: readonly string[]): LineRanges[] {
    const byFile = new Map<number, (readonly [number, number])[]>();
    const omitted = new Map(this.#omittedPairs());
    for (const file of omitted.keys()) byFile.set(file, []);
    const inOrder = this.#inOrder();
    for (let at = 0; at < inOrder.length; at += WIDTH) {
      const file = inOrder[at] ?? 0;
      let ranges = byFile.get(file);
      if (ranges === undefined) byFile.set(file, (ranges = []));
      ranges.push([inOrder[at + 1] ?? 0, inOrder[at + 2] ?? 0]);
    }
    return [...byFile]
      .sort(([a], [b]) => a - b)
      .map(([file, ranges]) => ({ path: paths[file] ?? "", ranges, omitted: omitted.get(file) ?? 0 }));
  }

  save(): LineTrackState {
    return { ranges: this.#inOrder(), omitted: this.#omittedPairs() };
  }

  static restore(state: LineTrackState): LineTrack {
    const track = new LineTrack();
    for (const number of state.ranges) track.#ranges.push(number);
    track.#used = state.ranges.length;
    track.#newest = track.#used - WIDTH;
    for (const [file, count] of state.omitted) track.#omit(file, count);
    return track;
  }
}
