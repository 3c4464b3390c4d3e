// A text that is to be changed and not damaged: every byte of it, or an error that says why it stays as it is.
import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { findArtifactFile } from "../io/read-artifact-file.js";
import { UsageError } from "../model/errors.js";

/** Far more than any settings a person keeps. */
const MAX_BYTES = 4 * 1024 * 1024;

function unreadable(file: string, reason: string): UsageError {
  return new UsageError(
    "settings.unreadable",
    `it cannot be read: ${reason}, so it stays as it is`,
    "make it a readable UTF-8 text file, or move it away",
    { path: file },
  );
}

/**
 * The whole text, byte order mark and line ends included; null when there is no such file. Throws UsageError.
 * @param base a file that links lead out of this folder is none of ours to read; null: links may lead anywhere
 */
export async function readText(file: string, base: string | null = null): Promise<string | null> {
  const found = await findArtifactFile(base, file);
  if (found.status === "missing") return null;
  if (found.status === "unreadable") throw unreadable(file, found.reason);
  if (found.status === "not_regular") throw unreadable(file, `it is a ${found.kind}`);
  if (found.status === "outside_root") throw unreadable(file, "a link leads out of the project");
  if (found.status !== "found") throw unreadable(file, found.status.replaceAll("_", " "));
  if (found.bytes > MAX_BYTES) throw unreadable(file, `it has more than ${MAX_BYTES} bytes`);
  const bytes = await readFile(found.real_path).catch((error: unknown) => {
    throw unreadable(file, error instanceof Error && "code" in error ? String(error.code) : "unknown");
  });
  // Decoding would replace what is not UTF-8, and so change what is not ours.
  if (!isUtf8(bytes)) throw unreadable(file, "it is not UTF-8");
  return bytes.toString("utf8");
}
