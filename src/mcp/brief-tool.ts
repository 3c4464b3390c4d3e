// handoff_brief: the active packet as the text for whoever takes over, with what changed since (S7, S8).
import * as z from "zod";
import { isValidId } from "../model/valid-id.js";
import { isSecret, type Workbench } from "../session/open-workbench.js";
import { prepareBrief } from "../session/prepare-brief.js";
import { checkIdOption, localSession } from "../workbench/choose-ids.js";
import { callingSession, openCall } from "./call-place.js";
import { defineTool } from "./tool.js";

/** Below it no brief fits; above it nobody reads one. */
const BYTES = { from: 1024, to: 1_048_576 };
const LONGEST_NAME = 512;

/** Who takes a packet where no session is known: the local one of this branch. */
async function nameless(workbench: Workbench): Promise<string> {
  const local = localSession(await workbench.branch()).id;
  return isValidId(local) && !isSecret(local, workbench) ? local : localSession(null).id;
}

export const briefTool = defineTool({
  name: "handoff_brief",
  title: "Brief of the work to take over",
  description:
    "The packet that the session before left for this branch, as a brief: the next action, what was decided, what did not " +
    "work, open failures, risks and questions, and what changed since. Call it when you take work over and have not been " +
    "given the brief already, or to look at it again.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    ref: z
      .string()
      .min(1)
      .max(LONGEST_NAME)
      .optional()
      .describe(
        "another packet than the active one, which is this session's own once it has one: a packet id, the beginning of one, or a session id",
      ),
    topic: z.string().min(1).max(LONGEST_NAME).optional().describe("packets of one topic; default: main"),
    max_bytes: z.int().min(BYTES.from).max(BYTES.to).optional().describe("longest brief; default: 9500"),
    consume: z.boolean().optional().describe("note that this session takes the packet over"),
  }),
  run: async ({ ref = null, topic: asked, max_bytes = null, consume = false }, call) => {
    const workbench = await openCall(call.place, call);
    const topic = asked === undefined ? null : checkIdOption("topic", asked);
    const session = await callingSession(workbench, call.place);
    const taker = consume ? (session ?? (await nameless(workbench))) : null;
    const { brief, unrecorded } = await prepareBrief(workbench, {
      ref,
      topic,
      maxBytes: max_bytes,
      reader: session,
      consumeBy: taker,
      // Without hooks both sessions may have the branch's name.
      refuseOwn: consume && session !== null,
      at: new Date().toISOString(),
    });
    return {
      texts: [
        brief,
        ...(unrecorded === null
          ? []
          : [`that it is taken over could not be noted: ${unrecorded.code}: ${unrecorded.message}`]),
      ],
    };
  },
});
