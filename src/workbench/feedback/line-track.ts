// The lines of one failure group as compact ranges (P15), bounded: the first and the last ranges are kept, the records of
// those between are counted per file.
import type { LineRanges } from "../../model/feedback.js";

/** Ranges kept at each end. */
const KEPT = 50;
/** Numbers a range takes: file index, first line, last line. Flat, as a log may have thousands of groups with all of them. */
const WIDTH = 3;

/** A {@link LineTrack} as the cursor stores it. */
export interface LineTrackState {
  readonly ranges: readonly number[];
  readonly omitted: readonly (readonly [number, number])[];
}

/** Collects lines in log order. */
export class LineTrack {
  readonly #head: number[] = [];
  /** A ring, once it is full; `#oldest` is where its oldest range begins. */
  readonly #tail: number[] = [];
  #oldest = 0;
  readonly #omitted = new Map<number, number>();
  /** The list the newest range is in, and where. */
  #newest: number[] = this.#head;
  #at = -WIDTH;

  add(file: number, line: number): void {
    const [newest, at] = [this.#newest, this.#at];
    if (at >= 0 && newest[at] === file && (newest[at + 2] ?? 0) + 1 === line) {
      newest[at + 2] = line;
      return;
    }
    const list = this.#head.length < KEPT * WIDTH ? this.#head : this.#tail;
    this.#newest = list;
    if (list.length < KEPT * WIDTH) {
      this.#at = list.length;
      list.push(file, line, line);
      return;
    }
    this.#at = this.#oldest;
    const [oldFile = 0, from = 0, to = 0] = [list[this.#at], list[this.#at + 1], list[this.#at + 2]];
    this.#omitted.set(oldFile, (this.#omitted.get(oldFile) ?? 0) + to - from + 1);
    list[this.#at] = file;
    list[this.#at + 1] = line;
    list[this.#at + 2] = line;
    this.#oldest = (this.#oldest + WIDTH) % (KEPT * WIDTH);
  }

  #inOrder(): number[] {
    return [...this.#head, ...this.#tail.slice(this.#oldest), ...this.#tail.slice(0, this.#oldest)];
  }

  /** The ranges per file, in log order; a file that has only lines left out is listed too. */
  ranges(paths: readonly string[]): LineRanges[] {
    const byFile = new Map<number, (readonly [number, number])[]>();
    for (const file of this.#omitted.keys()) byFile.set(file, []);
    for (const [list, start] of [[this.#head, 0] as const, [this.#tail, this.#oldest] as const]) {
      for (let at = 0; at < list.length; at += WIDTH) {
        const place = (start + at) % list.length;
        const file = list[place] ?? 0;
        let ranges = byFile.get(file);
        if (ranges === undefined) byFile.set(file, (ranges = []));
        ranges.push([list[place + 1] ?? 0, list[place + 2] ?? 0]);
      }
    }
    return [...byFile]
      .sort(([a], [b]) => a - b)
      .map(([file, ranges]) => ({ path: paths[file] ?? "", ranges, omitted: this.#omitted.get(file) ?? 0 }));
  }

  save(): LineTrackState {
    return { ranges: this.#inOrder(), omitted: [...this.#omitted] };
  }

  static restore(state: LineTrackState): LineTrack {
    const track = new LineTrack();
    track.#head.push(...state.ranges.slice(0, KEPT * WIDTH));
    track.#tail.push(...state.ranges.slice(KEPT * WIDTH));
    for (const [file, count] of state.omitted) track.#omitted.set(file, count);
    track.#newest = track.#tail.length > 0 ? track.#tail : track.#head;
    track.#at = track.#newest.length - WIDTH;
    return track;
  }
}
