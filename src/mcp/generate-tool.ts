// handoff_generate: the session's packet, written now and made the active one (S3).
import path from "node:path";
import * as z from "zod";
import { unresolvedFailures } from "../model/count-unresolved.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { briefPath } from "../session/open-workbench.js";
import { publishSession } from "../session/publish-session.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import { describeDiagnostic, hintFor } from "../text/diagnostic-text.js";
import { checkIdOption } from "../workbench/choose-ids.js";
import { callingSession, openCall, searchFor } from "./call-place.js";
import { inToolWords } from "./tell-fault.js";
import { defineTool } from "./tool.js";

const LONGEST_ID = 512;
/** Problems in the input that are told one by one. */
const MAX_TOLD = 10;
const MAX_LINE = 1000;

function diagnosticLine(diagnostic: Diagnostic): string {
  const { code, source } = diagnostic;
  const line = source?.line === undefined ? "" : `:${source.line}`;
  const where = source === null ? "" : ` (${source.path}${line})`;
  return cutText(
    cleanLine(`${code}: ${describeDiagnostic(diagnostic)}${where}; ${inToolWords(hintFor(code))}`),
    MAX_LINE,
  );
}

export const generateTool = defineTool({
  name: "handoff_generate",
  title: "Write the packet now",
  description:
    "Write this session's packet from what is recorded, and make it the active one of its branch. Where hooks are installed " +
    "this happens at the end of every turn by itself. It refuses when nothing says what comes next: note that first " +
    '(handoff_note, kind "next").',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    task: z.string().min(1).max(LONGEST_ID).optional().describe("task id; default: the active task"),
    topic: z.string().min(1).max(LONGEST_ID).optional().describe("packets of one topic; default: main"),
    allow_degraded: z
      .boolean()
      .optional()
      .describe("where nothing says what comes next, write a packet that says so"),
  }),
  run: async ({ task, topic, allow_degraded = false }, call) => {
    const workbench = await openCall(call.place, call);
    const session = await callingSession(workbench, call.place);
    const { packet, dir, changed, diagnostics } = await publishSession(workbench, {
      search: searchFor(workbench, session),
      taskId: task === undefined ? null : checkIdOption("task", task),
      topic: topic === undefined ? null : checkIdOption("topic", topic),
      allowDegraded: allow_degraded,
    });
    const blocking = packet.open_risks.filter(({ severity }) => severity === "block").length;
    const failures = unresolvedFailures(packet);
    const problems = diagnostics.filter(({ severity }) => severity !== "info");
    const lines = [
      `${changed ? "written" : "unchanged"}: ${briefPath(workbench.root, path.join(dir, "handoff.md"), workbench)} (${packet.packet_id}, session ${packet.session_id})`,
      `next action: ${cutText(cleanLine(packet.next_action), MAX_LINE)}`,
      `${packet.open_risks.length} open risks (${blocking} blocking), ${failures} unresolved failures`,
      ...(packet.degraded === null
        ? []
        : [`degraded: ${packet.degraded.reason}: ${cleanLine(packet.degraded.detail)}`]),
      ...problems.slice(0, MAX_TOLD).map(diagnosticLine),
      ...(problems.length > MAX_TOLD ? [`and ${problems.length - MAX_TOLD} more problems in the input`] : []),
    ];
    return { texts: [lines.join("\n")] };
  },
});
