// What the kernel learns of a log's layout from lines that were parsed: the top-level keys (it walks a line only while it
// knows every key of it, so it always knows which field a value belongs to), and the runs between changing values.
import { KEYS, RUNS, type Kernel } from "./kernel-memory.js";
import { readTopLevelFields, type WrittenField } from "./top-level-fields.js";

const ENTRY = { bytes: 128, mask: 64, length: 80, role: 84 } as const;
const RUN = { bytes: 320, mask: 256, length: 272, roles: 276, key: 280 } as const;
const LONGEST_KEY = 64;
const LONGEST_RUN = 256;
const MOST_KEYS = 60;
/** The entry that stands for a line's beginning. */
const FIRST = 63;
const LINE_OVER = -1;
/** Lines a scan learns keys from at most: a log with other keys in every line is parsed, as fast as any. */
const MOST_LESSONS = 500;
/** Lines looked at to find the runs. */
const SAMPLES = 24;
/** The share of the samples that must agree for a run to be worth trying. */
const USUAL = 0.75;

const COMMAND = 1;
const EXIT = 2;
const TIME = 4;
const ID = 8;
/** The keys whose values the scan depends on. Two of one role in a line, or an escape in a key, and the line is parsed. */
const ROLES: ReadonlyMap<string, number> = new Map([
  ["command", COMMAND],
  ["exit_code", EXIT],
  ["exitCode", EXIT],
  ["exit", EXIT],
  ["started_at", TIME],
  ["ts", TIME],
  ["timestamp", TIME],
  ["command_id", ID],
]);

/** The fields of one valid JSON line, or null. */
function fieldsOf(line: string): WrittenField[] | null {
  if (line.length > 65_536) return null;
  try {
    JSON.parse(line);
  } catch {
    return null;
  }
  return readTopLevelFields(line);
}

/** The value that most of `values` are, or null when none is usual. */
function usual(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [top] = [...counts].sort((a, b) => b[1] - a[1]);
  return top !== undefined && top[1] >= values.length * USUAL ? top[0] : null;
}

/** How the fields of the samples follow each other: for each key (or a line's beginning) what comes next, and its values. */
class Habits {
  readonly #next = new Map<string, string[]>();
  readonly #values = new Map<string, string[]>();

  add(fields: readonly WrittenField[], end: string): void {
    let previous = "";
    for (const { before, literal, value } of fields) {
      this.#push(this.#next, previous, before + literal);
      this.#push(this.#values, literal, value);
      previous = literal;
    }
    this.#push(this.#next, previous, end);
  }

  #push(map: Map<string, string[]>, key: string, value: string): void {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  }

  /** What usually follows the value of `literal` ("" for a line's beginning). */
  after(literal: string): string | null {
    return usual(this.#next.get(literal) ?? []);
  }

  valueOf(literal: string): string | null {
    return usual(this.#values.get(literal) ?? []);
  }
}

export class KernelKeys {
  /** Index and role by literal. */
  readonly #known = new Map<string, { readonly index: number; readonly role: number }>();
  #lessons = 0;

  constructor(readonly kernel: Kernel) {}

  /** Learns the keys of a line, if it is valid JSON. */
  learn(line: string): void {
    if (this.#lessons >= MOST_LESSONS || this.#known.size >= MOST_KEYS) return;
    this.#lessons += 1;
    for (const field of fieldsOf(line) ?? []) this.#learnKey(field);
  }

  #learnKey({ literal, name }: WrittenField): void {
    if (literal.length > LONGEST_KEY || this.#known.has(literal) || this.#known.size >= MOST_KEYS) return;
    const index = this.#known.size;
    const at = KEYS + index * ENTRY.bytes;
    const role = ROLES.get(name) ?? 0;
    this.#writeText(at, literal, ENTRY.mask);
    this.kernel.view.setUint32(at + ENTRY.length, literal.length, true);
    this.kernel.view.setUint32(at + ENTRY.role, role, true);
    this.#known.set(literal, { index, role });
    this.kernel.keyCount = this.#known.size;
  }

  /** Puts a text and the mask that is set where the first sixteen bytes of a line do not matter. */
  #writeText(at: number, text: string, mask: number): void {
    const { bytes } = this.kernel;
    bytes.fill(0, at, at + mask);
    bytes.write(text, at, "latin1");
    bytes.fill(0, at + mask, at + mask + 16);
    bytes.fill(0xff, at + mask + Math.min(16, text.length), at + mask + 16);
  }

  /** Learns the runs from lines spread over `block`, which holds whole lines. */
  learnRuns(block: Buffer): void {
    const habits = new Habits();
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const from = sample === 0 ? 0 : block.indexOf(10, Math.floor((block.length / SAMPLES) * sample)) + 1;
      const to = block.indexOf(10, from);
      if (to === -1) break;
      const line = block.toString("latin1", from, to);
      const fields = fieldsOf(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (fields === null || fields.length === 0) continue;
      for (const field of fields) this.#learnKey(field);
      habits.add(fields, line.endsWith("\r") ? "}\r\n" : "}\n");
    }
    this.#writeRun(FIRST, "", habits);
    for (const [literal, { index }] of this.#known) this.#writeRun(index, literal, habits);
  }

  #writeRun(index: number, literal: string, habits: Habits): void {
    const at = RUNS + index * RUN.bytes;
    let text = "";
    let roles = 0;
    let written = 0;
    let nextKey: number | null = null;
    // The run as it was after the last field that fits.
    for (let previous = literal; ;) {
      const next = habits.after(previous);
      if (next === null || text.length + next.length > LONGEST_RUN) break;
      const key = next.slice(next.indexOf('"'));
      const known = this.#known.get(key);
      const over = next.endsWith("\n");
      if (!over && (known === undefined || (known.role !== 0 && (roles & known.role) !== 0))) break;
      text += next;
      written = text.length;
      nextKey = over ? LINE_OVER : (known?.index ?? 0);
      if (over) break;
      roles |= known?.role ?? 0;
      const value = this.#constantValue(key, known?.role ?? 0, habits);
      if (value === null) break;
      text += value;
      previous = key;
    }
    this.#writeText(at, text.slice(0, written), RUN.mask);
    this.kernel.view.setUint32(at + RUN.length, nextKey === null ? 0 : written, true);
    this.kernel.view.setUint32(at + RUN.roles, roles, true);
    this.kernel.view.setInt32(at + RUN.key, nextKey ?? LINE_OVER, true);
  }

  /**
   * A value that may be part of a run: one nobody reads, or the exit zero. Everything else is looked at in each line, and so
   * is whatever is not ASCII, since its encoding has to be checked.
   */
  #constantValue(literal: string, role: number, habits: Habits): string | null {
    const value = habits.valueOf(literal);
    if (value !== null && !/^[ -~]*$/u.test(value)) return null;
    return role === 0 || (role === EXIT && value === "0") ? value : null;
  }
}
