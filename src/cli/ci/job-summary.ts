// The job summary (A16): what a gate found and the packet as a pull request would show it, appended to the Markdown file that
// the CI names. It never fails a job, and never makes the file larger than the CI takes.
import { open } from "node:fs/promises";
import type { HandoffPacket } from "../../model/packet.js";
import type { Check } from "../../packet/decide-check.js";
import { inlineProse } from "../../render/escape-markdown.js";
import { markdownLines } from "../../render/markdown-lines.js";
import { renderPrBody } from "../../render/render-pr-body.js";
import type { TemplateOverrides } from "../../render/templates.js";
import { describeDiagnostic } from "../../text/diagnostic-text.js";

/** GitHub's limit for a step, in bytes; of a larger one nothing is shown. */
export const SUMMARY_MAX_BYTES = 1024 * 1024;

/** What is told of one command. */
export interface JobSummary {
  readonly packet: HandoffPacket | null;
  /** null: no gate was asked. */
  readonly check: Check | null;
  readonly templates: TemplateOverrides;
}

function renderCheck({ passed, fail_on, findings }: Check): string {
  const rows = findings.map((finding) => {
    const weight = finding.weight === "block" ? "**block**" : finding.weight;
    return `- ${weight} · ${inlineProse(describeDiagnostic(finding))}`;
  });
  const asked = fail_on === "never" ? "nothing fails it" : `fails on ${fail_on}`;
  return [`**Handoff check: ${passed ? "passed" : "failed"}** (${asked})`, "", ...rows].join("\n").trimEnd();
}

/** Whole lines of at most `maxBytes`, none inside a fence, the last counting what is left out; null when not even that fits. */
export function cutMarkdown(markdown: string, maxBytes: number): string | null {
  if (Buffer.byteLength(markdown) <= maxBytes) return markdown;
  const lines = [...markdownLines(markdown)];
  const note = (count: number): string => `\n… and ${count} more ${count === 1 ? "line" : "lines"}\n`;
  const room = maxBytes - Buffer.byteLength(note(lines.length));
  if (room < 0) return null;
  let used = 0;
  let keep = 0;
  for (const [i, { text, open: inside }] of lines.entries()) {
    used += Buffer.byteLength(text) + 1;
    if (used > room) break;
    if (!inside) keep = i + 1;
  }
  const kept = lines.slice(0, keep).map(({ text }) => `${text}\n`);
  return `${kept.join("")}${note(lines.length - keep)}`;
}

/** The text to append to what the file holds: a packet that is told there already is not told again. */
export function renderJobSummary(existing: string, { packet, check, templates }: JobSummary): string {
  const block = packet === null ? "" : renderPrBody(packet, { overrides: templates });
  const isTold = block !== "" && existing.includes(block.slice(0, block.indexOf("\n")));
  const parts = [check === null ? "" : renderCheck(check), isTold ? "" : block].filter((part) => part !== "");
  if (parts.length === 0) return "";
  const before = existing === "" ? "" : existing.endsWith("\n") ? "\n" : "\n\n";
  return `${before}${parts.join("\n\n")}\n`;
}

/** Appends it. The reason when that could not be done, null when it could (or nothing was to be said). */
export async function appendJobSummary(file: string, summary: JobSummary): Promise<string | null> {
  try {
    // Not blocking: the name comes from the environment, and may be that of a FIFO.
    const handle = await open(file, "a+", 0o644);
    try {
      const facts = await handle.stat();
      if (!facts.isFile()) return "it is not a file";
      if (facts.size >= SUMMARY_MAX_BYTES) return "it is full";
      const existing = await handle.readFile("utf8");
      const text = cutMarkdown(renderJobSummary(existing, summary), SUMMARY_MAX_BYTES - facts.size);
      if (text === null) return "it is full";
      await handle.appendFile(text);
      return null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
