// Our own runner as an executor of the conformance harness (O13): the protocol on one side, the code of `handoff run --worktree` and of
// `handoff now` on the other.
import { createInterface } from "node:readline";
import {
  CAPABILITIES,
  EXECUTOR_PROTOCOL,
  type ExecutorAnswer,
  type ExecutorRequest,
  executorRequestSchema,
} from "../../../model/executor-messages.js";
import { openWorkbench, type Workbench } from "../../../session/open-workbench.js";
import type { FinalizePorts } from "../../finalize-attempt.js";
import { acceptRequest, type Answer } from "../../request-book.js";
import { readRequests, reconcileRequests } from "../../request-file.js";
import { recoverRun } from "../../run-in-worktree.js";
import { OwnRun, type OwnRunOptions } from "./own-run.js";
import { openPuppetStage, type PuppetStage } from "./puppet-stage.js";
import { readRecords, requestRow, runIds } from "./read-records.js";
import { standingClock, type StandingClock } from "./standing-clock.js";

/** What may differ: in tests, a rule that is broken. */
export interface OwnExecutorOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Words that start a puppet. */
  readonly puppetWords: readonly string[];
  readonly between?: (ports: FinalizePorts) => FinalizePorts;
  readonly patch?: (run: OwnRunOptions) => OwnRunOptions;
}

type Order<O extends ExecutorRequest["op"]> = Extract<ExecutorRequest, { op: O }>;
type Said = Omit<ExecutorAnswer, "id" | "ok">;

class OwnExecutor {
  private workbench: (() => Promise<Workbench>) | null = null;
  private clock: StandingClock = standingClock(0);
  private puppets: PuppetStage | null = null;
  /** For files of our own. */
  private home = "";
  private run: OwnRun | null = null;
  /** The newest run's id. */
  private last: string | null = null;
  private readonly faults = new Map<string, number>();
  private reports: NonNullable<ExecutorAnswer["reports"]> = [];

  constructor(private readonly options: OwnExecutorOptions) {}

  private open(): Promise<Workbench> {
    if (this.workbench === null) throw new Error("there is no engine yet");
    return this.workbench();
  }

  private get work(): OwnRun {
    if (this.run === null) throw new Error("no attempt is at work");
    return this.run;
  }

  private readonly between = (ports: FinalizePorts): FinalizePorts => {
    const { between = (one) => one } = this.options;
    const failing =
      <A extends unknown[], R>(step: string, act: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const left = this.faults.get(step) ?? 0;
        if (left > 0) {
          this.faults.set(step, left - 1);
          throw new Error(`${step} was told to fail`);
        }
        return act(...args);
      };
    const { publish, cleanUp } = ports;
    return between({ ...ports, publish: failing("publish", publish), cleanUp: failing("clean_up", cleanUp) });
  };

  private async start({ run: resume, max_errors }: Order<"start">): Promise<Said> {
    await this.puppets?.close();
    // One a start: a turn that nobody asked for must not be taken for one of the next.
    this.puppets = await openPuppetStage(this.home);
    const { env, puppetWords, patch = (one) => one } = this.options;
    const run: OwnRunOptions = {
      open: () => this.open(),
      env,
      clock: this.clock,
      puppets: this.puppets,
      puppetWords,
      resume: resume ?? null,
      maxErrors: max_errors ?? null,
      between: this.between,
      onReport: (report) => this.reports.push(report),
    };
    this.run = new OwnRun(patch(run));
    await this.run.start();
    const { attempt } = this.run;
    if (attempt === null) throw new Error("no attempt has begun");
    this.last = attempt.run_id;
    return {
      run: attempt.run_id,
      attempt: attempt.attempt,
      branch: attempt.branch,
      base: attempt.base_commit,
    };
  }

