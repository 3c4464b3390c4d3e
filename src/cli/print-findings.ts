// What a look at a packet found, on stderr: each with what it is about below it.
import type { Diagnostic } from "../model/diagnostic.js";
import { printDiagnostics, shown } from "./report.js";
import type { Terminal } from "./terminal.js";

/** A diagnostic that may list things: commits, paths. */
export type Finding = Diagnostic & { readonly items?: readonly string[] };

/** Findings, each with what it lists below it: commits, paths. */
export function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  for (const finding of findings) {
    printDiagnostics(terminal, [finding], true);
    const items = finding.items ?? [];
    const all = Number(finding.args["count"] ?? items.length);
    for (const item of items) terminal.err(`    ${shown(item)}\n`);
    if (items.length > 0 && all > items.length) terminal.err(`    … and ${all - items.length} more\n`);
  }
}
