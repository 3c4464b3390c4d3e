// One start of a run as our own executor leads it (O13): the code of `handoff run --worktree`, with a puppet for an agent and a clock
// that stands still. What it adds is where to stop and what to break; nothing of a rule is done here.
import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { ExecutorAnswer, StopPoint } from "../../../model/executor-messages.js";
import type { RunPorts, RunProgress } from "../../../rotation/run-options.js";
import type { AttemptRecord } from "../../attempt-record.js";
import type { FinalizePorts } from "../../finalize-attempt.js";
import type { Operator } from "../../operator.js";
import { readRequests } from "../../request-file.js";
import { runInWorktree } from "../../run-in-worktree.js";
import { beginningOf, endedOf, NOTES, type PlayedJob } from "./played-job.js";
import type { Puppet, PuppetStage } from "./puppet-stage.js";
import { PUPPET_VARIABLE } from "./puppet.js";
import type { StandingClock } from "./standing-clock.js";

type Ended = NonNullable<ExecutorAnswer["ended"]>;
type Report = NonNullable<ExecutorAnswer["reports"]>[number];

/** What a start is given. */
export interface OwnRunOptions extends PlayedJob {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: StandingClock;
  readonly puppets: PuppetStage;
  readonly between: (ports: FinalizePorts) => FinalizePorts;
  readonly onReport: (report: Report) => void;
}

const LOOK_MS = 5;

/** A start at work. */
export class OwnRun {
  private operator: Operator | null = null;
  private puppet: Puppet | null = null;
  private progress: RunProgress | null = null;
  private context = 1000;
  private until: StopPoint | null = null;
  private note: keyof typeof NOTES = "usable";
  private passPublished: (() => void) | null = null;
  private onPublished = (): void => undefined;
  private readonly halting = new AbortController();
  attempt: AttemptRecord | null = null;
  stoppedAt: StopPoint | null = null;
  ended: Ended | null = null;
  isOffline = false;
  /** Resolved when all is over; rejected for a fault. */
  private end: Promise<void> = Promise.resolve();

  constructor(private readonly options: OwnRunOptions) {}

  async start(): Promise<void> {
    const { open, clock, between } = this.options;
    const beginning = await beginningOf(this.options);
    const lead = async (): Promise<void> => {
      const { end } = await runInWorktree(open, beginning, this.ports(), {
        clock,
        onAttempt: (record) => {
          this.attempt = record;
        },
        onOperator: (operator) => this.takeOperator(operator),
        between: (ports) => this.stoppable(between(ports)),
      });
      this.ended = endedOf(end);
    };
    this.end = lead();
    await this.meet();
  }

  private ports(): RunPorts {
    const { env, clock, puppets, onReport } = this.options;
    return {
      // Not among its arguments: those a run that goes on keeps.
      env: { ...env, [PUPPET_VARIABLE]: puppets.address },
      now: clock.now,
      random: () => 0.5,
      sleep: async () => undefined,
      onEvent: (event) => {
        if (event.event === "handoff") onReport({ request_id: event.request_id, state: event.state });
      },
      onProgress: (progress) => {
        this.progress = progress;
      },
      stop: this.halting.signal,
      kill: new AbortController().signal,
      // A puppet that is interrupted leaves when it is told to.
      patience: { interruptMs: 600_000, terminateMs: 1000, drainMs: 300 },
    };
  }

