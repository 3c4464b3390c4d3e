// One scan over open logs: picks the reader, goes on from the cursor where it may, and keeps the cursor.
import { setImmediate } from "node:timers/promises";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { FeedbackScan } from "../../model/feedback.js";
import { resumeFromCursor, saveCursor } from "./cursor.js";
import { KernelLineTaker, kernelReduction } from "./kernel-lines.js";
import { loadKernel, type Kernel } from "./kernel-memory.js";
import { materialiseScan } from "./materialise-scan.js";
import { isSystemError, systemCode, unreadable, type OpenLog } from "./open-log.js";
import { readLines } from "./read-lines.js";
import { RecentIds } from "./recent-ids.js";
import { LineReduction } from "./reduce-lines.js";
import type { ScanMachinery, ScanOptions } from "./scan-options.js";
import { bookDiagnostics, LineTaker, newBook, type FileBook } from "./take-lines.js";
import { TailRing } from "./tail-ring.js";

/** Failure groups kept in detail. */
const MAX_GROUPS = 2000;
const PLAIN_BLOCK = 1024 * 1024;
/** Below this many bytes starting the kernel costs more than it saves. */
const KERNEL_FROM = 256 * 1024;
/** A guess that only decides how large the table of ids is to begin with. */
const BYTES_PER_RECORD = 200;
const CURSOR_FROM = 1024 * 1024;

/** Lets what else was begun go on: git is asked at the same time, and what it is asked next depends on its answers. */
async function breathe(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}

interface Run {
  readonly taker: LineTaker;
  readonly kernel: Kernel | null;
  readonly books: FileBook[];
  readonly resumed: boolean;
}

/** What a run found. `faithful`: see materialiseScan. */
interface RunResult {
  readonly scan: FeedbackScan;
  readonly faithful: boolean;
  readonly resumed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export class ScanRun {
  readonly #totalBytes: number;
  readonly #maxGroups: number;
  readonly #diagnostics: Diagnostic[] = [];

  constructor(
    readonly logs: readonly OpenLog[],
    readonly options: ScanOptions,
    readonly machinery: ScanMachinery,
  ) {
    this.#totalBytes = logs.reduce((sum, { size }) => sum + size, 0);
    this.#maxGroups = options.maxGroups ?? MAX_GROUPS;
  }

  async scan(mayResume: boolean): Promise<RunResult> {
    this.#diagnostics.length = 0;
    const run = this.#start(mayResume);
    const { taker, books } = run;
    await breathe();
    let before = 0;
    for (const [index, log] of this.logs.entries()) {
      const last = index === this.logs.length - 1;
      if (last || !run.resumed) await this.#readLog(run, index, log, before, last);
      before += log.size;
    }
    this.options.onProgress?.({ bytes: this.#totalBytes, totalBytes: this.#totalBytes });
    await breathe();
    const { scan, faithful } = materialiseScan(taker.reduction, this.logs, books, this.options.watch);
    const diagnostics = [...books.flatMap(bookDiagnostics), ...this.#diagnostics];
    return { scan, faithful, resumed: run.resumed, diagnostics };
  }

  #start(mayResume: boolean): Run {
    const { reader } = this.machinery;
    const wanted = reader === "kernel" || (reader === "best" && this.#totalBytes >= KERNEL_FROM);
    const kernel = wanted ? loadKernel() : null;
    if (kernel === null) return { ...this.#startPlain(), kernel, resumed: false };
    if (mayResume && this.#keepsCursor()) {
      const reduction = kernelReduction(kernel, this.options.watch, this.#maxGroups);
      const { cacheDir, watch } = this.options;
      const options = { watch, maxGroups: this.#maxGroups };
      const books = resumeFromCursor(cacheDir ?? "", options, this.logs, kernel, reduction);
      if (books === "damaged") this.#noteCursor("damaged");
      else if (books !== null) {
        const taker = new KernelLineTaker(kernel, reduction, this.machinery.blockBytes);
        return { taker, kernel, books: [...books], resumed: true };
      }
      // What does not fit may have spoilt the kernel.
      const fresh = loadKernel();
      return fresh === null
        ? { ...this.#startPlain(), kernel: null, resumed: false }
        : { ...this.#startKernel(fresh), resumed: false };
    }
    return { ...this.#startKernel(kernel), resumed: false };
  }

  #startKernel(kernel: Kernel): Pick<Run, "taker" | "kernel" | "books"> {
    kernel.expectIds(this.#totalBytes / BYTES_PER_RECORD);
    const reduction = kernelReduction(kernel, this.options.watch, this.#maxGroups);
    return {
      taker: new KernelLineTaker(kernel, reduction, this.machinery.blockBytes),
      kernel,
      books: this.#newBooks(),
    };
  }

  #startPlain(): Pick<Run, "taker" | "books"> {
    const { watch } = this.options;
    const reduction = new LineReduction(watch, this.#maxGroups, new RecentIds(), new TailRing(), null);
    const buffer = Buffer.allocUnsafe(this.machinery.blockBytes ?? PLAIN_BLOCK);
    return { taker: new LineTaker(reduction, buffer), books: this.#newBooks() };
  }

  #newBooks(): FileBook[] {
    return this.logs.map(({ path }) => newBook(path));
  }

  async #readLog(run: Run, index: number, log: OpenLog, before: number, last: boolean): Promise<void> {
    const { taker, books, kernel } = run;
    const book = books[index];
    if (book === undefined) return;
    const from = book.bytes;
    taker.begin(index, book);
    taker.onLineEnd = (offset) => {
      if (last && kernel !== null) this.#keepCursor(run, kernel, from, offset);
    };
    try {
      book.bytes = await readLines(log.fd, from, log.size, taker, (offset) =>
        this.options.onProgress?.({ bytes: before + offset, totalBytes: this.#totalBytes }),
      );
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#diagnostics.push(unreadable(log.path, error));
    }
  }

  #keepsCursor(): boolean {
    return this.options.cacheDir !== null && this.#totalBytes >= (this.machinery.cursorFrom ?? CURSOR_FROM);
  }

  /** A cursor is renewed only when it would save a good deal: reading a little again is cheaper than writing it. */
  #keepCursor(run: Run, kernel: Kernel, from: number, offset: number): void {
    const { cacheDir, watch } = this.options;
    if (cacheDir === null || !this.#keepsCursor()) return;
    if (run.resumed && offset - from < (this.machinery.cursorFrom ?? CURSOR_FROM)) return;
    const options = { watch, maxGroups: this.#maxGroups };
    try {
      saveCursor(cacheDir, options, this.logs, run.books, offset, kernel, run.taker.reduction);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#noteCursor(systemCode(error));
    }
  }

  #noteCursor(reason: string): void {
    const args = { reason };
    this.#diagnostics.push({
      code: "cursor.unusable",
      severity: "info",
      artifact: "feedback",
      source: null,
      args,
    });
  }
}
