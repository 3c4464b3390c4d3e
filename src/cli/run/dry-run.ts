// `run --dry-run` (R30): the policy, each agent's window and who says so, its line, and the command of its first turn, secrets
// masked. Nothing is started and nothing written.
import type { CompactMode } from "../../agents/driver.js";
import type { WindowSource } from "../../model/run-ledger.js";
import { branchOf, treePath } from "../../operator/worktree.js";
import { RUN_VARIABLE } from "../../recorder/recorder.js";
import { chooseWindow, windowWords as warningWords } from "../../rotation/choose-window.js";
import { modelFromEnvironment } from "../../rotation/default-window.js";
import { lineOf } from "../../rotation/line-of.js";
import type { RunAgent, RunPlan } from "../../rotation/run-options.js";
import { readWindows, windowKey, type WindowMemory } from "../../rotation/window-memory.js";
import type { Workbench } from "../../session/open-workbench.js";
import { quoteArgv, quoteWord } from "../../text/shell-words.js";
import { hanging } from "../lay-out.js";
import { printJson, printNote, shown } from "../report.js";
import type { Terminal } from "../terminal.js";
import { SAID_BY } from "./event-lines.js";
import type { Job } from "./job-source.js";
import type { RunRows } from "./summary.js";

/** What one agent's sessions would be like. Tokens. */
interface AgentRow {
  readonly agent: string;
  readonly sessions: "every" | "odd" | "even";
  readonly model: string | null;
  readonly window: number | null;
  readonly window_source: WindowSource;
  /** The agent's own report, once it runs, would come before this. */
  readonly is_provisional: boolean;
  readonly at: number | null;
  readonly warn_at: number | null;
  readonly headroom: number | null;
  readonly compaction: string;
  /** Of its first turn, as a shell would take it. The prompt is not in it: that goes to stdin. */
  readonly command: string;
}

type Warning = RunRows["warnings"][number];

const LABEL = 14;
/** Made when the session starts. */
const NEW_SESSION = "<session_id>";
const NEW_RUN = "<run_id>";

function compactionOf({ driver }: RunAgent, compact: CompactMode): string {
  if (driver.compactsAt !== null)
    return `its own cannot be turned off, and comes at about ${Math.round(driver.compactsAt * 100)} % of the window`;
  if (!driver.obeysCompact) return "none of ours to turn off";
  if (compact === "auto") return "its own stays on";
  return compact === "off" ? "its own is turned off, the manual one too" : "its own is turned off";
}

/** A shell's line that runs the first turn; secrets masked. */
function commandOf({ driver, bin, args }: RunAgent, plan: RunPlan, { redactor }: Workbench): string {
  const { compact, task: prompt } = plan;
  const turn = driver.turn({
    bin,
    args,
    prompt,
    resume: null,
    newSession: NEW_SESSION,
    compact,
    writing: false,
  });
  const variables = Object.entries({ [RUN_VARIABLE]: NEW_RUN, ...turn.env });
  const assignments = variables.map(([name, value]) => `${name}=${quoteWord(value)}`);
  return redactor.redactText([...assignments, quoteArgv([turn.command, ...turn.args])].join(" ")).text;
}

function agentRow(
  agent: RunAgent,
  sessions: AgentRow["sessions"],
  { plan, workbench, windows }: { plan: RunPlan; workbench: Workbench; windows: WindowMemory },
): { readonly row: AgentRow; readonly warnings: readonly Warning[] } {
  const { env, config } = workbench;
  const { modelVariables } = agent.driver;
  const named = modelFromEnvironment(env, modelVariables)?.model ?? null;
  const chosen = chooseWindow({
    option: plan.window,
    env,
    modelVariables,
    config: config.rotation?.window,
    // What the agent would call its model is not known yet.
    calibration: windows[windowKey(agent, named, env)] ?? windows[windowKey(agent, null, env)],
  });
  const { window, source, model } = chosen;
  const line = lineOf(window, plan, agent.driver, source);
  const is_provisional = source === "calibration" || source === "model_name" || source === "unknown";
  const ignored = chosen.warnings
    .filter(({ code }) => code === "window.env_ignored")
    .map((warning) => ({ code: warning.code, what: warningWords(warning) }));
  const at = line.thresholds?.at ?? null;
  return {
    row: {
      agent: agent.driver.name,
      sessions,
      model,
      window,
      window_source: source,
      is_provisional,
      at,
      warn_at: line.thresholds?.warn_at ?? null,
      headroom: window === null || at === null ? null : window - at,
      compaction: compactionOf(agent, plan.compact),
      command: commandOf(agent, plan, workbench),
    },
    warnings: [...ignored, ...line.warnings],
  };
}

