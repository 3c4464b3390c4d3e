// For tests: what must hold of a store, told as faults, none when it is sound.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { readMarkdownStamp } from "../../render/markdown-stamp.js";
import type { IndexEntry, StoreIndex } from "../../model/store-index.js";
import { hasLifecycle } from "../lifecycle.js";
import { readPacketFile } from "../read-packet.js";
import { readStore, type StorePlace } from "../read-store.js";
import { listPacketFolders, scanFolder } from "../scan-packets.js";
import { entryFile, isSameLine } from "../select-packet.js";

const lineOf = ({ branch, topic }: IndexEntry): string => JSON.stringify([branch, topic]);

/** Links agree from both sides, no circles, at most one active packet a branch and topic, later packets later. */
export function indexFaults({ packets, sequence }: StoreIndex): string[] {
  const faults: string[] = [];
  const byId = new Map(packets.map((entry) => [entry.packet_id, entry]));
  if (byId.size !== packets.length) faults.push("an id is there twice");
  const active = new Map<string, number>();
  for (const entry of packets) {
    const { packet_id, supersedes, superseded_by, status } = entry;
    if (entry.sequence > sequence) faults.push(`${packet_id} has a sequence from the future`);
    if (status === "active") {
      active.set(lineOf(entry), (active.get(lineOf(entry)) ?? 0) + 1);
      if (superseded_by !== null) faults.push(`${packet_id} is active and superseded`);
    }
    const earlier = byId.get(supersedes ?? "");
    if (earlier !== undefined) {
      if (earlier.superseded_by !== packet_id) faults.push(`${packet_id} follows, but is not followed back`);
      if (!isSameLine(earlier, entry)) faults.push(`${packet_id} follows a packet of another line`);
      if (earlier.sequence >= entry.sequence) faults.push(`${packet_id} follows a later packet`);
    }
    const later = byId.get(superseded_by ?? "");
    if (later !== undefined && later.supersedes !== packet_id)
      faults.push(`${packet_id} is followed, but not from there`);
  }
  for (const [line, count] of active) if (count > 1) faults.push(`${count} active packets on ${line}`);
  return faults;
}

/** What a reader may count on at any moment, a crash included. */
export async function readerFaults(place: StorePlace): Promise<string[]> {
  const { out, index, diagnostics } = await readStore(place);
  const faults = [
    ...indexFaults(index),
    ...diagnostics.filter(({ severity }) => severity !== "info").map(({ code }) => code),
  ];
  if (out === null) return faults;
  for (const entry of index.packets) {
    const file = await readPacketFile(out, entryFile(out, entry, "handoff.json"));
    if (file.status !== "packet") faults.push(`${entry.packet_id} is ${file.status}`);
    else if (!file.id_matches) faults.push(`${entry.packet_id} is not what its id says`);
    else if (file.packet.packet_id !== entry.packet_id) {
      const replaced = entry.status === "active" && file.packet.session_id === entry.session_id;
      if (!replaced) faults.push(`${entry.path} holds ${file.packet.packet_id}, not ${entry.packet_id}`);
    }
  }
  return faults;
}

/** What a store at rest keeps besides: every file says what the index says, and nothing is left over. */
export async function restFaults(place: StorePlace): Promise<string[]> {
  const faults = await readerFaults(place);
  const { out, index } = await readStore(place);
  if (out === null) return faults;
  for (const entry of index.packets) {
    const file = await readPacketFile(out, entryFile(out, entry, "handoff.json"));
    if (file.status !== "packet") continue;
    if (file.packet.packet_id !== entry.packet_id) faults.push(`${entry.path} holds another packet`);
    if (!hasLifecycle(file.packet, entry)) faults.push(`${entry.packet_id} says another status or link`);
    if (file.sha256 !== entry.json_sha256) faults.push(`${entry.packet_id} has another digest`);
    const stamp = readMarkdownStamp(readFileSync(entryFile(out, entry, "handoff.md"), "utf8"));
    if (stamp?.sha256 !== file.sha256) faults.push(`${entry.packet_id}'s Markdown is of other bytes`);
    const { consumed_by } = await scanFolder(out, entry.path);
    if (JSON.stringify(consumed_by) !== JSON.stringify(entry.consumed_by))
      faults.push(`${entry.packet_id} does not say who took it`);
  }
  const known = new Set(index.packets.map((entry) => entry.path));
  for (const folder of await listPacketFolders(out)) {
    const { file } = await scanFolder(out, folder);
    if (file.status !== "missing" && !known.has(folder)) faults.push(`${folder} is in no index`);
  }
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }))
    if (/\.tmp$|^\.lock./u.test(name)) faults.push(`${name} is left over`);
  return faults;
}

/** Names and contents of a store's files. */
export function storeBytes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(folder, file), readFileSync(file, "utf8")]),
  );
}
