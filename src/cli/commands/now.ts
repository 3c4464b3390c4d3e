// handoff now: a person asks the run at work to hand over, and, with --wait, watches it do so (O1, O14).
import { randomBytes } from "node:crypto";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { EXIT, type ExitCode, RefusalError, UsageError } from "../../model/errors.js";
import { isValidId } from "../../model/valid-id.js";
import { ANSWER_MS, type Conversation, reachRunner, type RunnerAnswer } from "../../operator/ask-runner.js";
import { runAtWork } from "../../operator/find-runs.js";
import { newBook, otherContent, reasonOf, requestOf } from "../../operator/request-book.js";
import { readRequests } from "../../operator/request-file.js";
import { isOver, MAX_REASON, type RequestRecord, type RequestState } from "../../operator/request-record.js";
import type { Workbench } from "../../session/open-workbench.js";
import { quoteWord } from "../../text/shell-words.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { wrapText } from "../lay-out.js";
import { findTarget, withoutRunner } from "../now/find-target.js";
import { patience } from "../now/patience.js";
import { layOutState, stateLines, STATE_WIDTH, stateWord } from "../now/request-lines.js";
import { openWorkbench } from "../open-workbench.js";
import { refuseSecretId } from "../refuse-secret-id.js";
import { printFailure, printJson } from "../report.js";
import type { Terminal } from "../terminal.js";

/** What a person asks for, checked. */
interface Request {
  readonly runId: string | null;
  readonly requestId: string;
  /** The id was given: it may be on record already. */
  readonly isKept: boolean;
  readonly reason: string | null;
  readonly wait: boolean;
  readonly json: boolean;
}

function idOf(args: Arguments, name: "run" | "request-id", workbench: Workbench): string | null {
  const id = textOption(args, name);
  if (id === null) return null;
  if (!isValidId(id))
    throw new UsageError(
      "usage.bad_id",
      `--${name} ${JSON.stringify(id)} is not allowed`,
      "ids are 1 to 128 of A-Z a-z 0-9 . _ - and do not start with a dot",
    );
  refuseSecretId(name, id, workbench);
  return id;
}

function readRequest(args: Arguments, workbench: Workbench): Request {
  const requestId = idOf(args, "request-id", workbench);
  const reason = textOption(args, "reason");
  if (reason !== null && reason.length > MAX_REASON)
    throw new UsageError(
      "usage.value",
      `--reason has ${reason.length} characters`,
      `say it in ${MAX_REASON}: the packet says what was done`,
    );
  return {
    runId: idOf(args, "run", workbench),
    requestId: requestId ?? `req-${randomBytes(6).toString("hex")}`,
    isKept: requestId !== null,
    reason,
    wait: flagOption(args, "wait"),
    json: flagOption(args, "json"),
  };
}

/** Tells states as they are reached. With --json nothing is told before the end. */
function teller({ json }: Request, runId: string, terminal: Terminal): (request: RequestRecord) => void {
  const told = new Set<RequestState>();
  const { colors, outColumns } = terminal;
  const paint = (state: RequestState): ((text: string) => string) =>
    state === "completed"
      ? colors.green
      : state === "not_fulfilled" || state === "superseded"
        ? colors.yellow
        : colors.cyan;
  return (request) => {
    if (json) return;
    for (const line of stateLines(request, runId, told)) {
      const { time, state } = line;
      told.add(state);
      const word = stateWord(state).padEnd(STATE_WIDTH);
      const laid = layOutState(line, `${time} ${word} `.length, outColumns);
      terminal.out(`${colors.dim(time)} ${paint(state)(word)} ${laid}\n`);
    }
  };
}

/** An option with its value, as a shell takes it. */
const option = (name: string, value: string): string =>
  `--${name}${value.startsWith("-") ? "=" : " "}${quoteWord(value)}`;

/** The command that asks for the same once more. */
function again(runId: string, requestId: string, reason: string | null): string {
  const why = reason === null ? "" : ` ${option("reason", reason)}`;
  return `handoff now --run ${runId} ${option("request-id", requestId)}${why}`;
}

function unreachable(runId: string, { requestId, reason }: Request): UsageError {
  return new UsageError(
    "request.unreachable",
    `the run ${runId} does not answer: whether it has the request ${requestId} is not known`,
    `keep the id; asking again with it is safe: ${again(runId, requestId, reason)}`,
  );
}

/** How long a runner that says no more may still be seen at work: one that dies loses its socket a moment before its life. */
const DYING_MS = 3000;

