// Reads transcripts from disk in bounded memory (A12): one file as its reader's items, and a whole session, its subagents'
// files included, as one stream in the order things ended.
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { hasCode } from "../io/has-code.js";
import { splitLines } from "../io/line-splitter.js";
import { UsageError } from "../model/errors.js";
import type {
  ContextReading,
  SubagentFile,
  TranscriptFacts,
  TranscriptItem,
  TranscriptReader,
  TranscriptSpeech,
} from "./transcript.js";

/** Bytes read at once. */
const BLOCK = 128 * 1024;
/** Longest line that is read, in UTF-16 units: about what the feedback log's is. */
export const LINE_LIMIT = 16 * 1024 * 1024;

/** What of the lines could not be used. */
export interface TranscriptLosses {
  /** Lines that were no JSON object, the torn one included. */
  unreadable: number;
  /** Lines over the limit. */
  oversized: number;
  /** Files whose last line was cut off. */
  torn: number;
}

/** The error for a transcript that cannot be read (exit 2). */
export function unreadableTranscript(file: string, reason: string): UsageError {
  return new UsageError(
    "transcript.unreadable",
    `the transcript cannot be read: ${reason}`,
    "name a readable file, or a session id",
    { path: file },
  );
}

/** Size of a regular file. Throws UsageError `transcript.unreadable`. */
async function sizeOf(file: string): Promise<number> {
  try {
    const facts = await stat(file);
    if (facts.isFile()) return facts.size;
  } catch (error) {
    throw unreadableTranscript(file, hasCode(error, "ENOENT") ? "there is no such file" : String(error));
  }
  throw unreadableTranscript(file, "it is no regular file");
}

/** Reads a piece of a file; 0 at its end. Opens and closes it each time: a session may have more files than a process may hold open. */
export async function readBlock(file: string, block: Buffer, at: number): Promise<number> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return (await handle.read(block, 0, block.length, at)).bytesRead;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadableTranscript(file, String(error));
  }
}

/**
 * The items of one file, up to the size it has now. `losses` is added to. Throws UsageError `transcript.unreadable`.
 */
export async function* streamFile(
  file: string,
  reader: TranscriptReader,
  losses: TranscriptLosses,
): AsyncGenerator<TranscriptItem, void, undefined> {
  const size = await sizeOf(file);
  let lines: string[] = [];
  const splitter = splitLines((line) => {
    if (line === null) losses.oversized += 1;
    else lines.push(line);
  }, LINE_LIMIT);
  const block = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(1, size)));
  for (let at = 0; at < size;) {
    const got = Math.min(await readBlock(file, block, at), size - at);
    if (got === 0) break;
    at += got;
    splitter.push(block.subarray(0, got));
    for (const line of lines) yield* reader.push(line);
    lines = [];
  }
  splitter.end();
  const before = reader.unreadable();
  for (const line of lines) yield* reader.push(line);
  if (reader.unreadable() > before) losses.torn += 1;
  losses.unreadable += reader.unreadable();
  yield* reader.end();
}

/** A stream and its next item. */
interface Source {
  readonly items: AsyncGenerator<TranscriptItem, void, undefined>;
  head: TranscriptItem;
}

/** What has no time is not kept waiting. */
function timeOf({ at }: TranscriptItem): number {
  const ms = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}

async function* mergeByTime(
  streams: readonly AsyncGenerator<TranscriptItem, void, undefined>[],
): AsyncGenerator<TranscriptItem, void, undefined> {
  const sources: Source[] = [];
  for (const items of streams) {
    const first = await items.next();
    if (first.done !== true) sources.push({ items, head: first.value });
  }
  while (sources.length > 0) {
    let earliest = sources[0];
    for (const source of sources)
      if (earliest === undefined || timeOf(source.head) < timeOf(earliest.head)) earliest = source;
    if (earliest === undefined) return;
    yield earliest.head;
    const next = await earliest.items.next();
    if (next.done === true) sources.splice(sources.indexOf(earliest), 1);
    else earliest.head = next.value;
  }
}

/** A session's transcript while it is read; what it says as a whole is complete when `items` are. */
export interface TranscriptStream {
  readonly items: AsyncGenerator<TranscriptItem, void, undefined>;
  readonly facts: () => TranscriptFacts;
  readonly context: () => ContextReading | null;
  readonly losses: Readonly<TranscriptLosses>;
  /** Subagents' files that are read with it. */
  readonly subagents: number;
}

/** Reads a session's transcript and those of its subagents. */
export function streamSession(
  speech: TranscriptSpeech,
  file: string,
  subagents: readonly SubagentFile[],
): TranscriptStream {
  const losses: TranscriptLosses = { unreadable: 0, oversized: 0, torn: 0 };
  const main = speech.createReader();
  const streams = [
    streamFile(file, main, losses),
    ...subagents.map((one) => streamFile(one.file, speech.createReader(one.subagent), losses)),
  ];
  return {
    items: mergeByTime(streams),
    facts: main.facts,
    context: main.context,
    losses,
    subagents: subagents.length,
  };
}
