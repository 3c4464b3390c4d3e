// What a person at the terminal is told of a taking over (A14): one line, short, whatever stands in the packet.
import { describe, expect, test } from "vitest";
import { takeOverNotice } from "./take-over-notice.js";

const UUID = "0f1e2d3c-0000-4000-8000-0000000000c1";

describe("A14 takeOverNotice", () => {
  test("A14 names agent, session and what comes next", () => {
    const packet = { session_id: UUID, next_action: "mend the parser" };
    expect(takeOverNotice(packet, "claude-code", null)).toBe(
      "handoff: taking over from Claude Code session 0f1e2d3c: mend the parser",
    );
    expect(takeOverNotice({ ...packet, session_id: "local-main" }, "", null)).toBe(
      "handoff: taking over from session local-main: mend the parser",
    );
    expect(takeOverNotice(packet, "codex", { agent: "codex", pid: 77 })).toBe(
      "handoff: taking over from Codex session 0f1e2d3c, which is still running (pid 77): mend the parser",
    );
  });

  test("A14 is one short line without control characters, whatever the packet and the record say", () => {
    const next_action = `first\nsecond\u001b[31m\u0007 ${"long ".repeat(200)}`;
    const line = takeOverNotice({ session_id: "s".repeat(128), next_action }, "\u001b]0;x\u0007", null);
    expect(line).toMatch(/^handoff: taking over from session s+…: first second.*…$/u);
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(200);
  });
});
