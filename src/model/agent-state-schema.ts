// The canonical form of agent_state.json (P1): what an agent should write about its own work.
// Reading accepts more spellings than this; further keys are allowed and kept out of the packet.
import { z } from "zod";
import { idSchema, offsetTimeSchema } from "./ids.js";
import { severitySchema } from "./severity.js";

const text = z.string().regex(/\S/);
const texts = z.array(text).optional();
const reasoned = z.array(z.looseObject({ what: text, why: z.string().nullable().optional() })).optional();
const blocker = z.looseObject({
  text,
  waits_for: z.string().nullable().optional().describe("`human` makes it a question for a person."),
});

/** agent_state.json. Every key may be left out; a state without `next_action` leaves it to be derived. */
export const agentStateSchema = z
  .looseObject({
    schema_version: z.union([z.string(), z.number()]).optional(),
    session_id: idSchema.nullable().optional().describe("The session that owns this state."),
    active_task_id: idSchema.nullable().optional().describe("The task being worked on."),
    summary: z.string().nullable().optional().describe("The state of the work in one paragraph."),
    doing: z.string().nullable().optional().describe("What was under way when this was written."),
    next_action: z
      .string()
      .nullable()
      .optional()
      .describe("What to do next, directly executable: one action with its command or file."),
    touched_files: texts.describe("Files changed, relative to the workbench."),
    decisions: reasoned.describe("What was decided, each with why."),
    dead_ends: reasoned.describe("What was tried and does not work, each with why."),
    assumptions: texts.describe("What was taken for granted and not checked."),
    questions: texts.describe(
      "Questions that block a decision the agent may not take and can wait until the session is over.",
    ),
    blockers: z
      .array(z.union([text, blocker]))
      .optional()
      .describe("What the work waits for."),
    risks: z
      .array(z.looseObject({ severity: severitySchema, detail: text }))
      .optional()
      .describe("What may go wrong."),
    scene: texts.describe("Paths the successor should look at first; paths, not content."),
    resolved: texts.describe("Ids or texts of carried items that are done."),
    updated_at: offsetTimeSchema.optional().describe("When this was written."),
  })
  .meta({ title: "Agent state", description: "agent_state.json: what the agent says about its own work." });
