// A run that a person can ask for a handoff (O1-O5): the run, the engine of its requests, and the verdict at its end, as one call.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import type { RunEnd, RunPorts } from "../rotation/run-options.js";
import { type RunBeginning, runRotation } from "../rotation/run-rotation.js";
import type { Workbench } from "../session/open-workbench.js";
import { checkPacketValue } from "../store/validate-packet.js";
import { parseJson } from "../text/parse-json.js";
import { judgeRequest } from "./judge-request.js";
import { openOperator } from "./open-operator.js";
import type { Operator, OperatorClock } from "./operator.js";
import { reconcileRequests } from "./request-file.js";
import type { RequestRecord } from "./request-record.js";
import { whyWords } from "./request-words.js";
import { refuseAtWork } from "./take-over-run.js";

/** What it is given besides what the run is given. */
export interface OperatorParts {
  readonly clock: OperatorClock;
  /** Each change of a request, once it is on record. */
  readonly onState?: (request: RequestRecord) => void;
  /** The engine, before the run begins. */
  readonly onOperator?: (operator: Operator) => void;
  /** Decides, once the run is over. Default: looks at the packet, and judges. */
  readonly conclude?: (end: RunEnd, operator: Operator) => Promise<void>;
  /** How a packet's file is named to people; default: as the run names it. */
  readonly pathOf?: (file: string) => string;
}

/** Largest packet that is looked at. */
const MAX_PACKET_BYTES = 64 * 1024 * 1024;

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
  if (packet.handoff_reason !== "operator_request") return `it was made for ${packet.handoff_reason}`;
  return packet.degraded === null
    ? null
    : `the session's note cannot be used (${packet.degraded.reason}); it is there all the same`;
}

/** O7, O8 without a tree of its own: looks at the packet, and decides. */
async function judge(open: () => Promise<Workbench>, end: RunEnd, operator: Operator): Promise<void> {
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
 * the run is over has its end on record before this resolves. Throws what runRotation throws, `run.running` also for a run that
 * is over and still in the hands of its runner.
 */
export async function runWithOperator(
  open: () => Promise<Workbench>,
  beginning: RunBeginning,
  ports: RunPorts,
  { clock, onState, onOperator, conclude, pathOf = (file) => file }: OperatorParts,
): Promise<RunEnd> {
  if ("found" in beginning) await refuseAtWork(await open(), beginning.found.memory.ledger.run_id);
  const onWarning = (code: string, what: string): void => ports.onWarning?.(code, what);
  const operator = openOperator({ clock, onWarning, ...(onState === undefined ? {} : { onState }) });
  onOperator?.(operator);
  try {
    const { port } = operator;
    const published: typeof port.published = ({ packet_id, path: file }) =>
      port.published({ packet_id, path: pathOf(file) });
    const ended = await runRotation(open, beginning, { ...ports, operator: { ...port, published } });
    const { handoff } = ended;
    const end = { ...ended, handoff: handoff === null ? null : { ...handoff, path: pathOf(handoff.path) } };
    try {
      // A run that was done before is not begun again: what a killed runner left of its requests is over all the same.
      if (end.rule === "done" && "found" in beginning && beginning.found.memory.ledger.status === "done")
        await reconcileRequests(await open(), end.run_id, clock.now().toISOString());
      await (conclude === undefined ? judge(open, end, operator) : conclude(end, operator));
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      onWarning("run.operator", what);
      const live = operator.live();
      // The run has ended well enough; that its verdict could not be found is not its fault, and not a yes.
      if (live !== null) await operator.complete({ request_id: live.request_id, reason: "held", what });
    }
    return end;
  } finally {
    await operator.close();
  }
}
