// Does a packet pass a gate (A16)? Pure: the packet and what changed since it go in, findings with a weight come out. A gate
// asks whether the packet still speaks of what would be merged; how it came to lie there (in a commit of its own, without
// the log it was made from) is no fault.
import type { Diagnostic, DiagnosticSeverity } from "../model/diagnostic.js";
import type { Drift } from "../model/drift.js";
import type { HandoffPacket, OpenRisk } from "../model/packet.js";
import type { Severity } from "../model/severity.js";
import { SEVERITY_RANK } from "./rank-risks.js";

/** The lightest finding that fails: `block`, `warn` and what blocks, or none at all. */
export const FAIL_ON = ["block", "warn", "never"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** One reason for the verdict, or something said beside it. `severity` is for people: `block` is told as an error. */
export interface CheckFinding extends Diagnostic {
  readonly weight: Severity;
  /** What it is about, one a row (commits, paths). */
  readonly items: readonly string[];
}

export interface Check {
  readonly passed: boolean;
  readonly fail_on: FailOn;
  /** Heaviest first. */
  readonly findings: readonly CheckFinding[];
}

const TOLD: Readonly<Record<Severity, DiagnosticSeverity>> = { block: "error", warn: "warn", info: "info" };

/**
 * What a difference weighs. Blocking: the content is another one, or nobody can tell; the packet is not what was generated,
 * or not this branch's. A commit that changed nothing the packet had not seen (its own, most of all) weighs nothing, and a
 * log or report that is merely not here (they are seldom committed) is worth a warning.
 */
const WEIGHTS: Readonly<Record<string, Severity>> = {
  "drift.base_merged": "warn",
  "drift.verdict_stale": "warn",
  "drift.artifact_gone": "warn",
  "drift.feedback_replaced": "warn",
  "drift.markdown_edited": "warn",
};

/** The same where the content is the packet's own, whatever commits came or went. */
const SAME_CONTENT: Readonly<Record<string, Severity>> = {
  "drift.commits": "info",
  "drift.verdict_stale": "info",
  "drift.head_unreachable": "warn",
};

function fromDrift({ findings }: Drift): CheckFinding[] {
  const same = findings.some(({ args }) => args["tree"] === "same");
  return findings.map((found) => {
    const weight = (same ? SAME_CONTENT[found.code] : undefined) ?? WEIGHTS[found.code] ?? "block";
    return { ...found, weight, severity: TOLD[weight] };
  });
}

function finding(
  code: "check.unpublished" | "check.degraded" | "check.risk",
  weight: Severity,
  args: Diagnostic["args"],
  source: Diagnostic["source"] = null,
): CheckFinding {
  return { code, severity: TOLD[weight], artifact: "packet", source, args, weight, items: [] };
}

function fromRisk({ severity, detail, source }: OpenRisk): CheckFinding {
  const { path, line } = source;
  return finding("check.risk", severity, { detail }, line === undefined ? { path } : { path, line });
}

function fromPacket({ degraded, open_risks }: HandoffPacket, failOn: FailOn): CheckFinding[] {
  const minded = open_risks.filter(({ severity }) => severity === "block" || severity === failOn);
  const risks = minded.map(fromRisk);
  return degraded === null ? risks : [finding("check.degraded", "block", { ...degraded }), ...risks];
}

/**
 * The verdict. `block`: fails when the packet is stale (see the weights above), degraded or has a blocking risk. `warn`:
 * warnings and risks of severity `warn` fail too. `never`: the same findings, and it passes.
 * @param packet what is judged; null: its file is none, as `drift` says
 * @param drift what changed since the packet; null: it is not published, but what would be written now
 */
export function decideCheck(packet: HandoffPacket | null, drift: Drift | null, failOn: FailOn): Check {
  const findings = [
    ...(drift === null ? [finding("check.unpublished", "warn", {})] : fromDrift(drift)),
    ...(packet === null ? [] : fromPacket(packet, failOn)),
  ].toSorted((a, b) => SEVERITY_RANK[a.weight] - SEVERITY_RANK[b.weight]);
  const fails = ({ weight }: CheckFinding): boolean =>
    failOn !== "never" && (weight === "block" || weight === failOn);
  return { passed: !findings.some(fails), fail_on: failOn, findings };
}
