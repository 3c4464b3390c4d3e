// handoff_rollover: a session asks to be replaced in its own pane (L1). Which pane that is comes from this process (L3): no
// argument names one.
import * as z from "zod";
import { UsageError } from "../model/errors.js";
import type { RolloverAnswer } from "../rollover/answer.js";
import { cancelRollover, confirmRollover, openRollover, type RolloverCaller } from "../rollover/rollover.js";
import { openCall } from "./call-place.js";
import { defineTool } from "./tool.js";

const MAX_REASON = 4096;
const MAX_TOKEN = 256;

const input = z.strictObject({
  action: z
    .enum(["open", "confirm", "cancel"])
    .describe(
      "open: ask for it, and learn which file to write; confirm: the file is written, replace this session once its turn has ended; cancel: leave everything as it is",
    ),
  reason: z.string().min(1).max(MAX_REASON).optional().describe("of open: why, in a sentence"),
  token: z
    .string()
    .min(1)
    .max(MAX_TOKEN)
    .optional()
    .describe("of confirm and cancel: the token that open answered"),
  operator_confirmed: z
    .boolean()
    .optional()
    .describe("of confirm: true only when the person was asked in this conversation and said yes"),
});

/** Throws UsageError for an argument that the action does not take, or lacks. */
function act(
  { action, reason, token, operator_confirmed }: z.output<typeof input>,
  caller: RolloverCaller,
): Promise<RolloverAnswer> {
  const refuse = (what: string): UsageError =>
    new UsageError("mcp.arguments", `handoff_rollover: ${what}`, "nothing was done; see its input schema");
  if (action !== "open" && reason !== undefined) throw refuse("reason belongs to open");
  if (action !== "confirm" && operator_confirmed !== undefined)
    throw refuse("operator_confirmed belongs to confirm");
  if (action === "open") {
    if (token !== undefined) throw refuse("token belongs to confirm and cancel: open makes a new one");
    return openRollover({ ...caller, ...(reason === undefined ? {} : { reason }) });
  }
  if (token === undefined) throw refuse(`${action} needs the token that open answered`);
  return action === "confirm"
    ? confirmRollover({ ...caller, token, operatorConfirmed: operator_confirmed === true })
    : cancelRollover({ ...caller, token });
}

export const rolloverTool = defineTool({
  name: "handoff_rollover",
  title: "Replace this session in its own pane",
  description:
    "Replace this session by a fresh one in the same tmux pane, when its context is nearly full and the person agrees: open, " +
    "write the handover file that the answer names, ask the person, confirm. Accepted means scheduled: finish the turn, and " +
    "the pane is cleared then. It can only ever replace the session that calls it. Refusals say which gate and what to do.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input,
  run: async (args, call) => {
    const { folder, env, configuredAtStart } = call.place;
    // For the project's own gate, and since nobody is replaced where there is no project.
    await openCall(call.place, call);
    const answer = await act(args, { cwd: folder, env, configuredAtStart });
    // The token is ours, and must come back as it is.
    const structured = call.gate.redactStrings(
      { ...answer },
      { skip: (way) => way.at(-1) === "token" },
    ).value;
    return { texts: [JSON.stringify(structured, null, 2)], structured, isError: !answer.ok };
  },
});
