// S3, S5: what the system refuses. Before the index swap nothing has changed and the error says what to do; after it the
// packet is published. Real processes on real file systems.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { HandoffPacket } from "../model/packet.js";
import { publishPacket } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { repairStore } from "./repair-store.js";
import { selectActive } from "./select-packet.js";
import { readerFaults, restFaults, storeBytes } from "./testing/sound-store.js";
import { buildStoreChild, type ChildEnd, type ChildStart, type StoreChild } from "./testing/store-steps.js";

const LINE = { branch: "feat/signup", topic: "main" };
const isRoot = process.getuid?.() === 0;
let sample: GeneratedHandoff;
let child: StoreChild;
const folders: string[] = [];
beforeAll(async () => {
  [sample, child] = await Promise.all([samplePacket(), buildStoreChild()]);
});
afterAll(() => {
  child.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
  const folder = emptyFolder();
  folders.push(folder);
  return folder;
};
const packetOf = (session_id: string, next_action: string, more: Partial<HandoffPacket> = {}) =>
  variantOf(sample.packet, { session_id, next_action, ...more });
const id = (made: GeneratedHandoff): string => made.packet.packet_id;
const placeOf = (root: string) => ({ root, outDir: "out" });
const first = (): GeneratedHandoff => packetOf("s-1", "first");
const second = (): GeneratedHandoff => packetOf("s-2", "second");
const again = (): GeneratedHandoff => packetOf("s-2", "second, improved");

/** A store in which session s-2 follows s-1. */
async function prepare(root: string): Promise<void> {
  for (const made of [first(), second()]) await publishPacket({ ...placeOf(root), ...made });
}
const publishIn = (root: string, made: GeneratedHandoff, how?: ChildStart): Promise<ChildEnd> =>
  child.start({ ...placeOf(root), steps: [{ do: "publish", made }] }, how);
/** Everything but the lock's folder. */
const bytesOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(storeBytes(path.join(root, "out"))).filter(([name]) => !name.startsWith(".lock")),
  );
async function activeIn(root: string): Promise<string | null> {
  return selectActive((await readStore(placeOf(root))).index, LINE)?.packet_id ?? null;
}

/** Exit 2, an error of this code that names a path in the store and what to do, and the very same files as before. */
async function expectRefused(root: string, end: ChildEnd, code: string, before: Record<string, string>) {
  expect(end).toMatchObject({ code: 0, stderr: "" });
  const [outcome] = end.outcomes;
  expect(outcome).toMatchObject({ ok: false, code, exitCode: 2 });
  if (outcome === undefined || outcome.ok) return;
  expect(outcome.path?.startsWith(path.join(root, "out"))).toBe(true);
  expect(outcome.hint).not.toBe("");
  expect(bytesOf(root)).toEqual(before);
  expect(await activeIn(root)).toBe(id(second()));
  expect(await readerFaults(placeOf(root))).toEqual([]);
}

