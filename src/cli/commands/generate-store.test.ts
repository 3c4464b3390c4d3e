// handoff generate in a store: who follows whom, what comes along, what a second writer sees. The built command line.
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HandoffPacket } from "../../model/packet.js";
import { readStore } from "../../store/read-store.js";
import { recordConsumption } from "../../store/record-consumption.js";
import { selectActive } from "../../store/select-packet.js";
import { withStoreLock } from "../../store/store-lock.js";
import { restFaults } from "../../store/testing/sound-store.js";
import { plainEnvironment } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { read, tree, useCli } from "../testing/use-cli.js";

const { bench, cli, run } = useCli();
const OUT = "outputs/handoff";
const LINE = { branch: "feat/signup", topic: "main" };
const placeOf = (root: string) => ({ root, outDir: OUT });

/** A workbench in which each session has a state of its own, with a dead end of its own. */
function sessionsBench(...sessions: readonly string[]): string {
  const root = bench();
  rmSync(path.join(root, "agent_state.json"));
  put(root, "handoff.config.json", { artifacts: { state: ["state-<session_id>.json"] } });
  for (const session of sessions)
    put(root, `state-${session}.json`, {
      next_action: `what ${session} would do next`,
      dead_ends: [{ what: `the way of ${session}`, why: "it leads nowhere" }],
    });
  return root;
}
function packetAt(root: string, folder: string): HandoffPacket {
  const packet: HandoffPacket = JSON.parse(read(root, `${OUT}/${folder}/handoff.json`));
  return packet;
}
const deadEnds = ({ failed_attempts }: HandoffPacket): string[] =>
  failed_attempts.flatMap(({ kind, what }) => (kind === "dead_end" ? [what] : [])).sort();
const generate = async (root: string, session: string, ...args: string[]): Promise<string> => {
  const result = await run(root, "generate", "--session", session, ...args);
  expect([result.code, result.stderr]).toEqual([0, ""]);
  return result.stdout;
};

