// Turns what a scan kept (places, counts) into the FeedbackScan others read: the few records that are worth it are read
// again from the log, so nothing of a record has to stay in memory or in the cursor.
import type { FailureGroup, FeedbackRecord, FeedbackScan } from "../../model/feedback.js";
import type { RecordRef } from "./failure-groups.js";
import { normalizeRecord, parseLine, TEXT_LIMIT } from "./normalize-record.js";
import { readAt, type OpenLog } from "./open-log.js";
import type { LineReduction } from "./reduce-lines.js";
import type { FileBook } from "./take-lines.js";

/** Reads one record again; null when its bytes are no longer there. */
function readRecord(logs: readonly OpenLog[], ref: RecordRef): FeedbackRecord | null {
  const log = logs[ref.file];
  if (log === undefined) return null;
  const bytes = readAt(log, ref.offset, ref.length);
  if (bytes.length < ref.length) return null;
  const fields = parseLine(bytes.toString("utf8"));
  return typeof fields === "string" ? null : normalizeRecord(fields, { path: log.path, line: ref.line });
}

/** What is known of a failure whose line can no longer be read: the log became shorter while it was scanned. */
function bareRecord(key: string, exit_code: number | null, path: string, line: number): FeedbackRecord {
  return {
    command: key.slice(0, TEXT_LIMIT),
    key,
    exit_code,
    at: null,
    duration_ms: null,
    note: null,
    error: null,
    stdout_tail: "",
    stderr_tail: "",
    command_id: null,
    session_id: null,
    agent: null,
    source: { path, line },
  };
}

/**
 * @returns the scan, and whether every record that was kept could be read again and is the one that was counted. When not,
 * the log changed while it was read or a cursor spoke of another log.
 */
export function materialiseScan(
  reduction: LineReduction,
  logs: readonly OpenLog[],
  books: readonly FileBook[],
  watch: readonly string[],
): { scan: FeedbackScan; faithful: boolean } {
  const paths = logs.map(({ path }) => path);
  const pathOf = (file: number): string => paths[file] ?? "";
  let faithful = true;
  const tail: FeedbackRecord[] = [];
  for (const ref of reduction.tail.refs()) {
    const record = readRecord(logs, ref);
    if (record === null) faithful = false;
    else tail.push(record);
  }
  const failures = reduction.groups.inOrder().map((group): FailureGroup => {
    const { key, exit_code, count } = group;
    let last = readRecord(logs, group.last);
    if (last === null || last.key !== key || last.exit_code !== exit_code) {
      faithful = false;
      last = bareRecord(key, exit_code, pathOf(group.last.file), group.last.line);
    }
    return {
      command: last.command,
      key,
      exit_code,
      count,
      lines: group.lines.ranges(paths),
      first: { path: pathOf(group.first[0]), line: group.first[1] },
      last,
      resolved_at:
        group.resolved_at === null
          ? null
          : { path: pathOf(group.resolved_at[0]), line: group.resolved_at[1] },
    };
  });
  const scan: FeedbackScan = {
    files: books.map(({ path, records, bytes }) => ({ path, records, bytes })),
    total: reduction.total,
    nonzero: reduction.nonzero,
    skipped_lines: books.reduce((sum, { skipped }) => sum + skipped, 0),
    tail,
    failures,
    folded: { ...reduction.groups.folded },
    newest_at: reduction.newestAt,
    passed_watched: reduction.passed(watch),
  };
  return { scan, faithful };
}
