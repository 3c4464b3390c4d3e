// From what was asked to what a run is given: options over configuration over defaults, and a headroom that leaves room (R3).
import { UsageError } from "../../model/errors.js";
import { chooseWindow } from "../../rotation/choose-window.js";
import { checkHeadroom } from "../../rotation/policy.js";
import type { RunAgent, RunPlan } from "../../rotation/run-options.js";
import { DEFAULT_LIMITS, type RunLimits } from "../../rotation/run-state.js";
import type { Workbench } from "../../session/open-workbench.js";
import type { NewRun } from "./run-request.js";

/** Sources that stand before whatever the agent will say. */
const FINAL: ReadonlySet<string> = new Set(["option", "environment", "config"]);
/** For a headroom in tokens the verdict is the same with any window. */
const ANY_WINDOW = 1_000_000;

type Configured = Pick<Workbench, "config" | "env">;

/** R3: a headroom that somebody asked for and that leaves no room is refused before anything starts. */
function checkRoom(request: NewRun, headroom: number | null, { config, env }: Configured): void {
  const { atPercent } = request;
  const { window, source } = chooseWindow({ option: request.window, env, config: config.rotation?.window });
  const known = FINAL.has(source) ? window : null;
  if (headroom === null && (atPercent === null || known === null)) return;
  const check = checkHeadroom({ window: known ?? ANY_WINDOW, headroom, atPercent });
  if (check.verdict !== "refuse") return;
  const asked =
    request.headroom !== null
      ? `--headroom ${request.headroom}`
      : headroom === null
        ? `--at-percent ${atPercent} of a window of ${known}`
        : `rotation.headroom ${headroom} in the configuration`;
  throw new UsageError(
    "run.headroom",
    `${asked} leaves no room: a full session still has to say where it stands`,
    `leave at least ${check.least} tokens free; 33000 and more also keeps ahead of the agent's own compaction`,
  );
}

/** What limits the run. */
function limitsOf(
  { maxGenerations, maxAttempts, pause }: Pick<NewRun, "maxGenerations" | "maxAttempts" | "pause">,
  { config }: Pick<Workbench, "config">,
): RunLimits {
  const { rotation = {} } = config;
  return {
    enabled: rotation.enabled ?? DEFAULT_LIMITS.enabled,
    max_generations: maxGenerations ?? rotation.max_generations ?? DEFAULT_LIMITS.max_generations,
    max_consecutive_degraded: rotation.max_consecutive_degraded ?? DEFAULT_LIMITS.max_consecutive_degraded,
    max_attempts: maxAttempts ?? DEFAULT_LIMITS.max_attempts,
    pause,
  };
}

/** The plan of a new run. Throws UsageError `run.headroom`. */
export function planRun(
  request: NewRun,
  workbench: Configured,
  { task, agent, next }: { readonly task: string; readonly agent: RunAgent; readonly next: RunAgent | null },
): RunPlan {
  const { atPercent } = request;
  const configured = atPercent === null ? (workbench.config.rotation?.headroom ?? null) : null;
  const headroom = request.headroom ?? configured;
  checkRoom(request, headroom, workbench);
  return {
    task,
    agent,
    next,
    limits: limitsOf(request, workbench),
    window: request.window,
    headroom,
    at_percent: atPercent,
    compact: request.compact ?? "no_summary",
    topic: request.topic,
  };
}