  /** As `handoff now` does it where no run is at work. */
  private async askNobody(request_id: string, reason: string | null): Promise<Answer> {
    const { root, outDir } = await this.open();
    const book = await readRequests(
      { root, outDir },
      this.last ?? (await runIds(await this.open())).at(-1) ?? "none",
    );
    return acceptRequest(book, { request_id, reason }, { at: this.clock.now().toISOString(), isOpen: false })
      .answer;
  }

  private async ask({ request_id, reason: given }: Order<"ask">): Promise<Said> {
    const reason = given ?? null;
    const answer = await (this.run?.ask(request_id, reason) ?? this.askNobody(request_id, reason));
    await this.run?.settle();
    return answer.ok
      ? { accepted: true, code: null, request: requestRow(answer.request) }
      : { accepted: false, code: answer.code, request: null };
  }

  private async pass(seconds: number): Promise<void> {
    const before = this.run?.interrupted() ?? [];
    await this.clock.pass(seconds * 1000, async () => this.run?.settle());
    for (const request_id of this.run?.interrupted() ?? [])
      if (!before.includes(request_id)) this.reports.push({ request_id, state: "interrupted" });
  }

  private async openEngine({ repository, state, now, faults = [] }: Order<"open">): Promise<void> {
    const { env } = this.options;
    this.workbench = () => openWorkbench({ cwd: repository, env, root: repository, out: state });
    this.home = state;
    this.clock = standingClock(Date.parse(now));
    for (const { step, times } of faults) this.faults.set(step, times);
    const main = await this.open();
    for (const id of await runIds(main)) {
      await recoverRun({ open: () => this.open(), main, now: this.clock.now, between: this.between }, id);
      await reconcileRequests(main, id, this.clock.now().toISOString());
    }
  }

  private async obey(order: ExecutorRequest): Promise<Said> {
    switch (order.op) {
      case "hello":
        return { protocol: EXECUTOR_PROTOCOL, name: "handoff run", capabilities: [...CAPABILITIES] };
      case "open":
        await this.openEngine(order);
        return {};
      case "start":
        return this.start(order);
      case "ask":
        return this.ask(order);
      case "work":
        await this.work.work(order.files, order.note ?? "usable", order.until ?? null);
        return {};
      case "busy":
        // A puppet that is told nothing comes to no boundary.
        return {};
      case "fail":
        await this.work.fail();
        return {};
      case "end":
        await this.work.say(order.until ?? null);
        return {};
      case "go":
        await this.work.go(order.until ?? null);
        return {};
      case "halt":
        await this.work.halt();
        return {};
      case "pass":
        await this.pass(order.seconds);
        return {};
      case "offline":
        if (this.run !== null) this.run.isOffline = order.broken;
        return {};
      case "read": {
        const { env } = this.options;
        const { repository: root, state: out } = order;
        return { records: await readRecords(await openWorkbench({ cwd: root, env, root, out })) };
      }
      case "close":
        return {};
      default:
        return order satisfies never;
    }
  }

  async close(): Promise<void> {
    await this.puppets?.close();
  }

  async answer(order: ExecutorRequest): Promise<ExecutorAnswer> {
    this.reports = [];
    const said = await this.obey(order);
    const { run, reports } = this;
    const ended = run?.ended ?? null;
    const stopped_at = run?.stoppedAt ?? null;
    if (ended !== null) this.run = null;
    return { id: order.id, ok: true, ...said, reports, stopped_at, ended };
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Answers on stdin and stdout until it is told to close, or nobody talks to it any more. */
export async function serveOwnExecutor(options: OwnExecutorOptions): Promise<void> {
  const executor = new OwnExecutor(options);
  for await (const line of createInterface({ input: process.stdin })) {
    const order = executorRequestSchema.safeParse(JSON.parse(line));
    if (!order.success) throw new Error(`not an order of the protocol: ${line}`);
    if (order.data.op === "close") break;
    const { id } = order.data;
    const answer = await executor
      .answer(order.data)
      .catch((error: unknown): ExecutorAnswer => ({ id, ok: false, error: wordsOf(error) }));
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  await executor.close();
}
