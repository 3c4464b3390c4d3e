// The published JSON Schemas (draft 2020-12), generated from the zod schemas so that the two cannot part.
// The files in schemas/ are pinned by a golden test; `npm run schemas` writes them anew.
import { z } from "zod";
import { agentStateSchema } from "./agent-state-schema.js";
import { configSchema } from "./config.js";
import { executorAnswerSchema, executorRequestSchema } from "./executor-messages.js";
import { feedbackRecordSchema } from "./feedback-record-schema.js";
import { handoffPacketSchema } from "./packet.js";

/** Titles and descriptions by property path (`/` the schema itself; a list's items are one step further, `[]`). */
type Notes = Readonly<Record<string, string>>;

const PACKET_NOTES: Notes = {
  "/": "handoff.json: what the next session must know. Every field is present; null or empty where there is nothing.",
  "/schema_version": "Version of this format.",
  "/packet_id":
    "`hp_` and the first 16 hex of SHA-256 over the RFC 8785 form of this object without packet_id, status, supersedes, superseded_by and handoff_reason.",
  "/session_id": "The session whose work this is; also the folder's name.",
  "/task_id": "The task worked on.",
  "/topic": "Packets of one branch and topic supersede each other.",
  "/branch": "Branch, or `detached@<12 hex>`; null without git.",
  "/head_commit": "HEAD when the packet was made.",
  "/last_known_good_commit":
    "The newest commit reachable from HEAD with a passing verdict on record; never simply HEAD.",
  "/status": "Only an active packet drives the next session.",
  "/supersedes": "The packet this one took over from.",
  "/superseded_by": "The packet that took over from this one.",
  "/generated_at": "The newest time found in the inputs; no wall clock.",
  "/degraded": "Why the packet says less than it should; null when it does not.",
  "/handoff_reason": "What led to the handoff.",
  "/summary": "One paragraph.",
  "/changed_files": "Files that differ from the base commit or that the agent says it touched.",
  "/changed_files/[]/insertions":
    "Lines from base to working tree; null for binary files and files git does not see.",
  "/changed_files/[]/committed": "The whole change is committed.",
  "/changed_files/[]/seen_by":
    "`git`, or `state`: the session's own record, the state's list or the edits that the recorder saw.",
  "/commands_run":
    "Commands grouped by command and exit code; the counts and `omitted` add up to feedback.total.",
  "/commands_run/[]/exit_code": "null: it did not end by itself (timeout, missing binary, interrupt).",
  "/failed_attempts":
    "What did not work: every nonzero exit, grouped, and recorded dead ends. Unresolved ones first.",
  "/failed_attempts/[]/lines":
    "Line ranges in the log, `3,7-9`; with several files each is prefixed `name:`.",
  "/failed_attempts/[]/resolved": "The same command ended with 0 after its last failure.",
  "/open_risks": "Blocking ones first.",
  "/open_risks/[]/original_severity": "The severity as the source worded it, when it is not one of ours.",
  "/next_action": "What to do next.",
  "/next_action_source":
    "Where next_action comes from, and by which rule when it was derived. `recorded` and derived: an earlier session recorded it, its packet is the source.",
  "/verdict_pointer": "The reports and what they say; a report that is missing is never a pass.",
  "/doing": "What was under way; behind `last said:` the last thing the agent said.",
  "/decisions": "What was decided, and why.",
  "/assumptions_to_validate": "What was taken for granted and not confirmed by the review.",
  "/questions_for_human": "Decisions the agent may not take.",
  "/prerequisites": "The files the next session must load before it acts.",
  "/scene": "Paths to look at first.",
  "/commits": "Commits since the base, newest first.",
  "/feedback": "The log in numbers, and its newest records.",
  "/git": "What git says about the working tree.",
  "/gaps": "What could not be read, and is therefore not in here.",
  "/carried_forward": "Packets that items of this one first appeared in.",
  "/omitted": "What did not fit, per list: records for commands_run, rows for every other list.",
  "/redactions": "Secrets replaced, by kind.",
};

