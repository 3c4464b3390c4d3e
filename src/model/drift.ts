// Drift (S7): what has changed between a packet and the workbench it speaks of. Facts are read by src/workbench and
// src/store, the verdict is made by src/packet.
import type { Diagnostic, DiagnosticCode } from "./diagnostic.js";
import type { HandoffPacket } from "./packet.js";
import type { GitChange } from "./snapshot.js";

/** Every drift code there is. */
export type DriftCode = Extract<DiagnosticCode, `drift.${string}`>;

/** `refused`: it must not drive a session. `drifted`: usable, with these lines read first. */
type DriftVerdict = "fresh" | "drifted" | "refused";

/** One thing that changed. `severity` is `error` for what refuses the packet, `warn` for the rest. */
export interface DriftFinding extends Diagnostic {
  /** What it is about, one a row (commits, paths); cut to the first twenty. */
  readonly items: readonly string[];
}

export interface Drift {
  readonly verdict: DriftVerdict;
  /** Worst first. */
  readonly findings: readonly DriftFinding[];
}

/** What the workbench looks like now, as far as a packet speaks of it. */
export interface WorkbenchDriftFacts {
  readonly git_available: boolean;
  readonly branch: string | null;
  /**
   * The packet's head commit, seen from HEAD: `head` it is HEAD; `behind` HEAD has it and more; `unreachable` it exists, but
   * HEAD does not have it; `gone` no such commit; `none` the packet names no commit, or there is no git.
   */
  readonly head: "head" | "behind" | "unreachable" | "gone" | "none";
  /** Commits HEAD has and the packet's commit has not, newest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  readonly commits_omitted: number;
  readonly dirty: boolean;
  /** History before some edge is not there: a commit that is gone may lie beyond it. */
  readonly shallow: boolean;
  /** Base to working tree, counted from the packet's own base; null: cannot be compared. */
  readonly changes: readonly GitChange[] | null;
  /** Files the packet vouches for: `sha256` null for one that is gone or cannot be read. */
  readonly files: readonly { readonly path: string; readonly sha256: string | null }[];
  /** The session's log now. */
  readonly feedback: { readonly total: number };
  /** Short name of the default branch when it has all of the packet's commits, else null. */
  readonly merged_into: string | null;
}

/** What the store says of the packet. */
export interface StoreDriftFacts {
  /** By the index, which counts. */
  readonly status: HandoffPacket["status"];
  readonly superseded_by: string | null;
  /** What does not fit between its two files (checkPacket). */
  readonly file_findings: readonly Diagnostic[];
}

export type DriftFacts = WorkbenchDriftFacts & StoreDriftFacts;

/** Digest of every file the packet vouches for. */
export function vouchedFiles({ prerequisites, verdict_pointer }: HandoffPacket): ReadonlyMap<string, string> {
  const files = new Map(prerequisites.map(({ path, sha256 }) => [path, sha256]));
  for (const { path, sha256 } of [verdict_pointer.verification, verdict_pointer.review])
    if (path !== null && sha256 !== null) files.set(path, sha256);
  return files;
}
