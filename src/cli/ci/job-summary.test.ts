// A16: the job summary in its file: appended, told once, never larger than the CI takes, never in the way.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { nodesOf, parseMarkdown } from "../../../fixtures/markdown-tree.js";
import type { HandoffPacket } from "../../model/packet.js";
import { decideCheck } from "../../packet/decide-check.js";
import { temporaryFolder } from "../../workbench/git/test-repository.js";
import { samplePacket, variantOf } from "../testing/sample-packet.js";
import { appendJobSummary, cutMarkdown, SUMMARY_MAX_BYTES } from "./job-summary.js";

let packet: HandoffPacket;
beforeAll(async () => {
  ({ packet } = await samplePacket());
});

const read = (file: string): string => readFileSync(file, "utf8");
const summary = (of: HandoffPacket = packet, gate: "block" | null = null) => ({
  packet: of,
  check: gate === null ? null : decideCheck(of, null, gate),
  templates: {},
});

describe("A16 job summary", () => {
  it("A16 makes the file or goes behind what is there, and tells a packet once", async () => {
    const file = path.join(temporaryFolder(), "summary.md");
    expect(await appendJobSummary(file, summary())).toBe(null);
    const first = read(file);
    expect(first).toMatch(/^<!-- handoff:begin hp_[0-9a-f]{16} -->\n## Handoff: T-001\n/u);
    expect(first).toContain("**Next action:** mend what ruff says about");
    expect(await appendJobSummary(file, summary())).toBe(null);
    expect(read(file)).toBe(first);
    await appendJobSummary(file, summary(packet, "block"));
    expect(read(file).slice(first.length)).toMatch(
      /^\n\*\*Handoff check: passed\*\* \(fails on block\)\n\n- warn · no packet is published for this branch/u,
    );
    writeFileSync(file, "theirs, without an end");
    await appendJobSummary(file, summary());
    expect(read(file)).toMatch(/^theirs, without an end\n\n<!-- handoff:begin /u);
  });

  it("A16 never grows past the limit, is cut at a line, and counts what is missing", async () => {
    const file = path.join(temporaryFolder(), "summary.md");
    const decisions = Array.from({ length: 800 }, (_, i) => ({
      ...packet.decisions[0]!,
      what: `decision ${i} é`,
    }));
    const one = { id: "00000000", why: null, carried_from: null, source: { path: "agent_state.json" } };
    const large = variantOf(packet, { decisions: decisions.map((d) => ({ ...one, ...d })) }).packet;
    const addedIn = async (room: number): Promise<readonly [string | null, string]> => {
      writeFileSync(file, `${"x".repeat(SUMMARY_MAX_BYTES - room - 1)}\n`);
      const failed = await appendJobSummary(file, summary(large));
      expect(statSync(file).size).toBeLessThanOrEqual(SUMMARY_MAX_BYTES);
      return [failed, read(file).slice(SUMMARY_MAX_BYTES - room)];
    };
    for (const room of [5000, 60])
      expect(await addedIn(room)).toEqual([null, expect.stringMatching(/\n… and \d+ more lines\n$/u)]);
    expect(await addedIn(10)).toEqual(["it is full", ""]);
    writeFileSync(file, "x".repeat(SUMMARY_MAX_BYTES + 5));
    expect(await appendJobSummary(file, summary())).toBe("it is full");
  });

  it("A16 is never cut inside a fence", () => {
    const text = `a\n\n\`\`\`\n${"code\n".repeat(40)}\`\`\`\n\nb\n`;
    for (let room = 60; room < text.length; room += 1) {
      const cut = cutMarkdown(text, room) ?? "";
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(room);
      const texts = [...nodesOf(parseMarkdown(cut))].filter(({ type }) => type === "text");
      expect(texts.some((node) => "value" in node && /^… and \d+ more/u.test(String(node.value)))).toBe(true);
    }
  });

  it("A16 what cannot be written is said, and nothing hangs", async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "d"));
    expect(await appendJobSummary(path.join(folder, "d"), summary())).toBe("EISDIR");
    expect(await appendJobSummary(path.join(folder, "no/x"), summary())).toBe("ENOENT");
    execFileSync("mkfifo", [path.join(folder, "fifo")]);
    expect(await appendJobSummary(path.join(folder, "fifo"), summary())).toBe("it is not a file");
  });

  it("A16 text from the packet makes no structure", async () => {
    const file = path.join(temporaryFolder(), "summary.md");
    const detail = "</details># <b>x</b> [a](b) ```";
    const risky = variantOf(packet, {
      open_risks: [{ ...packet.open_risks[0]!, severity: "block", detail }],
    }).packet;
    await appendJobSummary(file, summary(risky, "block"));
    const kinds = [...nodesOf(parseMarkdown(read(file)))].filter(
      ({ type }) => type === "html" || type === "link" || type === "code",
    );
    // Our two markers alone.
    expect(kinds.map(({ type }) => type)).toEqual(["html", "html"]);
  });
});
