// For tests: starts runners in processes of their own, which may be killed at any moment.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildChild } from "../../store/testing/build-child.js";
import type { RunEnd } from "../run-options.js";
import type { RunnerJob } from "./runner-child.js";
import { AGENTS } from "./scripted-agents.js";

/** How a runner ended. */
export interface RunnerEnd {
  /** Known as soon as the run told its first event. */
  readonly runId: string | null;
  readonly killed: boolean;
  /** null: it was killed before. */
  readonly end: RunEnd | null;
  /** The code of an error it threw. */
  readonly thrown: string | null;
  readonly output: string;
}

/** A line of its output, as far as it is looked at. */
interface ToldRow {
  readonly run_id?: string;
  readonly end?: RunEnd;
  readonly thrown?: string;
  readonly code?: string;
}

/** The runner's code, built. */
export interface Runner {
  readonly remove: () => void;
  /** Runs it; with `killAfterMs` it is killed that long after it has begun. */
  readonly start: (job: Omit<RunnerJob, "agents">, killAfterMs?: number) => Promise<RunnerEnd>;
}

/** Builds it once; takes a few hundred milliseconds. */
export async function buildRunner(): Promise<Runner> {
  const { folder, main } = await buildChild(path.join(import.meta.dirname, "runner-child.ts"));
  let jobs = 0;
  return {
    remove: () => rmSync(folder, { recursive: true, force: true }),
    start: (job, killAfterMs) =>
      new Promise((resolve, reject) => {
        jobs += 1;
        const file = path.join(folder, `job-${jobs}.json`);
        writeFileSync(file, JSON.stringify({ ...job, agents: AGENTS }));
        const child = spawn(process.execPath, [main, file], {
          env: job.env,
          stdio: ["ignore", "pipe", "pipe"],
        });
        const timer =
          killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
        let output = "";
        let errors = "";
        child.stdout.on("data", (piece: Buffer) => {
          output += piece.toString();
        });
        child.stderr.on("data", (piece: Buffer) => {
          errors += piece.toString();
        });
        child.on("error", reject);
        child.on("close", (_, signal) => {
          clearTimeout(timer);
          const rows = output
            .split("\n")
            .slice(0, -1)
            .map((line): ToldRow => JSON.parse(line));
          resolve({
            runId: rows.find(({ run_id }) => run_id !== undefined)?.run_id ?? job.resume,
            killed: signal === "SIGKILL",
            end: rows.find(({ end }) => end !== undefined)?.end ?? null,
            thrown: rows.find(({ thrown }) => thrown !== undefined)?.code ?? null,
            output: output + errors,
          });
        });
      }),
  };
}