  /** Where requests come from and are reported to can be made to fail. */
  private takeOperator(operator: Operator): void {
    this.operator = operator;
    const { port } = operator;
    const real = { ...port };
    const reached = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
      return (...args) => {
        if (this.isOffline) throw new Error("the requests cannot be reached");
        return call(...args);
      };
    };
    Object.assign(port, {
      pending: reached(real.pending),
      delivered: reached(real.delivered),
      begun: reached(real.begun),
      publishing: reached(real.publishing),
      published: reached(real.published),
    });
  }

  private stoppable(ports: FinalizePorts): FinalizePorts {
    return {
      ...ports,
      holdCheck: async (record) => {
        if (this.until === "published") {
          this.stoppedAt = "published";
          await new Promise<void>((resolve) => {
            this.passPublished = resolve;
            this.onPublished();
          });
        }
        return ports.holdCheck(record);
      },
    };
  }

  /** The next turn, or the end of everything. */
  private async meet(): Promise<void> {
    this.puppet = null;
    const meet = async (): Promise<void> => {
      this.puppet = await this.options.puppets.next();
    };
    await Promise.race([meet(), this.end]);
  }

  /** What is in memory is on disk, too. */
  async settle(): Promise<void> {
    const { operator, attempt } = this;
    if (operator === null || attempt === null) return;
    const { root, outDir } = await this.options.open();
    const isSettled = async (): Promise<boolean> =>
      isDeepStrictEqual((await readRequests({ root, outDir }, attempt.run_id)).requests, operator.requests());
    while (this.ended === null && !(await isSettled())) await delay(LOOK_MS);
  }

  private async finish(): Promise<void> {
    const published = new Promise<void>((resolve) => {
      this.onPublished = resolve;
    });
    await Promise.race([this.end, published]);
  }

  /** Goes on from one of the points at which it can stand still. */
  private async proceed(at: StopPoint): Promise<void> {
    await this.settle();
    if (this.until === at) {
      this.stoppedAt = at;
      return;
    }
    this.stoppedAt = null;
    switch (at) {
      case "delivered":
        await this.puppet?.tell({ do: "leave", code: 130 });
        await this.meet();
        if (this.ended === null) await this.proceed("begun");
        break;
      case "begun":
        await this.puppet?.tell({ do: "say", text: NOTES[this.note] });
        await this.puppet?.tell({ do: "leave", code: 0 });
        await this.finish();
        break;
      case "said":
        await this.puppet?.tell({ do: "leave", code: 0 });
        await this.finish();
        break;
      case "published": {
        const wasStopped = this.passPublished;
        this.passPublished = null;
        wasStopped?.();
        await this.finish();
        break;
      }
    }
  }

  async work(
    files: Readonly<Record<string, string>>,
    note: keyof typeof NOTES,
    until: StopPoint | null,
  ): Promise<void> {
    Object.assign(this, { note, until });
    this.context += 10;
    await this.puppet?.tell({ do: "write", files });
    await this.puppet?.tell({ do: "usage", context: this.context });
    // Read, and decided upon.
    while (this.ended === null && this.progress?.context !== this.context) await delay(LOOK_MS);
    if (this.progress?.phase === "cutting") await this.proceed("delivered");
    else await this.settle();
  }

  async fail(): Promise<void> {
    await this.puppet?.tell({ do: "complain", text: "HTTP 529: Overloaded" });
    await this.puppet?.tell({ do: "leave", code: 1 });
    await this.meet();
  }

  async say(until: StopPoint | null): Promise<void> {
    this.until = until;
    await this.puppet?.tell({ do: "say", text: "All files are written." });
    await this.proceed("said");
  }

  async go(until: StopPoint | null): Promise<void> {
    const { stoppedAt } = this;
    this.until = until;
    if (stoppedAt !== null) await this.proceed(stoppedAt);
  }

  async halt(): Promise<void> {
    this.halting.abort();
    await this.puppet?.tell({ do: "leave", code: 130 });
    await this.end;
  }

  /** As the socket's `now` does. */
  ask(request_id: string, reason: string | null): ReturnType<Operator["accept"]> | null {
    return this.operator?.accept({ request_id, reason }) ?? null;
  }

  /** Requests that were interrupted for, by id. */
  interrupted(): readonly string[] {
    const requests = this.operator?.requests() ?? [];
    return requests.flatMap(({ request_id, interrupted_at }) =>
      interrupted_at === null ? [] : [request_id],
    );
  }
}
