// Walks a store's folders for packets, whatever the index says: sessions, the folders below them, the archive. Reads only.
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { asReadError } from "../io/write-atomic.js";
import type { Consumption } from "../model/store-index.js";
import { parseJson } from "../text/parse-json.js";
import { readPacketFile, type PacketFile } from "./read-packet.js";
import { RESERVED_NAMES } from "./store-folder.js";

/** Folder of archived packets in the store's root. */
export const ARCHIVE = "archive";
/** File beside a packet that repeats who took it (S8), so that an index can be rebuilt in full. */
export const CONSUMED_FILE = "consumed.json";

/** Names that a store's folders may have; everything else is left alone. */
const FOLDER_NAME = /^(?!\.)[A-Za-z0-9._-]{1,200}$/u;

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    // A file, or a link that leads nowhere, where a folder might be.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return [];
    throw asReadError(code, folder);
  }
}

const foldersOf = (entries: readonly Dirent[]): string[] =>
  entries
    .filter((entry) => !entry.isFile() && FOLDER_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();

/**
 * Every folder that may hold a packet, relative to the store's root with forward slashes, sorted. Throws UsageError for a
 * folder that cannot be listed.
 */
export async function listPacketFolders(out: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of foldersOf(await list(out))) {
    if (name !== ARCHIVE && RESERVED_NAMES.has(name.toLowerCase())) continue;
    if (name !== ARCHIVE) found.push(name);
    for (const inner of foldersOf(await list(path.join(out, name)))) found.push(`${name}/${inner}`);
  }
  return found;
}

/** A folder and what its handoff.json is. */
export interface ScannedFolder {
  readonly folder: string;
  readonly file: PacketFile;
  readonly consumed_by: readonly Consumption[];
}

/** A folder that holds a packet of ours. */
export type ScannedPacket = ScannedFolder & {
  readonly file: Extract<PacketFile, { readonly status: "packet" }>;
};

export function holdsPacket(scanned: ScannedFolder): scanned is ScannedPacket {
  return scanned.file.status === "packet";
}

function isConsumption(value: unknown): value is Consumption {
  if (typeof value !== "object" || value === null || !("by" in value) || !("at" in value)) return false;
  const { by, at } = value;
  return (
    typeof by === "string" &&
    by !== "" &&
    typeof at === "string" &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u.test(at)
  );
}

/** Reads the file that repeats who took the packet of a folder. Empty when there is none or it belongs to another packet. */
async function readConsumed(out: string, folder: string, packetId: string): Promise<Consumption[]> {
  const read = await readArtifactFile(out, path.join(out, folder, CONSUMED_FILE));
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  const value = parsed?.ok === true ? parsed.value : null;
  if (typeof value !== "object" || value === null) return [];
  if (!("packet_id" in value) || value.packet_id !== packetId) return [];
  if (!("consumed_by" in value) || !Array.isArray(value.consumed_by)) return [];
  return value.consumed_by.filter(isConsumption).map(({ by, at }) => ({ by, at }));
}

/** The bytes of that file. */
export function renderConsumed(packetId: string, consumedBy: readonly Consumption[]): string {
  return `${JSON.stringify({ packet_id: packetId, consumed_by: consumedBy }, null, 2)}\n`;
}

/** Reads one folder. Never throws for what is on disk. */
export async function scanFolder(out: string, folder: string): Promise<ScannedFolder> {
  const file = await readPacketFile(out, path.join(out, folder, "handoff.json"));
  const consumed_by = file.status === "packet" ? await readConsumed(out, folder, file.packet.packet_id) : [];
  return { folder, file, consumed_by };
}
