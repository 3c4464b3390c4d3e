// Where the job of a run comes from: an option, a file, or stdin; and its text. An empty job, or one that is no text, is a
// usage error: no agent is started for it.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../model/errors.js";
import { flagOption, restOf, textOption, type Arguments } from "../arguments.js";
import type { Terminal } from "../terminal.js";

export type JobSource =
  | { readonly from: "option"; readonly text: string }
  | { readonly from: "file"; readonly file: string }
  | { readonly from: "stdin" };

/** A job's text, and how it came. */
export interface Job {
  readonly text: string;
  /** For people: `--prompt`, `job.md`, `stdin`. */
  readonly from: string;
}

/** Far more than any window holds. */
const MAX_BYTES = 8 * 1024 * 1024;
/** So long nobody wonders what is waited for. */
const QUIET_MS = 1500;
const HOW = "--prompt TEXT, --prompt-file FILE, or through a pipe: … | handoff run --agent …";

function wordsOf(args: Arguments): readonly string[] {
  const words: unknown[] = [args["job"] ?? [], restOf(args)].flat();
  return words.map(String);
}

/** What names the job; null: nothing does. Throws UsageError for two of them, and for a job that is only words. */
export function jobSource(args: Arguments): JobSource | null {
  const words = wordsOf(args);
  const [word] = words;
  const isPiped = flagOption(args, "stdin");
  if (word !== undefined)
    throw new UsageError(
      "usage.arguments",
      `unexpected argument ${JSON.stringify(word)}: the job is one text`,
      `--prompt ${words.length === 1 ? JSON.stringify(word) : `"${words.join(" ")}"`}`,
    );
  const text = textOption(args, "prompt");
  const file = textOption(args, "prompt-file");
  if (text !== null && /^--[a-z][a-z-]*$/u.test(text))
    throw new UsageError("usage.arguments", `--prompt needs a text, and ${text} looks like an option`, HOW);
  const named = [
    ...(text === null ? [] : ["--prompt"]),
    ...(file === null ? [] : ["--prompt-file"]),
    ...(isPiped ? ["-"] : []),
  ];
  if (named.length > 1)
    throw new UsageError(
      "usage.arguments",
      `${named.join(" and ")} both name a job`,
      "give one of them; what belongs together goes into one file",
    );
  if (isPiped || text === "-" || file === "-") return { from: "stdin" };
  if (text !== null) return { from: "option", text };
  return file === null ? null : { from: "file", file };
}

function textOf(bytes: Buffer, from: string, place: { readonly path: string } | null): Job {
  if (bytes.length > MAX_BYTES)
    throw new UsageError(
      "run.job",
      `the job from ${from} has more than ${MAX_BYTES} bytes`,
      "say what is to be done, and name the files that the agent is to read",
      place,
    );
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.trim() !== "") return { text, from };
  } catch {
    throw new UsageError(
      "run.job",
      `the job from ${from} is not UTF-8 text`,
      "save it as UTF-8, and give it again",
      place,
    );
  }
  throw new UsageError("run.job", `the job from ${from} is empty`, HOW, place);
}

async function readJobFile(file: string, cwd: string): Promise<Job> {
  const whole = path.resolve(cwd, file);
  try {
    const { size } = await stat(whole);
    if (size <= MAX_BYTES) return textOf(await readFile(whole), file, { path: whole });
    return textOf(Buffer.alloc(MAX_BYTES + 1), file, { path: whole });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(
      "run.job",
      `--prompt-file cannot be read: ${code === "ENOENT" ? "there is no such file" : code}`,
      "name a text file with the job in it",
      { path: whole },
    );
  }
}

async function readStdin(input: NodeJS.ReadStream, terminal: Terminal): Promise<Job> {
  const say = (what: string): void => terminal.err(`handoff: ${what}\n`);
  if (input.isTTY) say("type the job; Ctrl-D on an empty line ends it, Ctrl-C leaves");
  const timer = setTimeout(() => {
    if (!input.isTTY) say("waiting for the job on stdin (--prompt gives it directly)");
  }, QUIET_MS);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of input) {
      pieces.push(Buffer.from(piece));
      bytes += Buffer.byteLength(piece);
      if (bytes > MAX_BYTES) break;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError("run.job", `the job cannot be read from stdin: ${code}`, HOW);
  } finally {
    clearTimeout(timer);
  }
  return textOf(Buffer.concat(pieces), "stdin", null);
}

/** Reads the job. Where nothing names one it is what a pipe brings. Throws UsageError when there is none. */
export async function readJob(
  source: JobSource | null,
  terminal: Terminal,
  input: NodeJS.ReadStream,
): Promise<Job> {
  if (source?.from === "option") return textOf(Buffer.from(source.text), "--prompt", null);
  if (source?.from === "file") return readJobFile(source.file, terminal.cwd);
  if (source === null && input.isTTY) throw new UsageError("run.job", "the job is missing", HOW);
  return readStdin(input, terminal);
}
