// A run that a person can ask for a handoff (O1-O5): the run, the engine of its requests, and the verdict at its end, as one call.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { RunEnd, RunPorts } from "../rotation/run-options.js";
import { type RunBeginning, runRotation } from "../rotation/run-rotation.js";
import type { Workbench } from "../session/open-workbench.js";
import { checkPacketValue } from "../store/validate-packet.js";
import { parseJson } from "../text/parse-json.js";
import { judgeRequest } from "./judge-request.js";
import { openOperator, type Operator, type OperatorClock } from "./open-operator.js";
import { reconcileRequests } from "./request-file.js";
import type { Reason, RequestRecord } from "./request-record.js";

/** What it is given besides what the run is given. */
export interface OperatorParts {
  readonly clock: OperatorClock;
  /** Each change of a request, once it is on record. */
  readonly onState?: (request: RequestRecord) => void;
  /** The engine, before the run begins. */
  readonly onOperator?: (operator: Operator) => void;
}

/** Largest packet that is looked at. */
const MAX_PACKET_BYTES = 64 * 1024 * 1024;

const ENDINGS: Readonly<Record<string, string>> = {
  done: "the job was done before the session could be asked",
  signal: "the run was interrupted",
  operator: "the run was stopped before there was a session to hand over",
  not_published: "the packet could not be written",
};

/** Why a request was not fulfilled, in words. */
function whyWords(reason: Reason, { rule, message }: RunEnd, fault: string | null): string {
  switch (reason) {
    case "outcome_not_handoff":
      return ENDINGS[rule] ?? `the run ended otherwise: ${message?.what ?? rule}`;
    case "never_begun":
      return "the handoff had not begun when the run ended";
    case "packet_invalid":
      return `the packet cannot be handed over: ${fault ?? "there is none"}`;
    case "acceptance_missing":
      return "it is not on record when the request was accepted";
    case "over_budget":
      return "it took longer than 360 s; the packet is there all the same";
    case "publication_late":
      return "the packet was published too late";
    case "held":
    case "crashed":
    case "expired":
    default:
      return reason;
  }
}

/** What is wrong with the packet that lies there now; null: nothing. */
async function faultOf({ root }: Workbench, { handoff }: RunEnd): Promise<string | null> {
  if (handoff === null) return "there is none";
  const file = path.resolve(root, handoff.path);
  const read = await readArtifactFile(path.dirname(file), file, MAX_PACKET_BYTES);
  if (read.status !== "read") return `it cannot be read (${read.status})`;
  const parsed = parseJson(read.text);
  if (!parsed.ok) return `it is not JSON: ${parsed.reason}`;
  const checked = checkPacketValue(parsed.value);
  if (!checked.ok) return checked.reason;
  const { packet } = checked;
  if (packet.packet_id !== handoff.packet_id) return "another packet has taken its place";
  return packet.handoff_reason === "operator_request" ? null : `it was made for ${packet.handoff_reason}`;
}

/** O7, O8 without a tree of its own: looks at the packet, and decides. */
async function conclude(open: () => Promise<Workbench>, end: RunEnd, operator: Operator): Promise<void> {
  const live = operator.live();
  if (live === null) return;
  const { request_id, accepted_at, begun, publication_ms, publication_limit_ms, elapsed_ms } = live;
  const fault = end.handoff === null ? null : await faultOf(await open(), end);
  const reason = judgeRequest({
    is_handoff: end.handoff !== null,
    begun,
    packet_valid: end.handoff !== null && fault === null,
    accepted_at,
    elapsed_ms,
    publication_ms,
    publication_limit_ms,
    held: null,
  });
  await operator.complete({
    request_id,
    reason,
    what: reason === null ? "" : whyWords(reason, end, fault),
  });
}

/**
 * Runs a job as {@link runRotation} does, and takes requests for a handoff while it goes on. A request that is still alive when
 * the run is over has its end on record before this resolves. Throws what runRotation throws.
 */
export async function runWithOperator(
  open: () => Promise<Workbench>,
  beginning: RunBeginning,
  ports: RunPorts,
  { clock, onState, onOperator }: OperatorParts,
): Promise<RunEnd> {
  const onWarning = (code: string, what: string): void => ports.onWarning?.(code, what);
  const operator = openOperator({ clock, onWarning, ...(onState === undefined ? {} : { onState }) });
  onOperator?.(operator);
  try {
    const end = await runRotation(open, beginning, { ...ports, operator: operator.port });
    try {
      // A run that was done before is not begun again: what a killed runner left of its requests is over all the same.
      if (end.rule === "done" && "found" in beginning && beginning.found.memory.ledger.status === "done")
        await reconcileRequests(await open(), end.run_id, clock.now().toISOString());
      await conclude(open, end, operator);
    } catch (error) {
      onWarning("run.operator", error instanceof Error ? error.message : String(error));
    }
    return end;
  } finally {
    await operator.close();
  }
}
