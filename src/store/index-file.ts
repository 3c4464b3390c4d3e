// index.json as bytes: read and checked by hand, because a store may hold ten thousand packets and every command reads it.
// The checks say the same as model/store-index.ts; a test holds the two together.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";

/** Name of the index in the store's root. */
export const INDEX_FILE = "index.json";
const MAX_INDEX_BYTES = 512 * 1024 * 1024;

export const EMPTY_INDEX: StoreIndex = { schema_version: "1.0", sequence: 0, packets: [] };

/** `corrupt`: it was read and is no index. `unreadable`: it is there, but what it says is not known. */
export type IndexFile =
  | { readonly status: "index"; readonly index: StoreIndex; readonly text: string }
  | { readonly status: "missing" }
  | { readonly status: "corrupt"; readonly reason: string; readonly text: string; readonly sha256: string }
  | { readonly status: "unreadable"; readonly reason: string };

const PACKET_ID = /^hp_[0-9a-f]{16}$/;
const ID = /^(?!\.)[A-Za-z0-9._-]{1,128}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DIGEST = /^[0-9a-f]{64}$/;
const FOLDER = /^(?!\.)[A-Za-z0-9._-]{1,200}(?:\/(?!\.)[A-Za-z0-9._-]{1,200}){0,2}$/;
const STATUS = /^(?:active|superseded|archived)$/;

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object with exactly these fields. */
function hasFields(value: unknown, fields: readonly (readonly [string, Check])[]): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).length === fields.length &&
    fields.every(([key, check]) => Object.hasOwn(value, key) && check(value[key]))
  );
}

const CONSUMPTION = [
  ["by", matches(/./su)],
  ["at", matches(TIME)],
] as const;

const ENTRY: readonly (readonly [keyof IndexEntry, Check])[] = [
  ["packet_id", matches(PACKET_ID)],
  ["session_id", matches(ID)],
  ["branch", orNull(isText)],
  ["topic", matches(ID)],
  ["task_id", orNull(matches(ID))],
  ["status", matches(STATUS)],
  ["path", matches(FOLDER)],
  ["generated_at", orNull(matches(TIME))],
  ["next_action", isText],
  ["supersedes", orNull(matches(PACKET_ID))],
  ["superseded_by", orNull(matches(PACKET_ID))],
  ["json_sha256", matches(DIGEST)],
  ["sequence", isCount],
  [
    "consumed_by",
    (value) => Array.isArray(value) && value.every((item: unknown) => hasFields(item, CONSUMPTION)),
  ],
];

const INDEX = [
  ["schema_version", (value: unknown) => value === "1.0"],
  ["sequence", isCount],
  ["packets", (value: unknown) => Array.isArray(value)],
] as const;

/** Which packets there are must be sure: one entry an id, one packet a folder, one active packet a branch and topic. */
function contradiction({ packets }: StoreIndex): string | null {
  const ids = new Set<string>();
  const folders = new Set<string>();
  const active = new Set<string>();
  for (const entry of packets) {
    if (ids.has(entry.packet_id)) return `${entry.packet_id} is in it twice`;
    if (folders.has(entry.path)) return `two packets are said to be in ${entry.path}`;
    ids.add(entry.packet_id);
    folders.add(entry.path);
    if (entry.status !== "active") continue;
    const line = JSON.stringify([entry.branch, entry.topic]);
    if (active.has(line)) return `two packets are active on branch ${entry.branch} and topic ${entry.topic}`;
    active.add(line);
  }
  return null;
}

function isIndexShape(value: unknown): value is StoreIndex {
  if (!isRecord(value) || !hasFields(value, INDEX)) return false;
  const packets = value["packets"];
  return Array.isArray(packets) && packets.every((entry: unknown) => hasFields(entry, ENTRY));
}

/** An index, or why it is none. */
export function parseIndex(text: string): { index: StoreIndex } | { reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: "it is not JSON" };
  }
  if (!isIndexShape(value)) return { reason: "it has not the shape of an index" };
  const reason = contradiction(value);
  return reason === null ? { index: value } : { reason };
}

/** Rows as the file spells them, so that writing an index again costs little for those that did not change. */
const rowTexts = new WeakMap<IndexEntry, string>();

function rememberRows(text: string, { packets }: StoreIndex): void {
  const lines = text.split("\n");
  // Laid out as renderIndex does, a row a line; any other layout is simply spelled anew.
  if (lines.length !== packets.length + 3) return;
  for (const [i, entry] of packets.entries()) {
    const row = lines[i + 1]?.replace(/,$/u, "") ?? "";
    if (row.startsWith(`{"packet_id":"${entry.packet_id}"`) && row.endsWith("}")) rowTexts.set(entry, row);
  }
}

/** The index read last, by the digest of its bytes: a command looks several times, and mostly sees the same. */
let last: {
  readonly sha256: string;
  readonly file: Extract<IndexFile, { status: "index" }>;
  /** Its rows' spellings are remembered: only a writer needs them. */
  isSpelled: boolean;
} | null = null;

/** Reads it. Never throws for what is on disk. */
export async function readIndexFile(out: string): Promise<IndexFile> {
  const read = await readArtifactFile(out, path.join(out, INDEX_FILE), MAX_INDEX_BYTES);
  if (read.status === "missing") return { status: "missing" };
  if (read.status !== "read") {
    const reason = read.status === "unreadable" ? read.reason : read.status.replaceAll("_", " ");
    return { status: "unreadable", reason };
  }
  if (last !== null && last.sha256 === read.sha256) return last.file;
  const parsed = parseIndex(read.text);
  if ("index" in parsed) {
    const file = { status: "index", index: parsed.index, text: read.text } as const;
    last = { sha256: read.sha256, file, isSpelled: false };
    return file;
  }
  return { status: "corrupt", reason: parsed.reason, text: read.text, sha256: read.sha256 };
}

/** The bytes of an index: one packet a line, so that a diff can be read. Rows read from a file keep its spelling. */
export function renderIndex({ schema_version, sequence, packets }: StoreIndex): string {
  if (last !== null && !last.isSpelled) {
    rememberRows(last.file.text, last.file.index);
    last.isSpelled = true;
  }
  const rows = packets.map((entry) => `\n${rowTexts.get(entry) ?? JSON.stringify(entry)}`).join(",");
  return `{"schema_version":"${schema_version}","sequence":${sequence},"packets":[${rows}\n]}\n`;
}
