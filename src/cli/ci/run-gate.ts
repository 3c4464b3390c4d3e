// generate's gate (A16): `--check` judges the packet that is published for this branch, `--fail-on` alone the one that was
// just written. Nothing is published here; what was found goes to stderr, and to the CI.
import path from "node:path";
import { EXIT, RefusalError, UsageError, type ExitCode } from "../../model/errors.js";
import type { HandoffPacket } from "../../model/packet.js";
import { decideCheck, FAIL_ON, type Check, type FailOn } from "../../packet/decide-check.js";
import { locatePacket, packetOf } from "../../session/locate-packet.js";
import type { Workbench } from "../../session/open-workbench.js";
import { previewSession, type PublishOptions } from "../../session/publish-session.js";
import { readDrift } from "../../session/read-drift.js";
import { checkPacket } from "../../store/check-packet.js";
import type { FoundPacket } from "../../store/locate-packet.js";
import { choiceOption, flagOption, type Arguments } from "../arguments.js";
import { printFindings } from "../print-findings.js";
import { diagnosticRows, printJson, shown, shownPath, tellDiagnostics } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Set where somebody hears what we tell a CI. Elsewhere nothing of that is loaded. */
const HEARD = ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "TF_BUILD"] as const;

/** What was asked of the gate. `published`: judge what is there; `written`: what generate writes; null: nothing. */
export interface GateRequest {
  readonly judge: "published" | "written" | null;
  readonly failOn: FailOn;
}

/** Reads `--check` and `--fail-on`. Throws UsageError for what does not go together. */
export function gateRequest(args: Arguments): GateRequest {
  const failOn = choiceOption(args, "fail-on", FAIL_ON);
  const check = flagOption(args, "check");
  if (check && args["stdout"] !== undefined)
    throw new UsageError("usage.arguments", "--check writes no file that --stdout could print", "use one");
  return { judge: check ? "published" : failOn === null ? null : "written", failOn: failOn ?? "block" };
}

/** The verdict and what it is about. */
export interface Gate {
  readonly check: Check;
  readonly packet: HandoffPacket | null;
  /** Absolute folder of the packet; null: it is not published. */
  readonly dir: string | null;
}

async function locate(workbench: Workbench, options: PublishOptions): Promise<FoundPacket | null> {
  const { sessionId = null, topic = null } = options;
  try {
    return await locatePacket(workbench, { ref: sessionId, topic });
  } catch (error) {
    if (error instanceof RefusalError && error.code === "packet.missing") return null;
    throw error;
  }
}

async function judgePublished(
  workbench: Workbench,
  options: PublishOptions,
  failOn: FailOn,
  terminal: Terminal,
): Promise<Gate> {
  const found = await locate(workbench, options);
  if (found === null) {
    // Nothing there can be stale; what generate would write can still be degraded or risky.
    const { packet } = await previewSession(workbench, { ...options, allowDegraded: true });
    return { check: decideCheck(packet, null, failOn), packet, dir: null };
  }
  tellDiagnostics(terminal, found.diagnostics, false);
  const packet = found.file.status === "packet" ? packetOf(found) : null;
  const drift =
    packet === null
      ? {
          verdict: "refused" as const,
          findings: (await checkPacket(found, workbench.templates)).map((one) => ({ ...one, items: [] })),
        }
      : await readDrift(workbench, found, packet, options.onProgress === undefined ? {} : options);
  return { check: decideCheck(packet, drift, failOn), packet, dir: path.dirname(found.json_path) };
}

/** The verdict on a packet that was made a moment ago: nothing can have changed since. */
export function judgeWritten(packet: HandoffPacket, dir: string | null, failOn: FailOn): Gate {
  return { check: decideCheck(packet, { verdict: "fresh", findings: [] }, failOn), packet, dir };
}

/** The gate as `--json` has it. */
export function gateRow(terminal: Terminal, { passed, fail_on, findings }: Check) {
  const rows = diagnosticRows(terminal, findings);
  return {
    passed,
    fail_on,
    findings: rows.map((row, i) => ({
      ...row,
      severity: findings[i]?.weight ?? "info",
      items: (findings[i]?.items ?? []).map(shown),
    })),
  };
}

/** Tells findings and the CI, and gives the exit code. Without a check the CI is told what there is, and all is well. */
export async function tellGate(
  { root, templates }: Pick<Workbench, "root" | "templates">,
  { check, packet, dir }: Omit<Gate, "check"> & { readonly check: Check | null },
  terminal: Terminal,
  json: boolean,
): Promise<ExitCode> {
  if (check !== null) printFindings(terminal, check.findings);
  if (HEARD.some((name) => (terminal.env[name] ?? "") !== "")) {
    const { tellCi } = await import("./tell-ci.js");
    const markdownPath = dir === null ? null : path.join(dir, "handoff.md");
    await tellCi(terminal, { root, templates, packet, markdownPath, check, quietStdout: json });
  }
  return check?.passed === false ? EXIT.refused : EXIT.ok;
}

/** `generate --check`. Exit 0 passed, 1 not. */
export async function runGate(
  workbench: Workbench,
  options: PublishOptions,
  { failOn }: GateRequest,
  terminal: Terminal,
  json: boolean,
): Promise<ExitCode> {
  const gate = await judgePublished(workbench, options, failOn, terminal);
  const { check, packet, dir } = gate;
  const file = dir === null ? null : path.join(dir, "handoff.json");
  if (json) {
    printJson(
      terminal,
      { ok: check.passed, packet, path: file },
      { changed: false, dry_run: true, check: gateRow(terminal, check) },
    );
  } else {
    const { green, red } = terminal.colors;
    const what =
      file === null
        ? `what generate would write for ${shown(packet?.branch ?? "no branch")}`
        : shownPath(file, terminal.cwd);
    terminal.out(`${check.passed ? green("passed") : red("failed")} ${what}\n`);
  }
  return tellGate(workbench, gate, terminal, json);
}
