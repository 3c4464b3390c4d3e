// What Codex's rollouts are to the rest of the house.
import { isFields } from "../payload-fields.js";
import type { TranscriptSpeech } from "../transcript.js";
import { findCodexSubagents, findCodexTranscript } from "./find-transcript.js";
import { createCodexReader } from "./read-transcript.js";

/** Codex's rollouts. */
export const codexTranscripts: TranscriptSpeech = {
  name: "codex",
  title: "Codex",
  claims: (row) =>
    isFields(row) &&
    typeof row["timestamp"] === "string" &&
    typeof row["type"] === "string" &&
    isFields(row["payload"]),
  createReader: createCodexReader,
  find: findCodexTranscript,
  subagentFiles: findCodexSubagents,
};
