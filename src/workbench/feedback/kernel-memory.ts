// The kernel's instance and its memory, by name. The map mirrors kernel/memory.as.
import { SCAN_KERNEL_WASM } from "./kernel/scan-kernel-wasm.js";
import { TAIL_RING_LENGTH } from "./tail-ring.js";

const STATE = 1024;
const TAIL = 2048;
export const KEYS = 0x4000;
const FILTER = 0x8000;
const FILTER_BYTES = 0x8000;
const SCRATCH = 0x10000;
export const RUNS = 0x11000;
const BUFFER = 0x16000;
const BUFFER_BYTES = 0x100000;
const IDS = 0x120000;
const ID_CAPACITY = 1 << 20;
const TABLE = IDS + ID_CAPACITY * 16;
/** Beyond this on average the table grows. */
const IDS_PER_BUCKET = 8;

/** Why the kernel stopped, as in kernel/memory.as. After `success` and `failure` the line is proven JSON. */
export const STOP = { allTaken: 0, parse: 1, parseAndLearn: 2, success: 3, failure: 4 } as const;
type Stop = (typeof STOP)[keyof typeof STOP];

/** The line the kernel stopped at, as it stands in its memory. */
export class StoppedLine {
  readonly #words: Uint32Array;
  readonly #view: DataView;

  constructor(view: DataView) {
    this.#view = view;
    this.#words = new Uint32Array(view.buffer, STATE, 32);
  }

  /** Places in `buffer`: the line, without its newline. */
  get from(): number {
    return this.#words[14] ?? 0;
  }
  get to(): number {
    return this.#words[15] ?? 0;
  }
  /** Places in `buffer` of the command's JSON; only after `success` and `failure`, as all that follows. */
  get commandFrom(): number {
    return this.#words[20] ?? 0;
  }
  get commandTo(): number {
    return this.#words[21] ?? 0;
  }
  /** Only after `failure`. */
  get exit(): number | null {
    return this.#words[23] === 1 ? null : (this.#words[22] ?? 0) | 0;
  }
  /** The number this command was given at an earlier stop, or 0. */
  get commandNumber(): number {
    return this.#words[25] ?? 0;
  }
  /** Gives the command a number, for as long as no other command takes its slot. */
  numberCommand(number: number): void {
    const slot = this.#words[24] ?? 0;
    if (slot !== 0) this.#view.setUint32(slot + 4, number, true);
  }
}

/** What the kernel exports. */
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Takes the lines in `buffer[from..to)`; says what to do about the line it stopped at, see {@link Stop}. */
  takeLines(from: number, to: number): Stop;
  /** Counts the line it stopped at; 0 when its command_id was there already. */
  finish(): number;
  /** The id's bytes lie in SCRATCH; 1 when it was there already. */
  seenId(at: number, length: number): number;
  /** Number of the next id, from 1 on. */
  getIdNumber(): number;
  getBucketBits(): number;
  setIds(number: number, bucketBits: number): void;
  clearHigh(): void;
  /** Takes back all numbers given to commands. */
  forgetCommands(): void;
}

/** An instance of the kernel. Its memory never grows, so the views stay valid. */
export interface Kernel extends KernelExports {
  /** All of its memory. */
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly buffer: Buffer;
  readonly scratch: Buffer;
  readonly scratchAt: number;
  readonly filter: Uint8Array;
  readonly tail: Float64Array;
  /** f64: lines of the file so far. */
  lines: number;
  /** f64: records taken without parsing, over all files. */
  readonly records: number;
  /** f64 in: index of the file the buffer is from, and where in it the buffer begins. */
  place(file: number, offset: number): void;
  readonly stopped: StoppedLine;
  readonly sawHigh: boolean;
  keyCount: number;
  filterCount: number;
  /** u64: the largest time taken, by its notation: decimal seconds, milliseconds, ISO stamp. */
  newest(kind: 0 | 1 | 2): bigint;
  clearNewest(): void;
  /** Sizes the table of a fresh kernel for about `count` ids; it grows by itself, but growing takes time. */
  expectIds(count: number): void;
  /** The parts of memory that hold the ids, for the numbers that the two getters give. */
  idParts(idNumber: number, bucketBits: number): readonly Buffer[];
}

/** The part of WebAssembly that is used; Node's types do not name it. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { readonly exports: object };
    }
  | undefined;

let compiled: object | null | undefined;

function compile(): object | null {
  if (typeof WebAssembly === "undefined") return null;
  try {
    return new WebAssembly.Module(Buffer.from(SCAN_KERNEL_WASM, "base64"));
  } catch {
    // No WebAssembly, or none with SIMD: the plain way is as correct.
    return null;
  }
}

/** A fresh kernel, or null where it cannot run. */
export function loadKernel(): Kernel | null {
  compiled ??= compile();
  if (compiled === null || typeof WebAssembly === "undefined") return null;
  const abort = (): never => {
    throw new Error("the scan kernel stopped");
  };
  const instance = new WebAssembly.Instance(compiled, { env: { abort } });
  // The generated module and the interface above are written together; a test runs every export.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const exported = instance.exports as unknown as KernelExports;
  const memory = exported.memory.buffer;
  const view = new DataView(memory);
  const part = (at: number, length: number): Buffer => Buffer.from(memory, at, length);
  return {
    ...exported,
    bytes: part(0, memory.byteLength),
    view,
    stopped: new StoppedLine(view),
    buffer: part(BUFFER, BUFFER_BYTES),
    scratch: part(SCRATCH, RUNS - SCRATCH),
    scratchAt: SCRATCH,
    filter: part(FILTER, FILTER_BYTES),
    tail: new Float64Array(memory, TAIL, TAIL_RING_LENGTH),
    get lines() {
      return view.getFloat64(STATE, true);
    },
    set lines(count) {
      view.setFloat64(STATE, count, true);
    },
    get records() {
      return view.getFloat64(STATE + 8, true);
    },
    place(file, offset) {
      view.setFloat64(STATE + 40, file, true);
      view.setFloat64(STATE + 48, offset, true);
    },
    get sawHigh() {
      return view.getUint32(STATE + 68, true) !== 0;
    },
    get keyCount() {
      return view.getUint32(STATE + 72, true);
    },
    set keyCount(count) {
      view.setUint32(STATE + 72, count, true);
    },
    get filterCount() {
      return view.getUint32(STATE + 76, true);
    },
    set filterCount(count) {
      view.setUint32(STATE + 76, count, true);
    },
    newest: (kind) => view.getBigUint64(STATE + 16 + kind * 8, true),
    clearNewest() {
      for (const kind of [0, 1, 2]) view.setBigUint64(STATE + 16 + kind * 8, 0n, true);
    },
    expectIds(count) {
      const bits = Math.ceil(Math.log2(Math.max(1, count / IDS_PER_BUCKET)));
      exported.setIds(1, Math.min(17, Math.max(6, bits)));
    },
    idParts(number, bucketBits) {
      return [part(IDS, Math.min(number, ID_CAPACITY) * 16), part(TABLE, 2 ** bucketBits * 64)];
    },
  };
}
