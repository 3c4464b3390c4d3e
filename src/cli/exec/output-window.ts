// What is remembered of a stream that passes through: both ends, whatever its length (A7, A11).

/** More of each end than a record keeps, so that no secret is parted by the cut. */
const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 128 * 1024;

/** A stream as it is remembered, and how many of its bytes are not. */
export interface Remembered {
  readonly text: string;
  readonly cut_bytes: number;
}

/** Takes a stream's bytes in their order. Memory stays within its bounds and one chunk. */
export class OutputWindow {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private cut = 0;

  /** The chunk is copied: it may be written over behind. */
  add(chunk: Buffer): void {
    const first = chunk.subarray(0, HEAD_BYTES - this.headBytes);
    if (first.length > 0) this.head.push(Buffer.from(first));
    this.headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.tail.push(Buffer.from(rest));
    this.tailBytes += rest.length;
    while (this.tailBytes - (this.tail[0]?.length ?? 0) >= TAIL_BYTES) {
      const gone = this.tail.shift()?.length ?? 0;
      this.tailBytes -= gone;
      this.cut += gone;
    }
  }

  /** As UTF-8; what is none is replaced. */
  remembered(): Remembered {
    const [head, tail] = [Buffer.concat(this.head), Buffer.concat(this.tail)];
    if (this.cut === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), cut_bytes: 0 };
    const left = `\n[${this.cut} bytes left out]\n`;
    return { text: head.toString("utf8") + left + tail.toString("utf8"), cut_bytes: this.cut };
  }
}
