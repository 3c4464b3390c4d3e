// The feedback log: one record per command (P3), and what a scan of a whole log keeps of it (P14-P20).
// A scan is bounded: its size depends on the kept tail, the failure groups and the limits below, never on the log.

/** One command record, normalised. Texts are as found, uncleaned; `key` is equal for equal commands whatever their spelling. */
export interface FeedbackRecord {
  /** For people: a string command trimmed, an argv shell-quoted. */
  readonly command: string;
  /** For grouping: canonical shell words where the command is plain words, else the command itself. */
  readonly key: string;
  /** null: no exit status (timeout, missing binary, interrupt, or absent). Counts as nonzero. */
  readonly exit_code: number | null;
  /** Milliseconds since the epoch, or null. */
  readonly at: number | null;
  readonly duration_ms: number | null;
  readonly note: string | null;
  readonly error: string | null;
  readonly stdout_tail: string;
  readonly stderr_tail: string;
  readonly command_id: string | null;
  readonly session_id: string | null;
  readonly agent: string | null;
  readonly source: RecordPlace;
}

/** A line of a log file: `path` relative to the root, `line` from 1. */
export interface RecordPlace {
  readonly path: string;
  readonly line: number;
}

/** Compact line ranges of one file; when a group has very many, the middle is left out and counted. */
export interface LineRanges {
  readonly path: string;
  /** Inclusive `[from, to]` pairs, ascending. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Records whose lines are not in `ranges`. */
  readonly omitted: number;
}

/** All records with one nonzero exit of one command (P15). */
export interface FailureGroup {
  readonly command: string;
  readonly key: string;
  readonly exit_code: number | null;
  readonly count: number;
  readonly lines: readonly LineRanges[];
  readonly first: RecordPlace;
  /** The newest failing record, which speaks for the group. */
  readonly last: FeedbackRecord;
  /** The first success of the same command after the group's last failure (P17). */
  readonly resolved_at: RecordPlace | null;
}

/** What a full scan of every feedback file says. */
export interface FeedbackScan {
  /** Log files that exist, in log order. */
  readonly files: readonly { readonly path: string; readonly records: number; readonly bytes: number }[];
  /** Records counted, after joining those that share a command_id. */
  readonly total: number;
  readonly nonzero: number;
  readonly skipped_lines: number;
  /** The newest records in log order, at most {@link TAIL_RECORDS}. */
  readonly tail: readonly FeedbackRecord[];
  /** Every nonzero group, in order of its last failure, at most the scanner's bound. */
  readonly failures: readonly FailureGroup[];
  /** Groups past that bound, oldest resolved first: counted, detail dropped. */
  readonly folded: { readonly groups: number; readonly records: number; readonly unresolved_groups: number };
  /** Newest record time, ms since the epoch. */
  readonly newest_at: number | null;
  /** Of the watched commands, the keys that some record ran with exit 0. */
  readonly passed_watched: readonly string[];
}

/** `commands_run` groups the last 200 records (P14). */
export const TAIL_RECORDS = 200;
