// Takes the lines of one file after the other into a reduction by parsing each: the plain way, correct for every line.
// It keeps the per-file book: lines, records, skipped lines, broken encoding (P7, P8).
import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { SkipReason } from "./normalize-record.js";
import type { LineSink } from "./read-lines.js";
import type { LineReduction } from "./reduce-lines.js";

/** Skipped lines of a file that are reported one by one; further ones are counted. */
const SKIPS_SHOWN = 20;
const NEWLINE = 10;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** The book of one file. */
export interface FileBook {
  readonly path: string;
  lines: number;
  records: number;
  /** Bytes taken in. */
  bytes: number;
  skipped: number;
  readonly first_skips: { readonly line: number; readonly reason: SkipReason }[];
  encoding_broken: boolean;
}

export function newBook(path: string): FileBook {
  return { path, lines: 0, records: 0, bytes: 0, skipped: 0, first_skips: [], encoding_broken: false };
}

/** The diagnostics a file's book gives, in line order. */
export function bookDiagnostics(book: FileBook): Diagnostic[] {
  const found: Diagnostic[] = book.first_skips.map(({ line, reason }) => ({
    code: "feedback.skipped_line",
    severity: "warn",
    artifact: "feedback",
    source: { path: book.path, line },
    args: { reason },
  }));
  const further = book.skipped - book.first_skips.length;
  const rest = { severity: "warn", artifact: "feedback", source: { path: book.path } } as const;
  if (further > 0) found.push({ code: "feedback.skipped_lines", ...rest, args: { count: further } });
  if (book.encoding_broken) found.push({ code: "feedback.encoding", ...rest, args: {} });
  return found;
}

/** A {@link LineSink} that parses every line. */
export class LineTaker implements LineSink {
  book: FileBook = newBook("");
  protected file = 0;

  constructor(
    readonly reduction: LineReduction,
    readonly buffer: Buffer,
    /** Called when all whole lines of the file are taken in, before an unended last one. */
    public onLineEnd: (offset: number) => void = () => {},
  ) {}

  /** The lines that follow are `file`'s. */
  begin(file: number, book: FileBook): void {
    this.file = file;
    this.book = book;
  }

  block(from: number, to: number, offset: number): void {
    this.checkEncoding(this.buffer.subarray(from, to));
    for (let start = from; start < to;) {
      const end = this.buffer.indexOf(NEWLINE, start);
      this.takeLine(this.buffer, start, end, offset + start - from);
      start = end + 1;
    }
  }

  line(bytes: Buffer | null, offset: number, length: number): void {
    if (bytes === null) {
      this.book.lines += 1;
      this.skip("longer than 16 MiB");
      return;
    }
    this.checkEncoding(bytes);
    this.takeLine(bytes, 0, length, offset);
  }

  atLineEnd(offset: number): void {
    this.onLineEnd(offset);
  }

  protected checkEncoding(bytes: Buffer): void {
    if (!this.book.encoding_broken && !isUtf8(bytes)) this.book.encoding_broken = true;
  }

  /** Takes the line in `buffer[from..to)`, whose first byte is at `offset` of the file. */
  protected takeLine(buffer: Buffer, from: number, to: number, offset: number): void {
    this.book.lines += 1;
    const bom = offset === 0 && BOM.every((byte, index) => buffer[from + index] === byte) ? BOM.length : 0;
    const text = buffer.toString("utf8", from + bom, to);
    if (text.trim() === "") return;
    const ref = { file: this.file, offset: offset + bom, length: to - from - bom, line: this.book.lines };
    const fate = this.reduction.addLine(text, ref);
    if (fate === "record") this.book.records += 1;
    else if (fate !== "repeated") this.skip(fate);
  }

  protected skip(reason: SkipReason): void {
    this.book.skipped += 1;
    if (this.book.first_skips.length < SKIPS_SHOWN) {
      this.book.first_skips.push({ line: this.book.lines, reason });
    }
  }
}
