// What generate tells the CI it runs in (A16): annotations in its output, a job summary where the CI names a file for one.
// Outside a CI it says nothing, and whatever goes wrong here never changes how a job ends.
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { HandoffPacket } from "../../model/packet.js";
import { decideCheck, type Check, type CheckFinding } from "../../packet/decide-check.js";
import type { TemplateOverrides } from "../../render/templates.js";
import { printNote } from "../report.js";
import type { Terminal } from "../terminal.js";
import { decideCiService, renderAnnotations, summaryLine } from "./annotations.js";
import { appendJobSummary } from "./job-summary.js";

/** What a command has to tell. */
export interface CiReport {
  /** The workbench's root, absolute. */
  readonly root: string;
  readonly templates: TemplateOverrides;
  readonly packet: HandoffPacket | null;
  /** The packet's handoff.md, absolute; null: nothing is published. */
  readonly markdownPath: string | null;
  /** null: no gate was asked; then what would block one is told. */
  readonly check: Check | null;
  /** stdout belongs to something else. */
  readonly quietStdout: boolean;
}

/** Where the services check the repository out. */
const WORKSPACES = ["GITHUB_WORKSPACE", "BUILD_SOURCESDIRECTORY"] as const;

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** The real path of the repository the CI shows files of. */
function workspaceOf({ env }: Terminal, root: string): string {
  const named = WORKSPACES.map((name) => env[name] ?? "").find((folder) => folder !== "");
  try {
    return named === undefined ? root : realpathSync(named);
  } catch {
    return root;
  }
}

/** Sources that are no files (git's commands), or lie outside the repository, have no place in it. */
function fileIn(
  workspace: string,
  { root, markdownPath }: CiReport,
  { source }: CheckFinding,
): string | null {
  const file = source === null ? markdownPath : path.resolve(root, source.path);
  if (file === null || !isFile(file)) return null;
  const way = path.relative(workspace, file);
  return way.startsWith("..") || path.isAbsolute(way) ? null : way.replaceAll(path.sep, "/");
}

/** Tells it. Never throws. */
export async function tellCi(terminal: Terminal, report: CiReport): Promise<void> {
  const service = decideCiService(terminal.env);
  const summaryFile = terminal.env["GITHUB_STEP_SUMMARY"] ?? "";
  if (service === null && summaryFile === "") return;
  const { packet } = report;
  const asked = report.check ?? decideCheck(packet, { verdict: "fresh", findings: [] }, "block");
  // Names of commits and files, among what changed since, have not passed the gate (S13).
  const { value: check } = terminal.redactor.redactStrings(asked);
  if (service !== null) {
    const write = report.quietStdout ? terminal.err : terminal.out;
    const workspace = workspaceOf(terminal, report.root);
    const lines = renderAnnotations(check.findings, service, (found) => fileIn(workspace, report, found));
    const upload = report.markdownPath === null ? null : summaryLine(service, report.markdownPath);
    for (const line of [...lines, ...(upload === null ? [] : [upload])]) write(`${line}\n`);
  }
  if (summaryFile === "") return;
  const { templates } = report;
  const failed = await appendJobSummary(path.resolve(terminal.cwd, summaryFile), {
    packet,
    check: report.check === null ? null : check,
    templates,
  });
  if (failed !== null)
    printNote(
      terminal,
      "ci.summary_failed",
      `the job summary was not written: ${failed}`,
      "look at GITHUB_STEP_SUMMARY; nothing else depends on it",
    );
}
