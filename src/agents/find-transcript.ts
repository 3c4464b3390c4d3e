// Finds the transcript that a person means: a file, or a session's id, whichever agent it is from.
import { stat } from "node:fs/promises";
import path from "node:path";
import { splitLines } from "../io/line-splitter.js";
import { UsageError } from "../model/errors.js";
import { isValidId } from "../model/valid-id.js";
import { LINE_LIMIT, readBlock, unreadableTranscript } from "./stream-transcript.js";
import { TRANSCRIPT_SPEECHES } from "./transcript-registry.js";
import type { TranscriptPlace, TranscriptSpeech } from "./transcript.js";

/** How much of a file is looked at to know what it is. */
const HEAD_BYTES = 4 * 1024 * 1024;
const BLOCK = 64 * 1024;

/** A transcript and the session it is of. */
export interface FoundTranscript {
  readonly speech: TranscriptSpeech;
  /** Absolute. */
  readonly file: string;
  /** A valid id. */
  readonly session_id: string;
  /** Folder the session started in; null: it does not tell. */
  readonly cwd: string | null;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** The first lines of a file, as many as there are in {@link HEAD_BYTES}. Throws UsageError `transcript.unreadable`. */
async function* headLines(file: string): AsyncGenerator<string, void, undefined> {
  let lines: string[] = [];
  const splitter = splitLines((line) => lines.push(line ?? ""), LINE_LIMIT);
  const block = Buffer.allocUnsafe(BLOCK);
  for (let at = 0; at < HEAD_BYTES;) {
    const got = await readBlock(file, block, at);
    if (got === 0) splitter.end();
    else splitter.push(block.subarray(0, got));
    yield* lines;
    lines = [];
    if (got === 0) return;
    at += got;
  }
}

/** Whose transcript a file is. Throws UsageError `transcript.unknown` for a file that is none. */
async function identify(file: string): Promise<FoundTranscript> {
  let speech: TranscriptSpeech | null = null;
  let reader: ReturnType<TranscriptSpeech["createReader"]> | null = null;
  for await (const line of headLines(file)) {
    const row = parse(line);
    speech ??= TRANSCRIPT_SPEECHES.find(({ claims }) => claims(row)) ?? null;
    if (speech === null) continue;
    reader ??= speech.createReader();
    reader.push(line);
    const { session_id, cwd } = reader.facts();
    if (session_id !== null && cwd !== null) break;
  }
  const { session_id = null, cwd = null } = reader?.facts() ?? {};
  if (speech !== null && session_id !== null && isValidId(session_id))
    return { speech, file, session_id, cwd };
  const names = TRANSCRIPT_SPEECHES.map(({ title }) => title).join(" and ");
  throw new UsageError(
    "transcript.unknown",
    speech === null
      ? "it is no transcript that is known"
      : "the transcript does not say which session it is of",
    `transcripts of ${names} can be read: name the session's own .jsonl file, or its id`,
    { path: file },
  );
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/**
 * Finds it.
 * @param named a file, relative to `cwd`, or a session's id
 * Throws UsageError `transcript.missing`, `transcript.unreadable` or `transcript.unknown`.
 */
export async function findTranscript(
  named: string,
  { cwd, env }: TranscriptPlace & { readonly cwd: string },
): Promise<FoundTranscript> {
  const file = path.resolve(cwd, named);
  if (await isFile(file)) return identify(file);
  if (isValidId(named)) {
    for (const speech of TRANSCRIPT_SPEECHES) {
      const found = await speech.find(named, { env });
      if (found !== null) return identify(found);
    }
    const names = TRANSCRIPT_SPEECHES.map(({ title }) => title).join(" nor ");
    throw new UsageError(
      "transcript.missing",
      `neither ${names} has a transcript of a session ${JSON.stringify(named)} here, and it is no file`,
      "name its .jsonl file; CLAUDE_CONFIG_DIR and CODEX_HOME say where else to look for ids",
    );
  }
  if (
    await stat(file).then(
      () => true,
      () => false,
    )
  )
    throw unreadableTranscript(file, "it is no regular file");
  throw new UsageError(
    "transcript.missing",
    "there is no such file",
    "name a transcript, or a session's id",
    {
      path: named,
    },
  );
}
