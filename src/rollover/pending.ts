// The request that open leaves for confirm (L1): pending.json of the pane, with a digest of the token and never the token.
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { sha256Hex } from "../text/digest.js";
import { parseTime } from "../text/parse-time.js";
import type { PendingFacts } from "./gates.js";
import { dropRecord, listPanes, paneFolder, readRecord, writeRecord } from "./roll-folder.js";

const NAME = "pending.json";
/** A person may take a while to agree. */
const SHORTEST_LIFE_S = 4 * 60 * 60;

export interface Pending extends PendingFacts {
  readonly pane: string;
  readonly session_id: string;
  readonly reason: string | null;
  readonly opened_at: string;
  /** Absolute; `auto`: none is written. */
  readonly handover_path: string;
}

/** A request as it is made. */
export interface NewPending {
  readonly pane: string;
  readonly session_id: string;
  readonly reason: string | null;
  readonly handover_path: string;
  readonly max_doc_age_seconds: number;
  readonly now: Date;
}

/** 32 hex digits. */
export function newToken(): string {
  return randomBytes(16).toString("hex");
}

/** How a token is kept. */
export function tokenDigest(token: string): string {
  return sha256Hex(token.trim());
}

/** Writes it in the place of the one before. Throws UsageError. */
export async function writePending(
  root: string,
  key: string,
  token: string,
  { max_doc_age_seconds, now, ...asked }: NewPending,
): Promise<{ readonly opened_at: string; readonly expires_at: string }> {
  const life = Math.max(SHORTEST_LIFE_S, 2 * max_doc_age_seconds);
  const times = {
    opened_at: now.toISOString(),
    expires_at: new Date(now.getTime() + life * 1000).toISOString(),
  };
  await writeRecord(root, key, NAME, {
    schema_version: 1,
    token_sha256: tokenDigest(token),
    ...asked,
    ...times,
  });
  return times;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The pane's request; null: none that can be used. When it was opened is when its file was written, by the system's clock. */
export async function readPending(root: string, key: string): Promise<Pending | null> {
  const fields = await readRecord(root, key, NAME);
  const facts = await stat(path.join(paneFolder(root, key), NAME), { bigint: true }).catch(() => null);
  const expires_at = text(fields?.["expires_at"]);
  if (fields === null || facts === null || parseTime(expires_at) === null) return null;
  return {
    token_sha256: text(fields["token_sha256"]),
    expires_at,
    opened_ns: facts.mtimeNs,
    pane: text(fields["pane"]),
    session_id: text(fields["session_id"]),
    reason: text(fields["reason"]) || null,
    opened_at: text(fields["opened_at"]),
    handover_path: text(fields["handover_path"]),
  };
}

/** A token works once. */
export async function dropPending(root: string, key: string): Promise<void> {
  await dropRecord(root, key, NAME);
}

/** Handover paths that other panes' requests have asked for, and that may still be written. */
export async function pathsOfOthers(root: string, key: string, now: Date): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const other of await listPanes(root)) {
    const pending = other === key ? null : await readPending(root, other);
    if (pending !== null && now.getTime() <= Date.parse(pending.expires_at)) paths.add(pending.handover_path);
  }
  return paths;
}