const CONFIG_NOTES: Notes = {
  "/": "handoff.config.json: every key is optional.",
  "/artifacts":
    "Where to look, per artifact: glob patterns relative to the workbench; `<task_id>` and `<session_id>` are filled in. The first match wins.",
  "/last": "How many of the newest records the packet shows.",
  "/max_bytes": "Largest handoff.json, in bytes.",
  "/topic": "Packets of one branch and topic supersede each other.",
  "/out": "Folder of the packets, relative to the workbench.",
  "/templates": "Templates that replace the built-in ones, relative to the workbench.",
  "/redaction": "Further secrets, and strings that are never secrets.",
  "/redaction/patterns": "Regular expressions by name; each match becomes `[redacted:<name>]`.",
  "/redaction/allow": "Regular expressions of strings that are never secrets.",
  "/rotation": "Defaults for long runs.",
  "/rotation/window": "The model's context window, in tokens.",
  "/rotation/headroom": "Tokens to leave free.",
  "/rollover": "Lets an interactive session replace itself in its own pane of tmux; absent: it cannot.",
  "/rollover/handover_path":
    "Where the session writes its handover, relative to the workbench; `{pane}` is its pane's number. `auto`: the packet is generated, nothing is written.",
  "/rollover/require_operator_confirm": "confirm asks for a person's word. Default: true.",
  "/rollover/max_doc_age_seconds": "Oldest handover that is used. Default: 3600.",
  "/rollover/turn_settle_seconds":
    "How long the session's own turn may take to end after confirm. Default: 20.",
  "/rollover/clear_settle_seconds":
    "How long clearing, and each try of the first prompt, may take to show. Default: 20.",
  "/rollover/bootstrap_text":
    "The fresh session's first prompt, on one line; `{path}` is the packet's handoff.md.",
};

interface Published {
  readonly schema: z.ZodType;
  readonly id: string;
  readonly title?: string;
  readonly notes?: Notes;
}
const PUBLISHED: Readonly<Record<string, Published>> = {
  "handoff.schema.json": {
    schema: handoffPacketSchema,
    id: "handoff",
    title: "Handoff packet",
    notes: PACKET_NOTES,
  },
  "config.schema.json": {
    schema: configSchema,
    id: "config",
    title: "handoff.config.json",
    notes: CONFIG_NOTES,
  },
  "feedback-record.schema.json": { schema: feedbackRecordSchema, id: "feedback-record" },
  "agent-state.schema.json": { schema: agentStateSchema, id: "agent-state" },
  "executor-request.schema.json": { schema: executorRequestSchema, id: "executor-request" },
  "executor-answer.schema.json": { schema: executorAnswerSchema, id: "executor-answer" },
};

type Node = Record<string, unknown>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The part of a schema that a path of {@link Notes} names. */
function nodeAt(schema: Node, path: string): Node {
  let node: unknown = schema;
  for (const step of path.split("/").filter((part) => part !== "")) {
    const inner: unknown = isNode(node) ? node[step === "[]" ? "items" : "properties"] : undefined;
    node = step === "[]" || !isNode(inner) ? inner : inner[step];
  }
  if (!isNode(node)) throw new Error(`a note for ${path}, which does not exist`);
  return node;
}

/** A copy in which no object stands at two places. */
function unshare<T>(value: T): T;
function unshare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => unshare(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unshare(item)]));
}

function publish({ schema, id, title, notes = {} }: Published): Readonly<Record<string, unknown>> {
  // zod shares one object between the places that use one schema, and each place has its own note.
  const generated: z.core.JSONSchema.BaseSchema = z.toJSONSchema(schema, { target: "draft-2020-12" });
  const { $schema, ...rest } = unshare(generated);
  for (const [path, note] of Object.entries(notes)) nodeAt(rest, path)["description"] = note;
  return { $schema, $id: `urn:handoff-packet:${id}:1.0`, ...(title === undefined ? {} : { title }), ...rest };
}

/** Every published schema by its file name in `schemas/`. */
export function publishedSchemas(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return Object.fromEntries(Object.entries(PUBLISHED).map(([file, entry]) => [file, publish(entry)]));
}