/** What became of a request whose run says no more. */
async function afterSilence(workbench: Workbench, runId: string, request: Request): Promise<RequestRecord> {
  for (const since = performance.now(); ; await delay(50)) {
    const atWork = await runAtWork(workbench, runId);
    // Another user's may not be ours to read: then nothing is known.
    const book = await readRequests(workbench, runId).catch(() => newBook(runId));
    const known = requestOf(book, request.requestId);
    if (known !== null && (isOver(known) || atWork === null)) return withoutRunner(known);
    // Of one that never had an address, and of one that is gone, nothing more comes.
    if (atWork === null || atWork.address === null || performance.now() - since > DYING_MS)
      throw unreachable(runId, request);
  }
}

/** The request's record as the runner answers. */
function taken(answer: RunnerAnswer | null, runId: string, request: Request): RequestRecord | null {
  if (answer === null) return null;
  if (answer.ok) return answer.request;
  throw answer.code.startsWith("protocol.")
    ? unreachable(runId, request)
    : new RefusalError(answer.code, answer.what, answer.hint);
}

async function watch(
  talk: Conversation,
  first: RequestRecord,
  onState: (request: RequestRecord) => void,
): Promise<RequestRecord | null> {
  let request: RequestRecord = first;
  onState(request);
  talk.say({ op: "wait", request_id: first.request_id });
  while (!isOver(request)) {
    const answer = await talk.hear(patience(request, Date.now()));
    if (answer === null || !answer.ok) return null;
    ({ request } = answer);
    onState(request);
  }
  return request;
}

/** Asks, and with --wait follows it to its end. */
async function ask(
  workbench: Workbench,
  { run_id, address }: { readonly run_id: string; readonly address: string | null },
  request: Request,
  onState: (request: RequestRecord) => void,
): Promise<RequestRecord> {
  const talk = address === null ? null : await reachRunner(address);
  if (talk === null) return afterSilence(workbench, run_id, request);
  try {
    const { requestId, reason, wait } = request;
    talk.say({ op: "now", request_id: requestId, reason });
    const record = taken(await talk.hear(ANSWER_MS), run_id, request);
    if (record === null) return await afterSilence(workbench, run_id, request);
    if (!wait) return record;
    return (await watch(talk, record, onState)) ?? (await afterSilence(workbench, run_id, request));
  } finally {
    talk.end();
  }
}

/** Exit 0 accepted, with --wait completed; 1 rejected or not fulfilled; 2 it is not known. */
function conclude(
  record: RequestRecord,
  {
    runId,
    workbench,
    request,
  }: { readonly runId: string; readonly workbench: Workbench; readonly request: Request },
  terminal: Terminal,
): ExitCode {
  const isBad = record.state === "not_fulfilled" || record.state === "superseded";
  const failure = isBad
    ? {
        code: `request.${record.state}`,
        what:
          record.state === "superseded"
            ? `a newer request took its place: ${record.superseded_by ?? "unknown"}`
            : (record.why?.what ?? "the request was not fulfilled"),
        hint:
          record.state === "superseded"
            ? `wait for that one: handoff now ${option("request-id", record.superseded_by ?? "ID")} --wait`
            : `handoff brief has the active packet; handoff run --resume ${runId} goes on`,
      }
    : null;
  if (request.json) {
    const error = failure === null ? null : { ...failure, path: null, line: null };
    const file = record.packet === null ? null : path.resolve(workbench.root, record.packet.path);
    printJson(terminal, { ok: !isBad, path: file, error }, { run_id: runId, request: record });
  }
  if (failure !== null) {
    printFailure(terminal, failure);
    return EXIT.refused;
  }
  if (request.json) return EXIT.ok;
  const { colors, outColumns } = terminal;
  const next =
    record.state === "completed"
      ? `take over: handoff brief, or start an agent here; handoff run --resume ${runId} goes on instead`
      : `see it through: ${again(runId, record.request_id, record.reason)} --wait`;
  terminal.out(`${colors.dim(outColumns === null ? next : wrapText(next, outColumns - 1).join("\n"))}\n`);
  return EXIT.ok;
}

/** Asks for a handoff now. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const request = readRequest(args, workbench);
  const found = await findTarget(workbench, {
    runId: request.runId,
    requestId: request.isKept ? request.requestId : null,
  });
  const runId = found.kind === "at_work" ? found.run.run_id : found.run_id;
  const onState = teller(request, runId, terminal);
  if (found.kind === "on_record" && found.request.reason !== reasonOf(request.reason, workbench.redactor)) {
    const { code, what, hint } = otherContent(request.requestId);
    throw new RefusalError(code, what, hint);
  }
  const record = found.kind === "at_work" ? await ask(workbench, found.run, request, onState) : found.request;
  onState(record);
  return conclude(record, { runId, workbench, request }, terminal);
}
