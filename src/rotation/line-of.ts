// The line of one generation (R2, R3, R8): thresholds for its window, kept below where its agent compacts by itself, and what
// has to be said about them. Pure.
import type { AgentDriver } from "../agents/driver.js";
import type { WindowSource } from "../model/run-ledger.js";
import { BLOCKING_HEADROOM, checkHeadroom, type Thresholds, thresholds } from "./policy.js";
import type { RunPlan } from "./run-options.js";

/** Null thresholds: the window is unknown, only an overflow rotates. */
export interface Line {
  readonly thresholds: Thresholds | null;
  readonly warnings: readonly { readonly code: string; readonly what: string }[];
}

/** Windows that are known before a run begins, when a headroom without room is still refused. */
const FORESEEN: ReadonlySet<WindowSource> = new Set(["option", "environment", "config"]);

/**
 * Warnings are for a person. A share of the window that leaves no room for the writing turn, as is seen only once the agent
 * has said how large its window is, cannot be refused any more (R3): the line is lowered until there is room.
 */
export function lineOf(
  window: number | null,
  { headroom, at_percent: atPercent, compact }: Pick<RunPlan, "headroom" | "at_percent" | "compact">,
  driver: AgentDriver,
  source: WindowSource = "option",
): Line {
  if (window === null) return { thresholds: null, warnings: [] };
  const options = { window, headroom, atPercent };
  const warnings: { code: string; what: string }[] = [];
  const { verdict, least } = checkHeadroom(options);
  const isLate = verdict === "refuse" && headroom === null && !FORESEEN.has(source);
  const asked = thresholds(isLate ? { window, headroom: BLOCKING_HEADROOM } : options);
  if (isLate)
    warnings.push({
      code: "line.lowered",
      what: `the line asked for leaves no room for the handoff in a window of ${window} tokens: it is set at ${asked.at}`,
    });
  else if (verdict !== "ok")
    warnings.push({
      code: "headroom.small",
      what: `${window - asked.at} tokens are left free above the line of ${asked.at}; below ${least ?? 0} ${driver.title} may ${verdict === "refuse" ? "have no room left for the handoff" : "compact first"}`,
    });
  const ceiling = driver.compactsAt === null ? null : Math.floor(window * driver.compactsAt);
  if (ceiling === null || asked.at < ceiling) {
    if (compact === "auto" && driver.obeysCompact && window - asked.at < 33_000)
      warnings.push({
        code: "compact.first",
        what: `${driver.title}'s own compaction comes before the line`,
      });
    return { thresholds: asked, warnings };
  }
  warnings.push({
    code: "line.lowered",
    what: `${driver.title} compacts by itself at about ${ceiling} of ${window} tokens and cannot be told not to: the line is set just below`,
  });
  const lowered = thresholds({ window, headroom: window - ceiling + 1 });
  return { thresholds: lowered, warnings };
}