describe("S3 every call that can fail fails once", () => {
  test.each([
    ["a packet in place of the session's own", again, /./u],
    // Writing temporary files is the same as above.
    [
      "a packet that supersedes another session's",
      () => packetOf("s-3", "third"),
      /^(?:rename|unlink|link|mkdir) /u,
    ],
  ])("%s: before the swap nothing has changed, after it all is published", async (_, make, which) => {
    const prepared = newFolder();
    await prepare(prepared);
    const before = bytesOf(prepared);
    const rehearsal = newFolder();
    cpSync(prepared, rehearsal, { recursive: true });
    const log = path.join(newFolder(), "calls");
    await publishIn(rehearsal, make(), { env: { FAULT_FOLDER: rehearsal, FAULT_LOG: log } });
    const calls = readFileSync(log, "utf8").trim().split("\n");
    const swap = calls.findIndex((call) => call === "rename out/index.json");
    expect(swap).toBeGreaterThan(10);
    const outcomes = new Set<string>();
    const faults: string[] = [];
    const points = calls
      .map((call, i) => ({ call, i }))
      .filter(({ call }) => which.test(call) && !call.startsWith("sync out/s-"));
    const failAt = async (call: string, i: number): Promise<void> => {
      const root = newFolder();
      cpSync(prepared, root, { recursive: true });
      const env = { FAULT_FOLDER: root, FAULT_AT: String(i + 1), FAULT_DO: "ENOSPC" };
      const { outcomes: ended, stderr } = await publishIn(root, make(), { env });
      const [outcome] = ended;
      const fault = (text: string): void => void faults.push(`${i} ${call}: ${text} ${stderr}`);
      if (outcome === undefined) fault("no outcome");
      else if (outcome.ok) {
        const { diagnostics } = outcome.result as { diagnostics: { code: string }[] };
        if ((await activeIn(root)) !== id(make())) fault("published, but not active");
        if (diagnostics.some(({ code }) => code !== "store.unsettled")) fault("another diagnostic");
        outcomes.add(diagnostics.length > 0 ? "published, told" : "published");
      } else {
        if (outcome.code !== "write.no_space" || outcome.exitCode !== 2) fault(outcome.code);
        if (i > swap) fault("refused after the swap");
        if (JSON.stringify(bytesOf(root)) !== JSON.stringify(before)) fault("refused, but files changed");
        outcomes.add("refused");
      }
      for (const text of await readerFaults(placeOf(root))) fault(text);
      await repairStore(placeOf(root));
      for (const text of await restFaults(placeOf(root))) fault(`repaired: ${text}`);
      rmSync(root, { recursive: true });
    };
    const runner = async (): Promise<void> => {
      for (let point = points.shift(); point !== undefined; point = points.shift())
        await failAt(point.call, point.i);
    };
    await Promise.all([runner(), runner(), runner()]);
    expect(faults).toEqual([]);
    expect([...outcomes].sort()).toEqual(["published", "published, told", "refused"]);
  });
});