describe("S1 one active packet a branch and topic", () => {
  test("P33 another session's packet supersedes it, linked both ways, and takes its open items along", async () => {
    const root = sessionsBench("s-1", "s-2", "s-3");
    for (const session of ["s-1", "s-2", "s-3"]) await generate(root, session);
    const [one, two, three] = ["s-1", "s-2", "s-3"].map((session) => packetAt(root, session));
    expect([one?.status, two?.status, three?.status]).toEqual(["superseded", "superseded", "active"]);
    expect([one?.superseded_by, two?.superseded_by, three?.superseded_by]).toEqual([
      two?.packet_id,
      three?.packet_id,
      null,
    ]);
    expect([one?.supersedes, two?.supersedes, three?.supersedes]).toEqual([
      null,
      one?.packet_id,
      two?.packet_id,
    ]);
    expect(deadEnds(three as HandoffPacket)).toEqual(["the way of s-1", "the way of s-2", "the way of s-3"]);
    const first = three?.failed_attempts.find(({ what }) => what === "the way of s-1");
    expect(first?.carried_from).toBe(one?.packet_id);
    expect(read(root, `${OUT}/s-1/handoff.md`)).toContain(`superseded by ${two?.packet_id}`);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("P34 S1 the same session again: in place, keeping its predecessor; the same inputs write nothing", async () => {
    const root = sessionsBench("s-1", "s-2");
    await generate(root, "s-1");
    await generate(root, "s-2");
    const before = packetAt(root, "s-2");
    const files = tree(root);
    expect(await generate(root, "s-2")).toContain("unchanged");
    expect(tree(root)).toEqual(files);
    put(root, "state-s-2.json", { next_action: "something better" });
    await generate(root, "s-2");
    const after = packetAt(root, "s-2");
    expect(after.packet_id).not.toBe(before.packet_id);
    expect(after.supersedes).toBe(packetAt(root, "s-1").packet_id);
    expect(packetAt(root, "s-1").superseded_by).toBe(after.packet_id);
    expect(deadEnds(after)).toEqual(["the way of s-1"]);
    expect((await readStore(placeOf(root))).index.packets).toHaveLength(2);
    expect(readdirSync(path.join(root, OUT)).sort()).toEqual([".lock", "index.json", "s-1", "s-2"]);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("S1 S8 a packet that was taken is frozen: the session's next one follows it, below it", async () => {
    const root = sessionsBench("s-1");
    await generate(root, "s-1");
    const taken = packetAt(root, "s-1");
    const at = "2026-11-29T12:00:00.000Z";
    await recordConsumption({ ...placeOf(root), packetId: taken.packet_id, by: "s-9", at });
    expect(await generate(root, "s-1")).toContain("unchanged");
    put(root, "state-s-1.json", { next_action: "one more thing" });
    expect(await generate(root, "s-1")).toContain(`${OUT}/s-1/feat-signup.main/handoff.md`);
    const next = packetAt(root, "s-1/feat-signup.main");
    expect(next.supersedes).toBe(taken.packet_id);
    expect(packetAt(root, "s-1")).toEqual({
      ...taken,
      status: "superseded",
      superseded_by: next.packet_id,
    });
    expect(deadEnds(next)).toEqual(["the way of s-1"]);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("S2 further branches and topics of a session live below it and do not touch each other", async () => {
    const root = sessionsBench("s-1");
    await generate(root, "s-1");
    await generate(root, "s-1", "--topic", "docs");
    git(root, "checkout", "--quiet", "-b", "fix/mail");
    await generate(root, "s-1");
    const { index } = await readStore(placeOf(root));
    expect(
      index.packets.map(({ path: folder, branch, topic, status }) => [folder, branch, topic, status]),
    ).toEqual([
      ["s-1", "feat/signup", "main", "active"],
      ["s-1/feat-signup.docs", "feat/signup", "docs", "active"],
      ["s-1/fix-mail.main", "fix/mail", "main", "active"],
    ]);
    expect((await run(root, "show", "--json")).stdout).toBe(
      read(root, `${OUT}/s-1/fix-mail.main/handoff.json`),
    );
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("P40 --stdout and --dry-run tell what would be written, where, and write nothing", async () => {
    const root = sessionsBench("s-1", "s-2");
    await generate(root, "s-1");
    const before = tree(root);
    const json = await generate(root, "s-2", "--stdout", "json");
    const dry = await generate(root, "s-1", "--topic", "docs", "--dry-run");
    expect(dry).toContain(`${OUT}/s-1/feat-signup.docs/handoff.md`);
    expect(tree(root)).toEqual(before);
    await generate(root, "s-2");
    expect(read(root, `${OUT}/s-2/handoff.json`)).toBe(json);
  });

  test("S9 a predecessor that is no packet any more is said; the new one follows it all the same", async () => {
    const root = sessionsBench("s-1", "s-2");
    await generate(root, "s-1");
    const { packet_id } = packetAt(root, "s-1");
    put(root, `${OUT}/s-1/handoff.json`, "{}");
    const result = await run(root, "generate", "--session", "s-2");
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^handoff: packet\.invalid: .*cannot be carried forward/u);
    expect(packetAt(root, "s-2").supersedes).toBe(packet_id);
    expect(read(root, `${OUT}/s-1/handoff.json`)).toBe("{}");
  });
});

describe("S4 several at once", () => {
  test("P33 sessions that publish at the same time: one line, and the active packet has everyone's dead ends", async () => {
    const sessions = Array.from({ length: 8 }, (_, n) => `s-${n}`);
    const root = sessionsBench(...sessions);
    const results = await Promise.all(sessions.map((session) => run(root, "generate", "--session", session)));
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(sessions.map(() => [0, ""]));
    const { index } = await readStore(placeOf(root));
    const active = selectActive(index, LINE);
    expect(deadEnds(packetAt(root, active?.path ?? ""))).toEqual(sessions.map((one) => `the way of ${one}`));
    expect(index.packets).toHaveLength(8);
    expect(index.packets.filter(({ supersedes }) => supersedes === null)).toHaveLength(1);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("a writer that has to wait says so, and goes on once it can", async () => {
    const root = sessionsBench("s-1", "s-2");
    await generate(root, "s-1");
    const out = path.join(root, OUT);
    let said = "";
    const { ended } = await withStoreLock(out, {}, async () => {
      const child = spawn(process.execPath, [cli().main, "generate", "--session", "s-2"], {
        cwd: root,
        env: plainEnvironment(),
        stdio: ["ignore", "ignore", "pipe"],
      });
      const end = new Promise<number | null>((resolve) => child.on("close", resolve));
      // Once it has said that it waits, it need not wait any longer.
      const waits = new Promise<void>((resolve) => {
        child.stderr.setEncoding("utf8").on("data", (piece: string) => {
          said += piece;
          if (said.includes("\n")) resolve();
        });
      });
      await Promise.race([waits, end]);
      return { ended: end };
    });
    expect(await ended).toBe(0);
    expect(said).toMatch(/^handoff: the store is in use by process \d+ on .+; waiting up to 30 s\n$/u);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });
});
