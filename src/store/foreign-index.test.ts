// S2: a well-formed index.json that is another store's is not trusted, by repair or by the next writer.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { HandoffPacket } from "../model/packet.js";
import type { StoreIndex } from "../model/store-index.js";
import { publishPacket } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { repairStore } from "./repair-store.js";
import { restFaults } from "./testing/sound-store.js";

let sample: GeneratedHandoff;
let [root, other] = ["", ""];
beforeAll(async () => {
  sample = await samplePacket();
});
beforeEach(() => {
  [root, other] = [emptyFolder(), emptyFolder()];
});
afterEach(() => {
  for (const folder of [root, other]) rmSync(folder, { recursive: true, force: true });
});

const packetOf = (session_id: string, next_action: string, more: Partial<HandoffPacket> = {}) =>
  variantOf(sample.packet, { session_id, next_action, ...more });
const indexFile = (folder: string): string => path.join(folder, "out/index.json");
async function store(folder: string, made: readonly GeneratedHandoff[]): Promise<void> {
  for (const one of made) await publishPacket({ root: folder, outDir: "out", ...one });
}
async function rowsOf(folder: string): Promise<unknown[]> {
  const { index } = await readStore({ root: folder, outDir: "out" });
  return index.packets.map(({ packet_id, session_id, branch, topic, status, path: place }) =>
    [packet_id, session_id, branch, topic, status, place].join(" "),
  );
}
const OURS = (): GeneratedHandoff[] => [packetOf("s-1", "first"), packetOf("s-2", "second")];

const FOREIGN: [string, () => GeneratedHandoff[]][] = [
  ["other sessions", () => [packetOf("x-1", "theirs"), packetOf("x-2", "theirs too")]],
  ["the same sessions with other work", () => [packetOf("s-1", "theirs"), packetOf("s-2", "theirs too")]],
  ["the same sessions in the other order", () => [packetOf("s-2", "theirs"), packetOf("s-1", "theirs too")]],
  [
    "the same sessions on another branch",
    () => [packetOf("s-1", "a b", { branch: "x" }), packetOf("s-2", "c d", { branch: "x" })],
  ],
  [
    "the same sessions on another topic",
    () => [packetOf("s-1", "a b", { topic: "x" }), packetOf("s-2", "c d", { topic: "x" })],
  ],
  ["some of both", () => [packetOf("s-1", "first"), packetOf("x-9", "theirs")]],
];

describe("S2 an index of another store", () => {
  test.each(FOREIGN)(
    "%s: repair gives the packets that are here, and none besides; twice equals once",
    async (_, made) => {
      await store(root, OURS());
      const before = await rowsOf(root);
      await store(other, made());
      cpSync(indexFile(other), indexFile(root));
      const { actions } = await repairStore({ root, outDir: "out" });
      expect(actions.length).toBeGreaterThan(0);
      expect(await rowsOf(root)).toEqual(before);
      expect((await repairStore({ root, outDir: "out" })).actions).toEqual([]);
      expect(await restFaults({ root, outDir: "out" })).toEqual([]);
    },
  );

  test.each(FOREIGN)("%s: the next writer says so, and follows the packet that is here", async (_, made) => {
    await store(root, OURS());
    await store(other, made());
    cpSync(indexFile(other), indexFile(root));
    const { diagnostics, packet } = await publishPacket({ root, outDir: "out", ...packetOf("s-3", "third") });
    expect(diagnostics.map(({ code }) => code)).toContain("store.index_rebuilt");
    expect(packet.supersedes).toBe(OURS()[1]?.packet.packet_id);
    expect((await rowsOf(root)).length).toBe(3);
    expect(await restFaults({ root, outDir: "out" })).toEqual([]);
  });

  test("a writer that finds nothing wrong says nothing", async () => {
    await store(root, OURS());
    const { diagnostics } = await publishPacket({ root, outDir: "out", ...packetOf("s-3", "third") });
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ["session_id", "s-9"],
    ["branch", "elsewhere"],
    ["topic", "elsewhere"],
    ["packet_id", "hp_0123456789abcdef"],
  ])("one row whose %s is not true", async (field, value) => {
    await store(root, OURS());
    const before = await rowsOf(root);
    const index = JSON.parse(readFileSync(indexFile(root), "utf8")) as StoreIndex;
    const packets = index.packets.map((row) => (row.session_id === "s-2" ? { ...row, [field]: value } : row));
    writeFileSync(indexFile(root), JSON.stringify({ ...index, packets }));
    expect((await repairStore({ root, outDir: "out" })).actions.length).toBeGreaterThan(0);
    expect(await rowsOf(root)).toEqual(before);
    expect(await restFaults({ root, outDir: "out" })).toEqual([]);
  });
});