describe("S5 what the system refuses", () => {
  test("a full disk", async ({ skip }) => {
    const root = newFolder();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", root]);
    if (mounted.status !== 0) skip("a small file system of one's own cannot be mounted here");
    try {
      await prepare(root);
      const before = bytesOf(root);
      try {
        writeFileSync(path.join(root, "filler"), Buffer.alloc(1024 * 1024));
      } catch {
        // As much as fits.
      }
      await expectRefused(root, await publishIn(root, again()), "write.no_space", before);
      await expectRefused(root, await publishIn(root, packetOf("s-3", "third")), "write.no_space", before);
      rmSync(path.join(root, "filler"));
      expect((await publishIn(root, again())).outcomes).toMatchObject([{ ok: true }]);
      expect(await restFaults(placeOf(root))).toEqual([]);
    } finally {
      spawnSync("umount", ["-l", root]);
    }
  });

  test("a read-only file system", async ({ skip }) => {
    const root = newFolder();
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", root]);
    if (mounted.status !== 0) skip("a small file system of one's own cannot be mounted here");
    try {
      await prepare(root);
      const before = bytesOf(root);
      spawnSync("mount", ["-o", "remount,ro", root]);
      await expectRefused(root, await publishIn(root, again()), "write.read_only", before);
      // What is there already needs no writing.
      const same = await publishIn(root, second());
      expect(same.outcomes).toMatchObject([{ ok: true, result: { changed: false } }]);
    } finally {
      spawnSync("umount", ["-l", root]);
    }
  });

  test.each([
    ["the store", "out"],
    ["the session's folder", "out/s-2"],
  ])("a user who may not write into %s", async (_, folder) => {
    const root = newFolder();
    await prepare(root);
    const before = bytesOf(root);
    chmodSync(root, 0o755);
    const nobody = isRoot ? 65_534 : undefined;
    const denied = path.join(root, folder);
    if (nobody !== undefined && folder !== "out") {
      for (const name of ["out", "out/.lock"]) chownSync(path.join(root, name), nobody, nobody);
    }
    chmodSync(denied, 0o555);
    const how = nobody === undefined ? {} : { uid: nobody };
    await expectRefused(root, await publishIn(root, again(), how), "write.denied", before);
    chmodSync(denied, 0o755);
    await repairStore(placeOf(root));
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("too many open files", async () => {
    const root = newFolder();
    await prepare(root);
    const before = bytesOf(root);
    const codes = new Set<string>();
    for (let limit = 16; limit <= 40; limit += 1) {
      const through = ["bash", "-c", `ulimit -n ${limit}; exec "$@"`, "--"];
      const { outcomes, code } = await publishIn(root, again(), { through });
      const [outcome] = outcomes;
      // Node itself needs some to start.
      if (outcome === undefined && code !== 0) continue;
      if (outcome === undefined || outcome.ok) break;
      const isSame = JSON.stringify(bytesOf(root)) === JSON.stringify(before);
      const names = outcome.path?.startsWith(root) === true;
      codes.add([outcome.code, outcome.exitCode, isSame, names].join(" "));
    }
    expect([...codes]).toEqual(["system.too_many_files 2 true true"]);
    expect(await activeIn(root)).toBe(id(again()));
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("a clock that jumps", async () => {
    const root = newFolder();
    await prepare(root);
    const jumping = path.join(newFolder(), "jump.mjs");
    writeFileSync(
      jumping,
      "const now = Date.now; let n = 0;\nDate.now = () => { n += 1; return now() + (n % 2 === 0 ? 1e11 : -1e11); };\n",
    );
    const ends = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        publishIn(root, packetOf(`s-jump-${n}`, "go on"), { nodeArgs: ["--import", jumping] }),
      ),
    );
    for (const end of ends) expect(end).toMatchObject({ code: 0, stderr: "", outcomes: [{ ok: true }] });
    expect((await readStore(placeOf(root))).index.packets).toHaveLength(8);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });
});

describe("S2 an index that is no use", () => {
  test.each([
    ["cut short", (text: string) => text.slice(0, 200)],
    ["of another shape", () => '{"packets": 3}'],
    ["with two active packets", (text: string) => text.replace('"status":"superseded"', '"status":"active"')],
    ["that leads out of the store", (text: string) => text.replace('"path":"s-2"', '"path":"../../etc"')],
    ["a conflict of git's", (text: string) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`],
  ])("%s: readers do without, the next writer sets it aside", async (_, damage) => {
    const root = newFolder();
    await prepare(root);
    const file = path.join(root, "out/index.json");
    const damaged = damage(readFileSync(file, "utf8"));
    writeFileSync(file, damaged);
    const seen = await readStore(placeOf(root));
    expect(seen.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["store.index_rebuilt", "warn"],
    ]);
    expect(selectActive(seen.index, LINE)?.packet_id).toBe(id(second()));
    expect(readFileSync(file, "utf8")).toBe(damaged);
    const { diagnostics } = await publishPacket({ ...placeOf(root), ...packetOf("s-3", "third") });
    expect(diagnostics.map(({ code }) => code)).toEqual(["store.index_rebuilt", "store.index_kept"]);
    const kept = path.join(root, "out", String(diagnostics[1]?.args["kept"]));
    expect(readFileSync(kept, "utf8")).toBe(damaged);
    expect(await restFaults(placeOf(root))).toEqual([]);
    expect((await readStore(placeOf(root))).index.packets).toHaveLength(3);
  });

  test("missing: said, and written by the next writer, even one that changes nothing else", async () => {
    const root = newFolder();
    await prepare(root);
    rmSync(path.join(root, "out/index.json"));
    const again2 = await publishPacket({ ...placeOf(root), ...second() });
    expect(again2.diagnostics.map(({ code }) => code)).toEqual(["store.index_rebuilt"]);
    expect(await restFaults(placeOf(root))).toEqual([]);
  });

  test("that cannot be read: exit 2, nothing is overwritten", async () => {
    const root = newFolder();
    await prepare(root);
    const file = path.join(root, "out/index.json");
    rmSync(file);
    mkdirSync(file);
    await expect(publishPacket({ ...placeOf(root), ...again() })).rejects.toMatchObject({
      code: "store.index_unreadable",
      exitCode: 2,
    });
    expect(readFileSync(path.join(root, "out/s-2/handoff.json"), "utf8")).toContain("second");
  });
});
