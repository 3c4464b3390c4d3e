// Rows of 32-bit words found by a hash of 64 bits, packed in flat arrays: a quarter of a million things to remember cost a
// few megabytes, no garbage, and are written to the cursor as they lie here (P18, P20).

/** Words of every row before its own fields: the hash, and the next row of its chain, plus one. Signed: V8 holds them without a box. */
const [LOW, HIGH, CHAIN, FIELDS] = [0, 1, 2, 3];
const SMALLEST = 256;

export class HashedRows {
  readonly #width: number;
  #words = new Int32Array(0);
  /** First row of each chain, plus one; zero is none. */
  #heads = new Int32Array(0);
  #size = 0;

  /** @param fields words of a row beside its hash. @param limit most rows. */
  constructor(
    fields: number,
    readonly limit: number,
  ) {
    this.#width = FIELDS + fields;
  }

  get size(): number {
    return this.#size;
  }

  /** A row with this hash, or -1; further ones by {@link after}. */
  find(low: number, high: number): number {
    return this.#size === 0 ? -1 : this.#along(this.#heads[this.#headOf(low, high)] ?? 0, low, high);
  }

  /** The next row with the same hash, or -1. */
  after(row: number): number {
    const at = row * this.#width;
    return this.#along(this.#words[at + CHAIN] ?? 0, this.#words[at + LOW] ?? 0, this.#words[at + HIGH] ?? 0);
  }

  #along(first: number, low: number, high: number): number {
    for (let link = first; link !== 0;) {
      const at = (link - 1) * this.#width;
      if (this.#words[at + LOW] === low && this.#words[at + HIGH] === high) return link - 1;
      link = this.#words[at + CHAIN] ?? 0;
    }
    return -1;
  }

  #headOf(low: number, high: number): number {
    return (low ^ Math.imul(high, 0x9e3779b1)) & (this.#heads.length - 1);
  }

  /** A new row, its fields zero. There must be room: see `limit`. */
  add(low: number, high: number): number {
    if (this.#size === this.#heads.length) this.#resize(this.#size + 1);
    const row = this.#size;
    this.#size += 1;
    const at = row * this.#width;
    this.#words.fill(0, at, at + this.#width);
    this.#words[at + LOW] = low;
    this.#words[at + HIGH] = high;
    this.#link(row);
    return row;
  }

  #link(row: number): void {
    const at = row * this.#width;
    const head = this.#headOf(this.#words[at + LOW] ?? 0, this.#words[at + HIGH] ?? 0);
    this.#words[at + CHAIN] = this.#heads[head] ?? 0;
    this.#heads[head] = row + 1;
  }

  /** Points to the row where its predecessor in the chain does, so that it can be left out or moved. */
  #relink(row: number, to: number): void {
    const at = row * this.#width;
    const head = this.#headOf(this.#words[at + LOW] ?? 0, this.#words[at + HIGH] ?? 0);
    if (this.#heads[head] === row + 1) {
      this.#heads[head] = to;
      return;
    }
    let before = ((this.#heads[head] ?? 0) - 1) * this.#width;
    while (this.#words[before + CHAIN] !== row + 1)
      before = ((this.#words[before + CHAIN] ?? 0) - 1) * this.#width;
    this.#words[before + CHAIN] = to;
  }

  /** Takes a row out. The last row takes its number: numbers kept elsewhere mean nothing afterwards. */
  remove(row: number): void {
    this.#relink(row, this.#words[row * this.#width + CHAIN] ?? 0);
    this.#size -= 1;
    const last = this.#size;
    if (row === last) return;
    this.#relink(last, row + 1);
    this.#words.copyWithin(row * this.#width, last * this.#width, (last + 1) * this.#width);
  }

  get(row: number, field: number): number {
    return this.#words[row * this.#width + FIELDS + field] ?? 0;
  }

  /** Sets a field to an integer of 32 bits. */
  set(row: number, field: number, value: number): void {
    this.#words[row * this.#width + FIELDS + field] = value;
  }

  #resize(rows: number): void {
    let room = SMALLEST;
    while (room < rows) room *= 2;
    const words = new Int32Array(room * this.#width);
    words.set(this.#words.subarray(0, this.#size * this.#width));
    this.#words = words;
    this.#heads = new Int32Array(room);
    for (let row = 0; row < this.#size; row += 1) this.#link(row);
  }

  /** The memory of all rows. */
  bytes(): Buffer {
    return Buffer.from(this.#words.buffer, 0, this.#size * this.#width * 4);
  }

  /** Makes an empty table one of `rows` rows, whose {@link bytes} are filled in by the caller, who then calls {@link index}. */
  makeRoom(rows: number): void {
    this.#resize(rows);
    this.#size = rows;
  }

  /** Makes the rows that were filled in findable. */
  index(): void {
    this.#heads.fill(0);
    for (let row = 0; row < this.#size; row += 1) this.#link(row);
  }
}
