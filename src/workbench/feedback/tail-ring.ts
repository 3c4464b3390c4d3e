// The places of the newest records (P14) in a flat array of numbers, so that the kernel can write into it as well.
import { TAIL_RECORDS } from "../../model/feedback.js";
import type { RecordRef } from "./failure-groups.js";

/** Numbers per entry: file, offset, length, line. */
const ENTRY = 4;
/** Length of the array behind a ring: a counter of all entries ever pushed, then the entries. */
export const TAIL_RING_LENGTH = 1 + TAIL_RECORDS * ENTRY;

export class TailRing {
  constructor(readonly cells: Float64Array = new Float64Array(TAIL_RING_LENGTH)) {}

  push(ref: RecordRef): void {
    const count = this.cells[0] ?? 0;
    this.cells.set([ref.file, ref.offset, ref.length, ref.line], 1 + (count % TAIL_RECORDS) * ENTRY);
    this.cells[0] = count + 1;
  }

  /** At most {@link TAIL_RECORDS} places, oldest first. */
  refs(): RecordRef[] {
    const count = this.cells[0] ?? 0;
    const refs: RecordRef[] = [];
    for (let index = Math.max(0, count - TAIL_RECORDS); index < count; index += 1) {
      const at = 1 + (index % TAIL_RECORDS) * ENTRY;
      const [file = 0, offset = 0, length = 0, line = 0] = this.cells.subarray(at, at + ENTRY);
      refs.push({ file, offset, length, line });
    }
    return refs;
  }
}
