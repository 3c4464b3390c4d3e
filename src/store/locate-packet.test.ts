import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { HandoffError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { archivePackets } from "./archive-packets.js";
import { locatePacket, type PacketQuery } from "./locate-packet.js";
import { publishPacket } from "./publish-packet.js";

const BRANCH = "feat/signup";
let sample: GeneratedHandoff;
let root = "";
beforeAll(async () => {
  sample = await samplePacket();
});
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function add(session_id: string, changes: Partial<HandoffPacket> = {}): Promise<HandoffPacket> {
  const made = variantOf(sample.packet, { session_id, ...changes });
  await publishPacket({ root, outDir: "out", ...made });
  return made.packet;
}
const archive = (packetId: string) => archivePackets({ root, outDir: "out", select: () => [packetId] });

async function find(query: Partial<PacketQuery>): Promise<string> {
  try {
    const all = { root, outDir: "out", ref: null, branch: BRANCH, topic: "main" };
    const { entry, json_path } = await locatePacket({ ...all, ...query });
    expect(json_path).toBe(path.join(root, "out", entry.path, "handoff.json"));
    return `${entry.session_id} ${entry.status}`;
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    const { exitCode, code, hint } = error;
    return `${exitCode} ${code}: ${hint}`;
  }
}

describe("by reference", () => {
  test("a packet id, a beginning of one, or a session id", async () => {
    const { packet_id } = await add("s-1");
    await add("s-2");
    expect(await find({ ref: "s-2" })).toBe("s-2 active");
    expect(await find({ ref: packet_id })).toBe("s-1 superseded");
    expect(await find({ ref: packet_id.slice(0, 9) })).toBe("s-1 superseded");
    expect(await find({ ref: packet_id.slice(3, 9) })).toBe("s-1 superseded");
    expect(await find({ ref: packet_id.slice(0, 6) })).toMatch(/^1 packet\.missing/u);
  });

  test("a beginning that fits several is told, with what it may mean", async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 2; n += 1) ids.add((await add(`s-${n}`)).packet_id);
    const packets = [...ids];
    const shared = { ...sample.packet };
    expect(packets).toHaveLength(2);
    // Ids are hashes: beginnings are made to collide in the index alone.
    const text = `hp_abcd`;
    const file = path.join(root, "out/index.json");
    const { readFileSync, writeFileSync } = await import("node:fs");
    const index = packets.reduce(
      (all, id, n) => all.replaceAll(id, `hp_abcd${n}${id.slice(8)}`),
      readFileSync(file, "utf8"),
    );
    writeFileSync(file, index);
    expect(shared.topic).toBe("main");
    expect(await find({ ref: text })).toMatch(/^2 usage\.ambiguous_id: name one of hp_abcd0.*, hp_abcd1/u);
  });

  test("of a session's packets the active one", async () => {
    await add("s-1");
    await add("s-1", { branch: "other" });
    const last = await add("s-1", { topic: "docs" });
    expect(await find({ ref: "s-1" })).toBe("s-1 active");
    await archive(last.packet_id);
    expect(await find({ ref: "s-1" })).toBe("s-1 active");
    expect(await find({ ref: last.packet_id })).toBe("s-1 archived");
  });

  test("what is not there is exit 1, what cannot be an id is exit 2", async () => {
    expect(await find({ ref: "s-1" })).toMatch(/^1 packet\.missing/u);
    await add("s-1");
    expect(await find({ ref: "s-2" })).toMatch(/^1 packet\.missing/u);
    expect(await find({ ref: "hp_0000000000000000" })).toMatch(/^1 packet\.missing/u);
    for (const ref of ["../x", ".", "..", "", "a/b", "a\u0000b"])
      expect(await find({ ref })).toMatch(/^2 usage\.bad_id/u);
  });

  test("files that are gone are told as such", async () => {
    await add("s-1");
    rmSync(path.join(root, "out/s-1"), { recursive: true });
    expect(await find({})).toMatch(/^1 packet\.missing: handoff doctor --repair/u);
  });
});

describe("S6 by branch and topic", () => {
  test("the one published last, whatever the packets' times say", async () => {
    await add("s-b", { generated_at: "2026-11-29T12:00:00.000Z" });
    await add("s-c", { generated_at: "2026-11-28T12:00:00.000Z" });
    await add("s-a", { generated_at: null });
    await add("s-d", { generated_at: "2026-12-01T12:00:00.000Z", branch: "other" });
    await add("s-e", { generated_at: "2026-12-01T12:00:00.000Z", topic: "docs" });
    await add("s-f", { branch: null });
    expect(await find({})).toBe("s-a active");
    expect(await find({ branch: "other" })).toBe("s-d active");
    expect(await find({ topic: "docs" })).toBe("s-e active");
    expect(await find({ branch: null })).toBe("s-f active");
  });

  test("none on this branch: exit 1, and the branches that have one", async () => {
    const { packet_id } = await add("s-1");
    await add("s-2", { branch: "b" });
    await add("s-3", { branch: "a" });
    await archive(packet_id);
    expect(await find({})).toMatch(/^1 packet\.missing: there are packets for: a, b; name one by its id/u);
    expect(await find({ topic: "docs" })).toMatch(
      /^1 packet\.missing: there are packets on other topics for: a, b/u,
    );
  });

  test("an empty or missing store", async () => {
    expect(await find({})).toMatch(/^1 packet\.missing: handoff generate/u);
    mkdirSync(path.join(root, "out/archive"), { recursive: true });
    put(root, "out/.hidden/handoff.json", sample.json);
    put(root, "out/notes.txt", "x");
    put(root, "out/s-foreign/handoff.json", "{}");
    expect(await find({})).toMatch(/^1 packet\.missing: handoff generate/u);
  });

  test("an archived packet drives nothing, index or no index", async () => {
    const { packet_id } = await add("s-1");
    await archive(packet_id);
    expect(await find({})).toMatch(/^1 packet\.missing/u);
    rmSync(path.join(root, "out/index.json"));
    expect(await find({})).toMatch(/^1 packet\.missing/u);
    expect(await find({ ref: "s-1" })).toBe("s-1 archived");
  });
});
