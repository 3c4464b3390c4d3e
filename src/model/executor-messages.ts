// What the conformance harness and an executor say to each other on stdio, one JSON object a line (O12). What goes to the executor
// is strict, since it is ours; what comes back may have further keys.
import { z } from "zod";

/** Number of the protocol that both speak. */
export const EXECUTOR_PROTOCOL = 1;

/** What an executor can do; a scenario that needs something else is not run. */
export const CAPABILITIES = [
  "requests",
  "stops",
  "clock",
  "notes",
  "crash",
  "offline",
  "reads",
  "faults",
  "errors",
  "halts",
  "export",
] as const;
export const capabilitySchema = z.enum(CAPABILITIES);
export type Capability = z.infer<typeof capabilitySchema>;

/** Moments at which an executor can be told to stand still. */
export const STOP_POINTS = ["said", "delivered", "begun", "published"] as const;
const stopSchema = z.enum(STOP_POINTS).optional();
export type StopPoint = (typeof STOP_POINTS)[number];

const id = z.int().positive();
const name = z.string().min(1).max(128);
const seconds = z.number().nonnegative();
const folder = z.string().min(1);

const op = <N extends string, S extends z.core.$ZodLooseShape>(which: N, shape: S, says: string) =>
  z.strictObject({ id, op: z.literal(which), ...shape }).describe(says);

export const executorRequestSchema = z
  .discriminatedUnion("op", [
    op("hello", { protocol: z.literal(EXECUTOR_PROTOCOL) }, "Who is there, and what can it do?"),
    op(
      "open",
      {
        repository: folder.describe("A git repository, absolute."),
        state: folder.describe("A folder outside it for the executor's own files; the same after a restart."),
        now: z.string().describe("The time from here on, ISO 8601 in UTC; it stands still but for `pass`."),
        faults: z
          .array(z.strictObject({ step: z.enum(["publish", "clean_up"]), times: z.int().positive() }))
          .optional()
          .describe("Steps that are to fail so often before they work."),
      },
      "The engine starts, and puts in order what an earlier one left.",
    ),
    op(
      "start",
      {
        run: name.optional().describe("Goes on with this run; left out: a new one."),
        max_errors: z.int().positive().optional().describe("So many failures in a row end the run."),
      },
      "An attempt begins, in a worktree of its own.",
    ),
    op("ask", { request_id: name, reason: z.string().optional() }, "A person asks for a handoff."),
    op(
      "work",
      {
        files: z
          .record(z.string(), z.string())
          .describe("Files that the agent writes in its tree, by path; then comes a message boundary."),
        note: z
          .enum(["usable", "unusable"])
          .optional()
          .describe("What the agent answers when it is asked where it stands; default: usable."),
        until: stopSchema.describe("Stand still there; left out: as far as it goes."),
      },
      "One message of the agent.",
    ),
    op("busy", {}, "The agent is in a long step: no boundary comes, and it does not heed an interrupt."),
    op("fail", {}, "A try of the agent fails in a way that is worth another."),
    op(
      "end",
      { until: stopSchema.describe("`said`: its last word is out, and it has not gone yet.") },
      "The agent says that its job is done.",
    ),
    op("go", { until: stopSchema }, "Goes on from where it stands still."),
    op("halt", {}, "A person stops the run."),
    op("pass", { seconds }, "Time passes."),
    op(
      "offline",
      { broken: z.boolean() },
      "Where requests come from and go to cannot be reached, or can again.",
    ),
    op(
      "read",
      { repository: folder, state: folder },
      "What is on record, also while no engine runs; changes nothing.",
    ),
    op("close", {}, "The process ends."),
  ])
  .meta({
    title: "Executor request",
    description:
      "What the conformance harness of `handoff conformance` says to an executor: one object a line.",
  });

const time = z.string().nullable();
const requestStates = z.enum(["accepted", "delivered", "begun", "completed", "not_fulfilled", "superseded"]);

const requestRecordSchema = z
  .looseObject({
    request_id: z.string(),
    reason: z.string().nullable(),
    state: requestStates,
    accepted_at: time,
    delivered_at: time,
    begun_at: time,
    ended_at: time,
    superseded_by: z.string().nullable(),
    why: z.string().nullable().describe("The reason of `not_fulfilled`, in one word."),
  })
  .describe("A request as it is on record.");

const attemptRecordSchema = z
  .looseObject({
    run: z.string(),
    attempt: z.int().positive(),
    branch: z.string().describe("Where its work is."),
    base: z.string().describe("The commit that it started from."),
    tree: z.string().describe("Its working tree, whether it is there or not."),
    outcome: z
      .enum(["handoff", "done", "failed", "halted"])
      .nullable()
      .describe("null: it did not end, or nobody wrote down how."),
    finalized: z.boolean(),
    held: z.string().nullable().describe("Why its tree was kept; names the attempt."),
    steps: z.array(z.string()).describe("Steps of its finalization that were done, in order."),
    packet: z.string().nullable().describe("The published handoff.json, absolute."),
  })
  .describe("An attempt as it is on record.");

export const executorAnswerSchema = z
  .looseObject({
    id: id.describe("Of the request that it answers."),
    ok: z.boolean().describe("false: it could not be done; `error` says why."),
    error: z.string().optional(),
    protocol: z.int().optional().describe("To `hello`."),
    name: z.string().optional().describe("To `hello`."),
    capabilities: z.array(z.string()).optional().describe("To `hello`."),
    run: z.string().optional().describe("To `start`."),
    attempt: z.int().positive().optional().describe("To `start`."),
    branch: z.string().optional().describe("To `start`."),
    base: z.string().optional().describe("To `start`."),
    accepted: z.boolean().optional().describe("To `ask`."),
    code: z.string().nullable().optional().describe("To `ask`: why it was not taken."),
    request: requestRecordSchema.nullable().optional().describe("To `ask`: the record."),
    reports: z
      .array(
        z.looseObject({
          request_id: z.string(),
          state: z.union([requestStates, z.literal("interrupted")]),
        }),
      )
      .optional()
      .describe("What became of requests since the last answer, each once, in order."),
    stopped_at: z.enum(STOP_POINTS).nullable().optional().describe("Where it stands still now."),
    ended: z
      .enum(["handoff", "done", "failed", "halted"])
      .nullable()
      .optional()
      .describe("How the attempt ended, once it is finalized; null: it goes on."),
    records: z
      .looseObject({
        requests: z.array(requestRecordSchema),
        attempts: z.array(attemptRecordSchema),
        errors_in_row: z.int().nonnegative().nullable().optional(),
        last_halt: z.looseObject({ attempt: z.int().positive() }).nullable().optional(),
        files: z.array(z.string()).optional().describe("JSON files that others read at any time, absolute."),
      })
      .optional()
      .describe("To `read`."),
  })
  .meta({
    title: "Executor answer",
    description:
      "What an executor answers to the conformance harness: one object a line, one answer a request.",
  });

export type ExecutorRequest = z.infer<typeof executorRequestSchema>;
export type ExecutorAnswer = z.infer<typeof executorAnswerSchema>;
export type ExecutorRecords = NonNullable<ExecutorAnswer["records"]>;
/** A request without its number. */
export type ExecutorOrder = ExecutorRequest extends infer R
  ? R extends ExecutorRequest
    ? Omit<R, "id">
    : never
  : never;
