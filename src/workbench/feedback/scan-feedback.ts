// Scans every feedback log once, in log order, in bounded memory (P14-P20). Bad input is data: lines and files that
// cannot be read become diagnostics, never exceptions.
import type { Diagnostic } from "../../model/diagnostic.js";
import type { FeedbackScan } from "../../model/feedback.js";
import { closeLog, openLog, type LogFile, type OpenLog } from "./open-log.js";
import type { ScanMachinery, ScanOptions } from "./scan-options.js";
import { ScanRun } from "./scan-run.js";

/** Scans `files`, given in log order (rotated parts before their base). Never throws for what is on disk. */
export async function scanFeedback(
  files: readonly LogFile[],
  options: ScanOptions,
  machinery: ScanMachinery = { reader: "best" },
): Promise<{ scan: FeedbackScan; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const logs: OpenLog[] = [];
  try {
    for (const file of files) {
      const opened = openLog(file);
      if ("fd" in opened) logs.push(opened);
      else diagnostics.push(opened);
    }
    const run = new ScanRun(logs, options, machinery);
    let result = await run.scan(!options.rescan);
    // The cursor spoke of records that are not there: it was of another log after all.
    if (!result.faithful && result.resumed) result = await run.scan(false);
    return { scan: result.scan, diagnostics: [...diagnostics, ...result.diagnostics] };
  } finally {
    for (const log of logs) closeLog(log);
  }
}
