// For tests: a roll as it is on record, while it waits for the end of a turn, in a pane and of a process that are not there.
import type { RollFile } from "../roll-file.js";

export const SAMPLE_ROLL: RollFile = {
  schema_version: 1,
  phase: "settling",
  tries: 0,
  ending: null,
  roll_id: "roll-000000000001",
  pane: "%3",
  socket: "/nowhere",
  server: { pid: 2, started: null },
  agent: "claude-code",
  process: { pid: 2, host: "h", machine: "m", started: null, serves_many: false },
  session_id: "s-1",
  new_session: null,
  packet_id: "hp_0123456789abcdef",
  packet_path: "handoff.md",
  bootstrap_text: "Read it.",
  accepted_at: new Date().toISOString(),
  at: new Date().toISOString(),
  sequence: 0,
  token_sha256: "",
  turn_settle_seconds: 20,
  clear_settle_seconds: 20,
  max_doc_age_seconds: 3600,
  why: "",
};
