// For tests: a run that people ask for a handoff, with a clock that only the test moves.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Scenario } from "../../../fixtures/agents/scenario.js";
import type { OperatorPort } from "../../rotation/operator-port.js";
import type { RunEnd, RunProgress } from "../../rotation/run-options.js";
import { type RunOptions, type Scene, type SceneRun } from "../../rotation/testing/run-scene.js";
import type { Operator, OperatorClock } from "../operator.js";
import { requestBookSchema, type RequestRecord } from "../request-record.js";
import { runWithOperator } from "../run-with-operator.js";

/** A clock at a standstill, until it is moved. */
export interface TestClock extends OperatorClock {
  readonly advance: (ms: number) => void;
}

export function testClock(start = Date.parse("2026-11-29T10:00:00.000Z")): TestClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly action: () => void }>();
  return {
    now: () => new Date(now),
    after: (ms, action) => {
      const timer = { at: now + ms, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (ms) => {
      now += ms;
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.action();
    },
  };
}

/**
 * A session of some steps; the second one waits until the test opens a gate, so that a request is there before its end, and
 * the call after it takes long enough to be cut.
 */
export const GATED: Scenario = {
  model: "claude-sonnet-4-5",
  window: 200_000,
  start: 20_000,
  line: 30_000,
  steps: [
    { name: "s1", grows: 10_000 },
    { name: "s2", grows: 1000, run: "while [ ! -e gate ]; do sleep 0.02; done" },
    { name: "s3", grows: 1000 },
  ],
};

export const openGate = ({ root }: Pick<Scene, "root">): void => writeFileSync(path.join(root, "gate"), "");

/** A run with its engine, and everything its requests came through. */
export interface AskedRun extends SceneRun {
  readonly states: readonly string[];
  readonly requests: readonly RequestRecord[];
}

export interface AskedOptions extends RunOptions {
  readonly clock?: OperatorClock;
  /** Called once, when that holds. */
  readonly when?: (progress: RunProgress) => boolean;
  readonly act?: (operator: Operator) => Promise<void> | void;
  /** Decides at the end; default: the engine's own. */
  readonly conclude?: (end: RunEnd, operator: Operator) => Promise<void>;
  /** This of the port throws. */
  readonly fail?: keyof OperatorPort;
  /** Seen as they are put on record. */
  readonly onState?: (request: RequestRecord, operator: Operator) => void;
}

/** The requests of a run as they are on disk. */
export function requestsOf({ root }: Pick<Scene, "root">, runId: string): readonly RequestRecord[] {
  const file = path.join(root, "outputs/handoff/runs", runId, "requests.json");
  return existsSync(file) ? requestBookSchema.parse(JSON.parse(readFileSync(file, "utf8"))).requests : [];
}

/** Runs it. */
export async function runAsked(scene: Scene, options: AskedOptions): Promise<AskedRun> {
  const states: string[] = [];
  const engine: { operator: Operator | null } = { operator: null };
  const failed: { error: unknown }[] = [];
  let isDone = false;
  const end = await scene.run({
    ...options,
    ports: {
      ...options.ports,
      onProgress: (progress) => {
        options.ports?.onProgress?.(progress);
        const { operator } = engine;
        if (isDone || operator === null || options.when?.(progress) !== true) return;
        isDone = true;
        // As from outside: never within the run's own step.
        setImmediate(() => {
          void Promise.resolve(options.act?.(operator)).catch((error: unknown) => failed.push({ error }));
        });
      },
    },
    play: (open, beginning, ports) =>
      runWithOperator(open, beginning, ports, {
        clock: options.clock ?? testClock(),
        ...(options.conclude === undefined ? {} : { conclude: options.conclude }),
        onOperator: (operator) => {
          engine.operator = operator;
          const { fail } = options;
          if (fail !== undefined)
            Object.assign(operator.port, {
              [fail]: () => {
                throw new Error(`the port's ${fail} fails`);
              },
            });
        },
        onState: (request) => {
          states.push(`${request.request_id} ${request.state}`);
          const { operator } = engine;
          if (operator !== null) options.onState?.(request, operator);
        },
      }),
  });
  const [first] = failed;
  if (first !== undefined) throw first.error;
  const told = states.filter((state, at) => state !== states[at - 1]);
  return { ...end, states: told, requests: requestsOf(scene, end.run_id) };
}
