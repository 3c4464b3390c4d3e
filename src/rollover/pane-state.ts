// How a pane's session stands (L7), from what hooks told last: only of this very agent's process, on this very server. Pure.
import type { ProcessIdentity } from "../io/process-identity.js";
import type { PaneFile } from "../recorder/pane-file.js";

/** UNKNOWN: hooks told nothing that can be relied on, and so nothing is sent. */
export type Standing = "IDLE" | "DONE" | "BUSY" | "BLOCKED" | "UNKNOWN";

export interface PaneStanding {
  readonly standing: Standing;
  /** Why it is unknown; empty otherwise. */
  readonly why: string;
}

/** Who is in the pane now. */
export interface PaneOwner {
  readonly server: { readonly pid: number; readonly started: string | null };
  readonly agent: Pick<ProcessIdentity, "pid" | "started">;
}

/** A helper that was not heard of for so long is not waited for: its end was not told. */
export const HELPER_SILENT_MS = 30 * 60_000;

/** Reads it. @param file null: hooks told nothing of this pane */
export function readStanding(file: PaneFile | null, { server, agent }: PaneOwner): PaneStanding {
  const unknown = (why: string): PaneStanding => ({ standing: "UNKNOWN", why });
  if (file === null) return unknown("no hook has told of the session in this pane");
  if (file.server.pid !== server.pid || file.server.started !== server.started)
    return unknown("what hooks told was of a pane of another server");
  const { process } = file;
  // One that started later, or under a number that was used again, has told nothing yet.
  if (process === null || process.pid !== agent.pid || process.started !== agent.started)
    return unknown("what hooks told was of another process");
  return { standing: file.state, why: "" };
}

/** Helpers of the session that are at work, as far as hooks told. @param now milliseconds since the epoch */
export function helpersAtWork(file: PaneFile | null, now: number): readonly string[] {
  return (file?.helpers ?? [])
    .filter(({ at }) => now - Date.parse(at) < HELPER_SILENT_MS)
    .map(({ id }) => id);
}
