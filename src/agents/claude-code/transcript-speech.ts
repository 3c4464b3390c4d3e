// What Claude Code's transcripts are to the rest of the house.
import { isFields, textAt } from "../payload-fields.js";
import type { TranscriptSpeech } from "../transcript.js";
import { findClaudeSubagents, findClaudeTranscript } from "./find-transcript.js";
import { readTaskOutput } from "./read-task-output.js";
import { createClaudeReader } from "./read-transcript.js";

/** Claude Code's transcripts. */
export const claudeCodeTranscripts: TranscriptSpeech = {
  name: "claude-code",
  title: "Claude Code",
  claims: (row) => isFields(row) && textAt(row, "sessionId") !== null && typeof row["type"] === "string",
  createReader: createClaudeReader,
  find: findClaudeTranscript,
  subagentFiles: findClaudeSubagents,
  readTaskOutput,
};
