// Takes lines through the kernel: it counts the successes that change nothing else by itself, and stops at every other
// line. Same result as the plain way, line by line (P18).
import { isUtf8 } from "node:buffer";
import { KernelFilter } from "./kernel-filter.js";
import { KernelIds } from "./kernel-ids.js";
import { KernelKeys } from "./kernel-keys.js";
import { STOP, type Kernel } from "./kernel-memory.js";
import { noteKernelTimes } from "./kernel-times.js";
import { readGist } from "./normalize-record.js";
import { LineReduction } from "./reduce-lines.js";
import { LineTaker, type FileBook } from "./take-lines.js";
import { TailRing } from "./tail-ring.js";

/** Commands that have a number before numbering starts anew. */
const COMMANDS_NUMBERED = 16_384;

/** A reduction whose ids, newest places and watched keys live in the kernel's memory. */
export function kernelReduction(kernel: Kernel, watch: readonly string[], maxGroups: number): LineReduction {
  const tail = new TailRing(kernel.tail);
  return new LineReduction(watch, maxGroups, new KernelIds(kernel), tail, new KernelFilter(kernel));
}

export class KernelLineTaker extends LineTaker {
  readonly #layout: KernelKeys;
  /** Used for one line after the other. */
  private readonly ref = { file: 0, offset: 0, length: 0, line: 0 };
  /** Keys by the command's number; zero is no number. */
  #commandKeys: string[] = [""];
  /** The kernel's records that are already in the books. */
  #booked: number;
  #blocks = 0;
  #nextLesson = 1;

  constructor(
    readonly kernel: Kernel,
    reduction: LineReduction,
    blockBytes?: number,
  ) {
    super(reduction, kernel.buffer.subarray(0, blockBytes ?? kernel.buffer.length));
    this.#layout = new KernelKeys(kernel);
    this.#booked = kernel.records;
  }

  override begin(file: number, book: FileBook): void {
    super.begin(file, book);
    this.kernel.lines = book.lines;
    this.#nextLesson = this.#blocks + 1;
  }

  override block(from: number, to: number, offset: number): void {
    const { kernel } = this;
    // Layouts drift seldom: later lessons come at ever longer intervals.
    this.#blocks += 1;
    if (this.#blocks >= this.#nextLesson) {
      this.#layout.learnRuns(this.buffer.subarray(from, to));
      this.#nextLesson = this.#blocks * 4;
    }
    let start = from;
    if (offset === 0 && this.buffer[from] === 0xef) {
      // The first line may begin with a byte order mark: the plain way knows what to do.
      const end = this.buffer.indexOf(10, from);
      this.#parse(from, end, 0);
      start = end + 1;
    }
    kernel.place(this.file, offset - from);
    for (;;) {
      const stop = kernel.takeLines(start, to);
      if (stop === STOP.allTaken) break;
      const { from: lineFrom, to: lineTo } = kernel.stopped;
      if (stop === STOP.parse || stop === STOP.parseAndLearn) {
        this.book.lines = kernel.lines - 1;
        this.#parse(lineFrom, lineTo, offset + lineFrom - from);
        if (stop === STOP.parseAndLearn) {
          this.#layout.learn(this.buffer.toString("latin1", lineFrom, lineTo));
        }
      } else if (kernel.finish() !== 0) {
        // The kernel walked all of it: valid JSON with a plain command, and counted now.
        const { ref } = this;
        ref.file = this.file;
        ref.offset = offset + lineFrom - from;
        ref.length = lineTo - lineFrom;
        ref.line = kernel.lines;
        this.reduction.addOutcome(this.#commandKey(), stop === STOP.success ? 0 : kernel.stopped.exit, ref);
      }
      start = lineTo + 1;
    }
    this.#settle(from, to);
  }

  /** The key of the command of the line the kernel stopped at. */
  #commandKey(): string {
    const { stopped } = this.kernel;
    const known = this.#commandKeys[stopped.commandNumber];
    if (known !== undefined && known !== "") return known;
    const json = this.buffer.toString("latin1", stopped.commandFrom, stopped.commandTo);
    const key = readGist({ command: JSON.parse(json) as unknown })?.key ?? "";
    // A number given before this would mean another command: none may be left in the kernel.
    if (this.#commandKeys.length >= COMMANDS_NUMBERED) {
      this.#commandKeys = [""];
      this.kernel.forgetCommands();
    }
    stopped.numberCommand(this.#commandKeys.push(key) - 1);
    return key;
  }

  /** Takes over what the kernel counted in this block. */
  #settle(from: number, to: number): void {
    const { kernel, book } = this;
    const taken = kernel.records - this.#booked;
    this.#booked += taken;
    book.lines = kernel.lines;
    book.records += taken;
    this.reduction.total += taken;
    if (kernel.sawHigh) {
      if (!book.encoding_broken && !isUtf8(this.buffer.subarray(from, to))) book.encoding_broken = true;
      kernel.clearHigh();
    }
  }

  #parse(from: number, to: number, offset: number): void {
    this.checkEncoding(this.buffer.subarray(from, to));
    this.takeLine(this.buffer, from, to, offset);
    this.kernel.lines = this.book.lines;
  }

  override line(bytes: Buffer | null, offset: number, length: number): void {
    super.line(bytes, offset, length);
    this.kernel.lines = this.book.lines;
  }

  override atLineEnd(offset: number): void {
    noteKernelTimes(this.kernel, this.reduction);
    super.atLineEnd(offset);
  }
}