const tokens = (count: number): string => count.toLocaleString("en-US");

function windowWords({ window, window_source, is_provisional, model }: AgentRow): string {
  const name = model === null ? "" : `, model ${model}`;
  const later = is_provisional ? "; what the agent says once it runs comes before that" : "";
  if (window === null)
    return `unknown until the agent says it${name}; if it does not, only an overflow hands over`;
  return `${tokens(window)} tokens, ${SAID_BY[window_source]}${name}${later}`;
}

function lineWords({ at, warn_at, headroom }: AgentRow, enabled: boolean): string {
  if (!enabled) return "none: rotation is off in the configuration";
  if (at === null || warn_at === null || headroom === null) return "none without a window";
  return `hands over at ${tokens(at)} tokens (near from ${tokens(warn_at)}); ${tokens(headroom)} stay free`;
}

function policyWords({ limits }: RunPlan): string {
  const { enabled, max_generations, max_consecutive_degraded, max_attempts, pause } = limits;
  const wait = pause ? "; waits for Enter before each next session" : "";
  return `${enabled ? "hands over at the line" : "never hands over"}; stops after ${max_generations} retired sessions, ${max_consecutive_degraded} degraded handoffs in a row, ${max_attempts} failed tries in a row${wait}`;
}

function jobWords(job: Job | null): string {
  if (job === null) return "none yet";
  const first = job.text.trim().split("\n", 1)[0] ?? "";
  return `${tokens(Buffer.byteLength(job.text))} bytes from ${job.from}: ${first.length > 60 ? `${first.slice(0, 60)}…` : first}`;
}

const SESSIONS = { every: "every session", odd: "sessions 1, 3, …", even: "sessions 2, 4, …" } as const;

/** Prints what a run would be. @param how `base`: the commit that a tree of its own starts from; null: it works in place */
export async function printDryRun(
  plan: RunPlan,
  job: Job | null,
  {
    workbench,
    terminal,
    json,
    base,
  }: { workbench: Workbench; terminal: Terminal; json: boolean; base: string | null },
): Promise<void> {
  const windows = await readWindows(workbench.root);
  const found = [
    agentRow(plan.agent, plan.next === null ? "every" : "odd", { plan, workbench, windows }),
    ...(plan.next === null ? [] : [agentRow(plan.next, "even", { plan, workbench, windows })]),
  ];
  const warnings = found.flatMap((one) => one.warnings);
  const told = warnings.filter((one, i) => warnings.findIndex(({ what }) => what === one.what) === i);
  if (json) {
    const { limits, compact, topic } = plan;
    const rows: RunRows = {
      dry_run: true,
      run_id: null,
      status: null,
      rule: null,
      exit: 0,
      ledger: null,
      session_id: null,
      retired: [],
      generations: [],
      plan: {
        policy: { ...limits, window: plan.window, headroom: plan.headroom, at_percent: plan.at_percent },
        compact,
        topic,
        job: job === null ? null : { from: job.from, bytes: Buffer.byteLength(job.text) },
        agents: found.map(({ row }) => row),
        worktree:
          base === null
            ? null
            : {
                tree: treePath(workbench.root, NEW_RUN),
                branch: branchOf(NEW_RUN, 1),
                base_commit: base,
              },
      },
      worktree: null,
      warnings: told,
    };
    printJson(terminal, { ok: true }, { ...rows });
    return;
  }
  const { colors, outColumns } = terminal;
  const say = (label: string, text: string): void => {
    const clean = shown(workbench.redactor.redactText(text).text);
    const head = label.padEnd(LABEL);
    const laid = outColumns === null ? `${head}${clean}` : hanging(head, clean, outColumns);
    terminal.out(`${colors.dim(laid.slice(0, LABEL))}${laid.slice(LABEL)}\n`);
  };
  say("policy", policyWords(plan));
  say("job", jobWords(job));
  if (base !== null)
    say(
      "worktree",
      `${treePath(workbench.root, NEW_RUN)}, on ${branchOf(NEW_RUN, 1)}, made from ${base.slice(0, 12)}`,
    );
  for (const { row } of found) {
    terminal.out(`${colors.bold(row.agent)} ${colors.dim(SESSIONS[row.sessions])}\n`);
    say("  window", windowWords(row));
    say("  line", lineWords(row, plan.limits.enabled));
    say("  compaction", row.compaction);
    say("  command", row.command);
  }
  terminal.out(`${colors.dim("dry run: nothing was started")}\n`);
  for (const { code, what } of told) printNote(terminal, code, what, null);
}
