import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import { storeIndexSchema, type IndexEntry, type StoreIndex } from "../model/store-index.js";
import { parseIndex, readIndexFile, renderIndex } from "./index-file.js";

const entry = (n: number, more: Partial<IndexEntry> = {}): IndexEntry => ({
  packet_id: `hp_${String(n).padStart(16, "0")}`,
  session_id: `s-${n}`,
  branch: "feat/signup",
  topic: "main",
  task_id: null,
  status: "superseded",
  path: `s-${n}`,
  generated_at: "2026-11-29T12:00:00.000Z",
  next_action: "go on",
  supersedes: null,
  superseded_by: null,
  json_sha256: "a".repeat(64),
  sequence: n,
  consumed_by: [{ by: "s-9", at: "2026-11-29T12:00:00.000Z" }],
  ...more,
});
const indexOf = (...packets: readonly IndexEntry[]): StoreIndex => ({
  schema_version: "1.0",
  sequence: 100,
  packets,
});

describe("S2 index.json", () => {
  test("comes back as it was written, one packet a line", () => {
    const index = indexOf(entry(1), entry(2, { status: "active", branch: null, next_action: 'a "b"\n,' }));
    const text = renderIndex(index);
    expect(text.split("\n")).toHaveLength(5);
    expect(parseIndex(text)).toEqual({ index });
    expect(parseIndex(renderIndex(indexOf()))).toEqual({ index: indexOf() });
  });

  test("read and written again it has the same bytes, with or without changed rows, however it was laid out", async () => {
    const out = emptyFolder();
    const index = indexOf(entry(1), entry(2), entry(3));
    for (const text of [renderIndex(index), JSON.stringify(index, null, 2), JSON.stringify(index)]) {
      writeFileSync(path.join(out, "index.json"), text);
      const file = await readIndexFile(out);
      expect(file.status).toBe("index");
      const read = file.status === "index" ? file.index : indexOf();
      expect(renderIndex(read)).toBe(renderIndex(index));
      const changed = read.packets.map((one, i) => (i === 1 ? { ...one, status: "archived" as const } : one));
      const expected = renderIndex(indexOf(entry(1), entry(2, { status: "archived" }), entry(3)));
      expect(renderIndex({ ...read, packets: changed })).toBe(expected);
    }
    rmSync(out, { recursive: true });
  });

  test.each<[string, StoreIndex, RegExp]>([
    ["an id twice", indexOf(entry(1), entry(1, { path: "s-2" })), /is in it twice/u],
    ["a folder twice", indexOf(entry(1), entry(2, { path: "s-1" })), /two packets are said to be in s-1/u],
    [
      "two active ones",
      indexOf(entry(1, { status: "active" }), entry(2, { status: "active" })),
      /two packets are active/u,
    ],
  ])("contradicts itself: %s", (_, index, reason) => {
    expect(parseIndex(renderIndex(index))).toEqual({ reason: expect.stringMatching(reason) as string });
  });

  test("the checks by hand say what the schema says, of any damaged index", () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        "",
        "x",
        "../x",
        ".x",
        "a/b",
        "a/b/c",
        "a/b/c/d",
        "active",
        "hp_1",
        -1,
        1.5,
        7,
        true,
      ),
      fc.constantFrom<unknown>(
        [],
        {},
        [{}],
        [{ by: "", at: "2026-11-29T12:00:00.000Z" }],
        [{ by: "x", at: "now" }],
      ),
      fc.constantFrom<unknown>("2026-11-29T12:00:00Z", "a".repeat(64), "A".repeat(64), "hp_0000000000000009"),
    );
    const keys = [...Object.keys(entry(1)), "extra"];
    fc.assert(
      fc.property(fc.constantFrom(...keys), value, fc.boolean(), (key, replacement, drop) => {
        const row: Record<string, unknown> = { ...entry(1) };
        if (drop) delete row[key];
        else row[key] = replacement;
        const index = { schema_version: "1.0", sequence: 100, packets: [row] };
        expect("index" in parseIndex(JSON.stringify(index))).toBe(storeIndexSchema.safeParse(index).success);
      }),
      { numRuns: 600 },
    );
  });

  test.each([["{"], ["[]"], ["null"], ['{"schema_version":"2.0","sequence":0,"packets":[]}'], [""]])(
    "%j is none",
    (text) => {
      expect("reason" in parseIndex(text)).toBe(true);
    },
  );
});
