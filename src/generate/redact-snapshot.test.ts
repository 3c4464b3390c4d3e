// No secret reaches anything that is written, from any place a string can come from (S13-S16); look-alikes stay (S15).
import { describe, expect, it } from "vitest";
import {
  CLEAN_GIT,
  EMPTY_STATE,
  missing,
  OTHER_SHA,
  present,
  record,
  review,
  scanOf,
  SHA,
  snapshotWith,
  verification,
} from "../../fixtures/support/snapshots.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { packetId } from "../packet/packet-id.js";
import { packetBytes } from "../packet/packet-bytes.js";
import { PRIVATE_KEYS, SHAPED } from "../redact/corpus-fixture.js";
import { createRedactor } from "../redact/create-redactor.js";
import { LOOK_ALIKES } from "../redact/look-alikes-fixture.js";
import { renderBrief } from "../render/render-brief.js";
import { renderPrBody } from "../render/render-pr-body.js";
import { generateHandoff } from "./generate-handoff.js";

/** A snapshot with `text` in every place that text from outside can reach. */
function everywhere(text: string): WorkbenchSnapshot {
  const at = (pointer: string) => ({ text, pointer });
  const finding = {
    code: text,
    severity: "block" as const,
    original_severity: text,
    detail: text,
    pointer: "/findings/0",
  };
  const records = [
    record(1, `curl ${text}`, 1, { stderr_tail: `failed: ${text}\n`, error: text, note: text }),
    record(2, ["deploy", text], 2, { stdout_tail: `a\n${text}\nb\n` }),
    record(3, ["echo", text], 0, { stdout_tail: text }),
  ];
  return snapshotWith(
    {
      task: { id: "T-1", from: "state" },
      git: {
        ...CLEAN_GIT,
        dirty: true,
        commits: [{ sha: OTHER_SHA, subject: text }],
        changes: [
          {
            path: text,
            change: "renamed",
            renamed_from: text,
            insertions: 1,
            deletions: 0,
            committed: false,
            submodule: false,
          },
        ],
      },
      feedback: scanOf(records),
      board: present("board", "task_board.json", {
        tasks: [
          {
            id: "T-1",
            goal: text,
            owner: "human",
            status: "todo",
            acceptance: [at("/0/acceptance/0")],
            pointer: "/0",
          },
        ],
        stamped_at: null,
      }),
      verification: verification({ passed: false, findings: [finding], head_commit: SHA }),
      review: review({
        verdict: "soft_fail",
        total: 3,
        dimensions: [{ name: text, score: 0, note: text, pointer: "/dimensions/0" }],
        findings: [finding],
      }),
      scope_report: present("scope_report", "scope.json", {
        task_id: null,
        passed: false,
        off_scope: [at("/off_scope/0")],
        forbidden: [at("/forbidden/0")],
        soft_off_scope: [],
        findings: [],
        stamped_at: null,
      }),
      rule_report: present("rule_report", "rule_report.json", {
        failed: [at("/0")],
        passed_count: 0,
        stamped_at: null,
      }),
      overrides: missing("overrides"),
      diagnostics: [
        {
          code: "git.failed",
          severity: "error",
          artifact: "git",
          source: { path: text },
          args: { command: "status", reason: text },
        },
      ],
    },
    {
      ...EMPTY_STATE,
      next_action: at("/next_action"),
      doing: at("/doing"),
      summary: at("/summary"),
      touched_files: [text],
      assumptions: [at("/assumptions/0")],
      blockers: [{ ...at("/blockers/0"), waits_for: "human" }],
      questions: [at("/questions/0")],
      decisions: [{ what: text, why: text, pointer: "/decisions/0" }],
      dead_ends: [{ what: text, why: text, pointer: "/dead_ends/0" }],
      risks: [{ severity: "warn", original_severity: null, detail: text, pointer: "/risks/0" }],
      scene: [text],
    },
  );
}

function written(text: string): string {
  const { packet, json, markdown } = generateHandoff(everywhere(text), { allowDegraded: true });
  return [json, markdown, renderBrief(packet, { maxBytes: 60_000 }), renderPrBody(packet)].join("\n");
}

describe("what is written", () => {
  it.each(SHAPED.map(({ kind, secret }, i) => [`${i} ${kind}`, secret]))(
    "S13 S14 has no %s in it",
    (_name, secret) => {
      const text = written(secret);
      expect(text).not.toContain(secret);
      expect(text).toContain("[redacted:");
    },
  );

  it.each(PRIVATE_KEYS)("S14 has no line of a private key in it: $type", ({ whole, body }) => {
    const text = written(whole);
    expect(body.filter((line) => text.includes(line))).toEqual([]);
    expect(text).toContain("[redacted:private-key]");
  });

  it("S14 has no value of a secret environment variable in it", () => {
    const value = ["correct", "horse", "9battery"].join("-");
    const redactor = createRedactor({ env: { DEPLOY_TOKEN: value, HOME: "/home/u" } });
    const { json, markdown } = generateHandoff(everywhere(`log in with ${value} now`), { redactor });
    expect(json + markdown).not.toContain(value);
  });

  it("S15 keeps what only looks like a secret", () => {
    const texts = LOOK_ALIKES.filter((text) => !text.includes("[redacted:"));
    const lost = texts.filter((text) => /redacted:/u.test(generateHandoff(everywhere(`see ${text}`)).json));
    expect(lost).toEqual([]);
  });

  it("S15 counts the marks that stand in the packet, within its budget and its id", () => {
    const secret = SHAPED[0]!.secret;
    const { packet } = generateHandoff(everywhere(secret), { maxBytes: 9000 });
    const marks = JSON.stringify({ ...packet, redactions: {} }).match(/\[redacted:[a-z0-9-]+\]/gu) ?? [];
    expect(Object.values(packet.redactions).reduce((sum, n) => sum + n, 0)).toBe(marks.length);
    expect(packetId(packet)).toBe(packet.packet_id);
    expect(packetBytes(packet)).toBeLessThanOrEqual(9000);
  });

  it("S16 drops and names a field that cannot be checked", () => {
    const huge = "x".repeat(18 * 1024 * 1024);
    const snapshot = snapshotWith({}, { next_action: { text: "go", pointer: "/n" }, scene: [huge] });
    const { packet } = generateHandoff(snapshot);
    expect(packet.scene).toEqual(["[redacted:unchecked]"]);
    expect(packet.gaps).toContainEqual(expect.objectContaining({ code: "redaction.failed" }));
  });

  it("S13 makes no id of a secret: the same work with another secret has the same ids", () => {
    const ids = (secret: string) =>
      generateHandoff(everywhere(`--password=${secret}`)).packet.failed_attempts.map(({ id }) => id);
    expect(ids(["hunter", "22x!"].join(""))).toEqual(ids(["sunny", "77day!"].join("")));
  });
});
