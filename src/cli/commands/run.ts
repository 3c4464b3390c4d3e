// handoff run: a long job, kept going across sessions (src/rotation/README.md). Here: what was asked for, who looks, and how
// the end is told; the loop itself is runRotation.
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, type ExitCode } from "../../model/errors.js";
import { SYSTEM_CLOCK } from "../../operator/operator.js";
import { hasAttempts, runInWorktree } from "../../operator/run-in-worktree.js";
import { runWithOperator } from "../../operator/run-with-operator.js";
import { endWords } from "../../operator/take-over-words.js";
import { headOf } from "../../operator/worktree.js";
import { refuseNested } from "../../rotation/refuse-nested.js";
import { readRun } from "../../rotation/run-folder.js";
import type { RunPorts } from "../../rotation/run-options.js";
import type { RunBeginning } from "../../rotation/run-rotation.js";
import type { Workbench } from "../../session/open-workbench.js";
import type { Arguments } from "../arguments.js";
import { openWorkbench } from "../open-workbench.js";
import { printNote, shown } from "../report.js";
import { findAgent } from "../run/asked-agent.js";
import { printDryRun } from "../run/dry-run.js";
import { openEventSink } from "../run/event-sink.js";
import { readJob } from "../run/job-source.js";
import { planRun } from "../run/plan-run.js";
import { readRequest, type NewRun, type ResumedRun } from "../run/run-request.js";
import { type EndedRun, printEnding, printResult, printSummary } from "../run/summary.js";
import { type Warning, watchRun } from "../run/watch-run.js";
import type { Terminal } from "../terminal.js";

/** What a new run begins with; null: it was only to be said. */
async function planned(
  request: NewRun,
  workbench: Workbench,
  terminal: Terminal,
): Promise<RunBeginning | null> {
  const agent = await findAgent(request.agent, terminal);
  const next = request.next === null ? null : await findAgent(request.next, terminal);
  // Refused before a person has typed a job.
  const base = request.worktree ? await headOf(workbench) : null;
  if (request.dryRun) {
    const job = request.job === null ? null : await readJob(request.job, terminal, process.stdin);
    const plan = planRun(request, workbench, { task: job?.text ?? "", agent, next });
    await printDryRun(plan, job, { workbench, terminal, json: request.json, base });
    return null;
  }
  // The loop refuses it as well; here before a person has typed a job.
  refuseNested(terminal.env);
  // For what it refuses: before a person has typed a job.
  planRun(request, workbench, { task: "", agent, next });
  const { text: task } = await readJob(request.job, terminal, process.stdin);
  return { plan: planRun(request, workbench, { task, agent, next }) };
}

async function resumed(
  request: ResumedRun,
  { root, outDir }: Workbench,
  terminal: Terminal,
): Promise<RunBeginning> {
  const found = await readRun(root, outDir, request.runId);
  if (found.memory.ledger.status === "done")
    printNote(terminal, "run.done", `${request.runId} has ended well already: nothing is started`, null);
  const { maxGenerations, maxAttempts, pause } = request;
  return {
    found,
    limits: {
      ...(maxGenerations === null ? {} : { max_generations: maxGenerations }),
      ...(maxAttempts === null ? {} : { max_attempts: maxAttempts }),
      ...(pause ? { pause } : {}),
    },
  };
}

/** An explicit choice about the agent's own compaction is respected, and said aloud (R8). */
function compactionWords({ compact }: NewRun): string | null {
  if (compact === "auto")
    return "--compact auto: the agent's own compaction stays on, and may come before a handover does";
  if (compact === "off") return "--compact off: nobody can compact by hand either";
  return null;
}

async function work(
  request: NewRun | ResumedRun,
  beginning: RunBeginning,
  { open, terminal }: { open: () => Promise<Workbench>; terminal: Terminal },
): Promise<{ readonly ended: EndedRun; readonly warnings: readonly Warning[] }> {
  const sink = await openEventSink(request.events, terminal, (what) => watch.warn("run.events", what));
  const found = "found" in beginning ? beginning.found.memory : null;
  // A run that began in a tree of its own goes on in one.
  const isApart = request.kind === "new" ? request.worktree : await hasAttempts(await open(), request.runId);
  const limits =
    "found" in beginning
      ? { ...beginning.found.memory.plan.limits, ...beginning.limits }
      : beginning.plan.limits;
  const watch = watchRun({
    terminal,
    sink,
    limits,
    ledger: found?.ledger ?? null,
    hasEvents: request.events === "-",
  });
  try {
    const compaction = request.kind === "new" ? compactionWords(request) : null;
    if (compaction !== null) watch.warn("run.compact", compaction);
    const ports: RunPorts = {
      ...watch.ports,
      env: terminal.env,
      now: () => new Date(),
      random: Math.random,
      sleep: (ms, signal) =>
        sleep(ms, undefined, { signal }).catch(() => {
          // It ends early.
        }),
    };
    const parts = { clock: SYSTEM_CLOCK };
    const { end, attempt } = isApart
      ? await runInWorktree(open, beginning, ports, {
          ...parts,
          onAttempt: ({ tree, branch }) =>
            watch.warn("run.worktree", `the agent works in ${tree}, on ${branch}`),
        })
      : { end: await runWithOperator(open, beginning, ports, parts), attempt: null };
    await sink.close();
    return { ended: { end, view: watch.seen(), now: Date.now(), attempt }, warnings: watch.warnings };
  } finally {
    watch.end();
  }
}

/** Runs it. Exit 0 the job is done, 1 a rule ended the run, 2 usage and files, 3 the agent failed for good, 130 interrupted. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const open = (): Promise<Workbench> => openWorkbench(args, terminal);
  const workbench = await open();
  const request = readRequest(args);
  const beginning =
    request.kind === "new"
      ? await planned(request, workbench, terminal)
      : await resumed(request, workbench, terminal);
  if (beginning === null) return EXIT.ok;
  const { ended, warnings } = await work(request, beginning, { open, terminal });
  const { end } = ended;
  // A reader that went away must not make a good end of a bad one.
  process.exitCode = end.exit;
  if (request.json) await printResult(ended, await open(), terminal, warnings);
  else {
    const { err, errorColors, out, colors } = terminal;
    const place = request.events === "-" ? { out: err, colors: errorColors } : { out, colors };
    printSummary(ended, workbench, terminal, place);
    if (ended.attempt !== null) place.out(`${shown(endWords(ended.attempt))}\n`);
  }
  printEnding(end, terminal);
  return end.exit;
}
