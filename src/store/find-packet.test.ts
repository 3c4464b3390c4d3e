import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { HandoffPacket } from "../model/packet.js";
import { HandoffError } from "../model/errors.js";
import { findPacket, type PacketQuery } from "./find-packet.js";
import { publishPacket } from "./publish-packet.js";

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
async function find(query: Partial<PacketQuery>): Promise<string> {
  try {
    const all = { root, outDir: "out", ref: null, branch: null, topic: null };
    return (await findPacket({ ...all, ...query })).session;
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    const { exitCode, code, hint } = error;
    return `${exitCode} ${code}: ${hint}`;
  }
}

describe("by reference", () => {
  test("a packet id or a session id", async () => {
    const { packet_id } = await add("s-1");
    await add("s-2");
    expect(await find({ ref: "s-2" })).toBe("s-2");
    expect(await find({ ref: packet_id })).toBe("s-1");
  });

  test("what is not there is exit 1, what cannot be an id is exit 2", async () => {
    expect(await find({ ref: "s-1" })).toMatch(/^1 packet\.missing/u);
    await add("s-1");
    expect(await find({ ref: "s-2" })).toMatch(/^1 packet\.missing/u);
    expect(await find({ ref: "hp_0000000000000000" })).toMatch(/^1 packet\.missing/u);
    for (const ref of ["../x", ".", "..", "", "a/b", "a\u0000b"])
      expect(await find({ ref })).toMatch(/^2 usage\.bad_id/u);
  });
});

describe("S6 by branch and topic", () => {
  test("the newest by what the packets say, whatever order they were written in", async () => {
    await add("s-b", { generated_at: "2026-11-29T12:00:00.000Z" });
    await add("s-c", { generated_at: "2026-11-28T12:00:00.000Z" });
    await add("s-a", { generated_at: null });
    await add("s-d", { generated_at: "2026-12-01T12:00:00.000Z", branch: "other" });
    await add("s-e", { generated_at: "2026-12-01T12:00:00.000Z", topic: "docs" });
    expect(await find({ branch: "feat/signup", topic: "main" })).toBe("s-b");
    expect(await find({ branch: "other" })).toBe("s-d");
    expect(await find({ branch: "feat/signup", topic: "docs" })).toBe("s-e");
    // Equal times: by session, the same every time.
    await add("s-0", { generated_at: "2026-11-29T12:00:00.000Z" });
    expect(await find({ branch: "feat/signup", topic: "main" })).toBe("s-0");
  });

  test("only active ones; the hint names the branches that have one", async () => {
    await add("s-1", { status: "superseded" });
    await add("s-2", { branch: "b" });
    await add("s-3", { branch: "a" });
    expect(await find({ branch: "feat/signup" })).toBe(
      "1 packet.missing: there are packets for: a, b; name one by its session id",
    );
    expect(await find({ branch: null, topic: "none" })).toMatch(/^1 packet\.missing/u);
  });

  test("an empty or missing store", async () => {
    expect(await find({})).toMatch(/^1 packet\.missing: handoff generate/u);
    mkdirSync(path.join(root, "out/archive"), { recursive: true });
    put(root, "out/archive/handoff.json", sample.json);
    put(root, "out/.hidden/handoff.json", sample.json);
    put(root, "out/notes.txt", "x");
    put(root, "out/s-foreign/handoff.json", "{}");
    expect(await find({})).toMatch(/^1 packet\.missing: handoff generate/u);
  });
});
