// The canonical form of one feedback record (P3): what a recorder should write, one JSON object a line.
// Reading accepts more spellings than this; further keys are allowed and kept out of the packet.
import { z } from "zod";
import { offsetTimeSchema } from "./ids.js";

const tail = z.string().optional();
const name = z.string().nullable().optional();

/** One line of `feedback_record.jsonl`. Times: ISO 8601 in UTC, or seconds since the epoch. */
export const feedbackRecordSchema = z
  .looseObject({
    command: z
      .union([z.string().regex(/\S/), z.array(z.string()).min(1)])
      .describe("What was run: an argument array (preferred) or a shell line."),
    exit_code: z
      .int()
      .nullable()
      .describe("Exit status; null when there was none (timeout, missing binary, interrupt)."),
    started_at: z
      .union([offsetTimeSchema, z.number().nonnegative()])
      .describe("When it started: ISO 8601 with an offset, or seconds since the epoch."),
    duration_ms: z.number().nonnegative().nullable().optional().describe("How long it ran, in milliseconds."),
    stdout_tail: tail.describe("The end of standard output, cut by the recorder."),
    stderr_tail: tail.describe("The end of standard error, cut by the recorder."),
    agent_note: name.describe("Why the agent ran it or what it made of the result, one line."),
    error: name.describe("Why there is no exit status, e.g. `timeout after 60 s`."),
    command_id: name.describe("Unique per command; two records with the same id are one command."),
    parent_command_id: name.describe("The command this one is a retry or a part of."),
    session_id: name.describe("The session that ran it."),
    agent: name.describe("The agent that ran it."),
    cwd: name.describe("Folder it ran in, relative to the workbench."),
    truncations: z
      .record(z.string(), z.int().nonnegative())
      .optional()
      .describe("Bytes cut from each stream."),
    redactions: z.record(z.string(), z.int().nonnegative()).optional().describe("Secrets replaced, by kind."),
  })
  .meta({
    title: "Feedback record",
    description: "One line of feedback_record.jsonl: one command an agent ran.",
  });
