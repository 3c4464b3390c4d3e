// For tests: runs store steps in child processes, whole, failing or killed.
import { spawn } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildChild } from "./build-child.js";
import type { GeneratedHandoff } from "../../generate/generate-handoff.js";
import type { LockOptions } from "../store-lock.js";

export type StoreStep =
  | { readonly do: "publish"; readonly made: GeneratedHandoff & { readonly against?: string | null } }
  | { readonly do: "archive"; readonly ids: readonly string[] }
  | { readonly do: "consume"; readonly id: string; readonly by: string; readonly at: string }
  | { readonly do: "repair" };

export interface StoreJob {
  readonly root: string;
  readonly outDir: string;
  readonly lock?: Pick<LockOptions, "waitMs" | "staleMs">;
  readonly steps: readonly StoreStep[];
}

export type StepOutcome =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly code: string;
      readonly exitCode: number;
      readonly message: string;
      readonly hint: string;
      readonly path: string | null;
    };

/** How a child ended. */
export interface ChildEnd {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly outcomes: readonly StepOutcome[];
  readonly stderr: string;
}

export interface ChildStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** Kills it so many milliseconds after it is ready. */
  readonly killAfterMs?: number;
  /** Runs it through this command line instead of node alone. */
  readonly through?: readonly string[];
  /** Further arguments of node. */
  readonly nodeArgs?: readonly string[];
}

/** The child's code, built. */
export interface StoreChild {
  readonly folder: string;
  readonly remove: () => void;
  readonly start: (job: StoreJob, how?: ChildStart) => Promise<ChildEnd>;
}

/** Builds it once; takes a few hundred milliseconds. */
export async function buildStoreChild(): Promise<StoreChild> {
  const { folder, main } = await buildChild(path.join(import.meta.dirname, "store-child.ts"));
  chmodSync(folder, 0o755);
  let jobs = 0;
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
    start: (job, how = {}) =>
      new Promise((resolve, reject) => {
        jobs += 1;
        const file = path.join(folder, `job-${jobs}.json`);
        writeFileSync(file, JSON.stringify(job));
        const [command = process.execPath, ...front] = how.through ?? [];
        const node = how.through === undefined ? [] : [process.execPath];
        const args = [...front, ...node, ...(how.nodeArgs ?? []), main, file];
        const child = spawn(command, args, {
          env: { PATH: process.env["PATH"], ...how.env },
          stdio: ["ignore", "pipe", "pipe"],
          ...(how.uid === undefined ? {} : { uid: how.uid, gid: how.uid }),
        });
        let stdout = "";
        let stderr = "";
        let timer: NodeJS.Timeout | null = null;
        child.stdout.on("data", (chunk: Buffer) => {
          stdout += chunk.toString();
          if (how.killAfterMs !== undefined && timer === null && stdout.startsWith("ready"))
            timer = setTimeout(() => child.kill("SIGKILL"), how.killAfterMs);
        });
        child.stderr.on("data", (chunk: Buffer) => {
          stderr += chunk.toString();
        });
        child.on("error", reject);
        child.on("close", (code, signal) => {
          if (timer !== null) clearTimeout(timer);
          const lines = stdout.split("\n").slice(1, -1);
          const outcomes = lines.map((line): StepOutcome => JSON.parse(line));
          resolve({ signal, code, outcomes, stderr });
        });
      }),
  };
}
