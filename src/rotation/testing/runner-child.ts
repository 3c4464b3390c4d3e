// For tests: a process of its own that runs a job, or goes on with one, as told in a file; prints every event and its end.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openWorkbench } from "../../session/open-workbench.js";
import { readRun } from "../run-folder.js";
import { runRotation, type RunBeginning } from "../run-rotation.js";
import { DEFAULT_LIMITS } from "../run-state.js";
import { scriptedAgent, type AgentName } from "./scripted-agents.js";

/** What such a process is told. */
export interface RunnerJob {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly agents: string;
  readonly agent: AgentName;
  readonly next: AgentName | null;
  /** The run to go on with; null: a new one. */
  readonly resume: string | null;
}

const job: RunnerJob = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const open = () => openWorkbench({ cwd: job.root, env: job.env });
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

async function beginning(): Promise<RunBeginning> {
  const { outDir } = await open();
  if (job.resume !== null) return { found: await readRun(job.root, outDir, job.resume) };
  return {
    plan: {
      task: "Do all the steps.",
      agent: scriptedAgent(job.agent, [], job.agents),
      next: job.next === null ? null : scriptedAgent(job.next, [], job.agents),
      limits: DEFAULT_LIMITS,
      window: null,
      headroom: null,
      at_percent: null,
      compact: "no_summary",
      topic: null,
    },
  };
}

try {
  const end = await runRotation(open, await beginning(), {
    env: job.env,
    now: () => new Date(),
    random: Math.random,
    sleep: (ms, signal) => delay(Math.min(ms, 20), undefined, { signal }).catch(() => undefined),
    onEvent: print,
    onWarning: (code, what) => print({ warning: code, what }),
    stop: new AbortController().signal,
    kill: new AbortController().signal,
    patience: { interruptMs: 3000, terminateMs: 500, drainMs: 300 },
  });
  print({ end });
} catch (error) {
  print({
    thrown: error instanceof Error ? error.stack : String(error),
    code: Reflect.get(Object(error), "code"),
  });
  process.exitCode = 1;
}
