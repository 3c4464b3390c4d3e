// What stands where a packet's files are to go (S1, P39): ours, to be replaced, or somebody else's, which stays.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asReadError } from "../io/write-atomic.js";
import { UsageError } from "../model/errors.js";
import type { StoreIndex } from "../model/store-index.js";
import { readMarkdownStamp } from "../render/markdown-stamp.js";
import { assertKnown, readPacketFile, type PacketFile } from "./read-packet.js";

function refuseForeign(file: string, reason: string): never {
  throw new UsageError(
    "store.foreign_file",
    `there is a ${path.basename(file)} that handoff did not write, and it stays as it is: ${reason}`,
    "move it away, or name another folder with --out",
    { path: file },
  );
}

/** A text of unknown make where the index says that a packet of ours is: it was ours, and somebody spoilt it. */
function asSpoilt(json: PacketFile, index: StoreIndex, folder: string): PacketFile {
  if (json.status !== "foreign" || json.found === undefined) return json;
  if (!index.packets.some((entry) => entry.path === folder)) return json;
  return { status: "invalid", reason: json.reason, ...json.found, mended: null };
}

/** What stands where a packet's files are to go. Throws UsageError when it is not ours. */
export async function readTarget(out: string, index: StoreIndex, folder: string) {
  const jsonPath = path.join(out, ...folder.split("/"), "handoff.json");
  const markdownPath = path.join(path.dirname(jsonPath), "handoff.md");
  const entry = index.packets.find(({ path: place }) => place === folder);
  const json = asSpoilt(await readPacketFile(out, jsonPath, entry?.json_sha256), index, folder);
  assertKnown(json, jsonPath);
  if (json.status === "foreign") refuseForeign(jsonPath, json.reason);
  const markdown = await readArtifactFile(out, markdownPath);
  if (markdown.status === "unreadable") throw asReadError(markdown.reason, markdownPath);
  if (markdown.status !== "missing") {
    if (markdown.status !== "read") refuseForeign(markdownPath, "it cannot be read as a file");
    if (json.status === "missing" && readMarkdownStamp(markdown.text) === null)
      refuseForeign(markdownPath, "it carries no packet id");
  }
  return { json, markdown };
}

/** The two files. */
export type Target = Awaited<ReturnType<typeof readTarget>>;
