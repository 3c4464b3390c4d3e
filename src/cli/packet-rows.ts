// Rows of the index as list, log and archive tell them: for people in columns, for programs in one shape (S10).
import type { IndexEntry } from "../model/store-index.js";
import path from "node:path";
import { ageOf } from "./lay-out.js";
import { shown } from "./report.js";
import type { Terminal } from "./terminal.js";

/** One packet as `--json` lists it. `path` is its handoff.json, absolute. */
export function packetRow(out: string, entry: IndexEntry) {
  return {
    packet_id: entry.packet_id,
    session_id: entry.session_id,
    branch: entry.branch,
    topic: entry.topic,
    status: entry.status,
    path: path.join(out, ...entry.path.split("/"), "handoff.json"),
    generated_at: entry.generated_at,
    next_action: entry.next_action,
    supersedes: entry.supersedes,
    superseded_by: entry.superseded_by,
    consumed_by: entry.consumed_by,
  };
}

/** Cells of a packet's row: short id, age, branch, topic, status, session, next action. */
export function packetCells(entry: IndexEntry, now: number): string[] {
  return [
    entry.packet_id.slice(0, 11),
    ageOf(entry.generated_at, now),
    shown(entry.branch ?? "no branch"),
    shown(entry.topic),
    entry.consumed_by.length > 0 && entry.status === "active" ? "active, taken" : entry.status,
    shown(entry.session_id),
    shown(entry.next_action),
  ];
}

/** Colours a laid-out row by its packet's status. */
export function paintRow({ colors }: Terminal, { status }: IndexEntry, line: string): string {
  if (status === "archived") return colors.dim(line);
  return status === "active" ? line.replace("active", colors.green("active")) : line;
}
