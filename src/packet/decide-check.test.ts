// A16: what fails a gate, on real repositories: generate, do what people and CIs do, judge.
import { appendFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyFolder, git, put, sampleWorkbench } from "../cli/testing/sample-workbench.js";
import { generateHandoff } from "../generate/generate-handoff.js";
import type { StoreDriftFacts } from "../model/drift.js";
import type { HandoffPacket } from "../model/packet.js";
import { loadSnapshot } from "../workbench/load-snapshot.js";
import { readDriftFacts } from "../workbench/read-drift-facts.js";
import { decideCheck, type Check, type FailOn } from "./decide-check.js";
import { decideDrift } from "./decide-drift.js";

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const ACTIVE: StoreDriftFacts = { status: "active", superseded_by: null, file_findings: [] };

function track(root: string): string {
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

async function packetOf(root: string): Promise<HandoffPacket> {
  const snapshot = await loadSnapshot(root, { env: ENV });
  return generateHandoff(snapshot, { allowDegraded: true }).packet;
}

async function judge(
  root: string,
  packet: HandoffPacket,
  failOn: FailOn = "block",
  life: StoreDriftFacts = ACTIVE,
): Promise<Check> {
  const facts = await readDriftFacts(root, packet, { env: ENV });
  return decideCheck(packet, decideDrift(packet, { ...facts, ...life }), failOn);
}

/** `passed weight code …`, without risks, after one change. */
async function after(
  change: (root: string) => string | void,
  prepare: (root: string) => void = () => {},
): Promise<string> {
  const root = track(sampleWorkbench());
  prepare(root);
  const packet = await packetOf(root);
  const { passed, findings } = await judge(change(root) ?? root, packet);
  const told = findings.filter(({ code }) => code !== "check.risk");
  return [passed ? "passed" : "failed", ...told.map(({ weight, code }) => `${weight} ${code}`)].join(" ");
}

const commitAll = (root: string): void => {
  git(root, "add", "--all", "--force", ".");
  git(root, "commit", "--quiet", "--allow-empty", "--message", "More");
};

describe("A16 stale", () => {
  it("A16 is not: nothing happened, or the packet and the work it saw were committed", async () => {
    expect(await after(() => {})).toBe("passed");
    const uncommitted = (root: string): void => void put(root, "app/mail.py", "one\n");
    // The verdict was about the commit before; what it saw is what there is.
    expect(await after(commitAll, uncommitted)).toBe("passed info drift.commits info drift.verdict_stale");
  });

  it("A16 is not: the log and the reports are not committed, and a CI's clone lacks them", async () => {
    const asCloned = (root: string): string => {
      const clone = track(emptyFolder());
      git(clone, "clone", "--quiet", `file://${root}`, "x");
      return path.join(clone, "x");
    };
    expect(await after(asCloned)).toMatch(/^passed(?: warn drift\.(?:artifact_gone|feedback_replaced))+$/u);
  });

  it("A16 is not: the packet's commit was amended, its content kept", async () => {
    const amend = (root: string): void =>
      void git(root, "commit", "--quiet", "--amend", "--message", "Reworded");
    expect(await after(amend)).toMatch(/^passed warn drift\.head_unreachable/u);
  });

  it.each([
    [
      "a commit that changes something",
      (root: string) => (put(root, "app/signup.py", "3\n"), commitAll(root)),
    ],
    ["an uncommitted change", (root: string) => void put(root, "app/signup.py", "3\n")],
    ["another branch", (root: string) => void git(root, "checkout", "--quiet", "-b", "other")],
    [
      "a command nobody told the packet of",
      (root: string) =>
        appendFileSync(path.join(root, "feedback_record.jsonl"), '{"command": "x", "exit_code": 1}\n'),
    ],
    [
      "another verdict",
      (root: string) =>
        void put(root, "outputs/verification/T-001.json", { task_id: "T-001", passed: false, findings: [] }),
    ],
  ])("A16 is: %s", async (_name, change) => {
    expect(await after(change)).toMatch(/^failed block drift\./u);
  });

  it("A16 a shallow clone is not judged fresh, and says why", async () => {
    const root = track(sampleWorkbench());
    const packet = await packetOf(root);
    commitAll(root);
    const clone = track(emptyFolder());
    git(clone, "clone", "--quiet", "--depth=1", `file://${root}`, "x");
    const { passed, findings } = await judge(path.join(clone, "x"), packet);
    expect(passed).toBe(false);
    expect(findings[0]).toMatchObject({
      code: "drift.head_unreachable",
      weight: "block",
      args: { exists: "shallow", tree: "unknown" },
    });
  });

  it("A16 superseded or archived, changed by hand, or no packet at all", async () => {
    const root = track(sampleWorkbench());
    const packet = await packetOf(root);
    for (const status of ["superseded", "archived"] as const)
      expect((await judge(root, packet, "block", { ...ACTIVE, status })).passed).toBe(false);
    const byHand = (code: "drift.packet_edited" | "drift.markdown_edited" | "packet.invalid") =>
      [{ code, severity: "error", artifact: "packet", source: { path: "x" }, args: {}, items: [] }] as const;
    const passes = (code: Parameters<typeof byHand>[0]): boolean =>
      decideCheck(packet, { verdict: "drifted", findings: byHand(code) }, "block").passed;
    expect([passes("drift.packet_edited"), passes("drift.markdown_edited")]).toEqual([false, true]);
    expect(
      decideCheck(null, { verdict: "refused", findings: byHand("packet.invalid") }, "block"),
    ).toMatchObject({ passed: false, findings: [{ code: "packet.invalid", weight: "block" }] });
  });
});

describe("A16 --fail-on", () => {
  const words = ["block", "warn", "never"] as const;
  const outcomes = async (root: string): Promise<string> => {
    const packet = await packetOf(root);
    const checks = await Promise.all(words.map((word) => judge(root, packet, word)));
    return checks.map(({ passed }) => (passed ? "passed" : "failed")).join(" ");
  };

  it("A16 a warning fails under warn only, a blocking risk and a degraded packet under block too, never under never", async () => {
    const warned = track(sampleWorkbench());
    expect(await outcomes(warned)).toBe("passed failed passed");
    const blocked = track(sampleWorkbench());
    put(blocked, "outputs/verification/T-001.json", {
      task_id: "T-001",
      passed: false,
      findings: [{ code: "x", severity: "block", detail: "no mail is sent" }],
    });
    expect(await outcomes(blocked)).toBe("failed failed passed");
    const [first] = (await judge(blocked, await packetOf(blocked), "never")).findings;
    expect(first).toMatchObject({
      code: "check.risk",
      weight: "block",
      severity: "error",
      source: { path: "outputs/verification/T-001.json" },
    });
    const degraded = track(emptyFolder());
    git(degraded, "init", "--quiet", "--initial-branch=main");
    expect(await outcomes(degraded)).toBe("failed failed passed");
  });

  it("A16 where nothing is published that is a warning, and what would be written is judged", async () => {
    const root = track(sampleWorkbench());
    const packet = await packetOf(root);
    expect(decideCheck(packet, null, "block")).toMatchObject({
      passed: true,
      findings: [{ code: "check.unpublished", weight: "warn" }],
    });
    expect(decideCheck(packet, null, "warn").passed).toBe(false);
  });
});
