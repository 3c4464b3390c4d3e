// P35: the size that is counted is the size that is written.
import { readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";
import { byteLength } from "../text/cut.js";
import { jsonText } from "../text/json-text.js";
import { packetBytes, rowBytes } from "./packet-bytes.js";

const packets = new URL("../../fixtures/packets/", import.meta.url);
const samples = readdirSync(packets)
  .filter((name) => name.endsWith(".json"))
  .map((name) => handoffPacketSchema.parse(JSON.parse(readFileSync(new URL(name, packets), "utf8"))));

function written(packet: HandoffPacket): [counted: number, bytes: number] {
  const text = `${jsonText(packet)}\n`;
  return [packetBytes(packet), byteLength(text)];
}

describe("P35 the size of a packet", () => {
  it("is that of its file", () => {
    expect(samples.length).toBeGreaterThan(0);
    for (const packet of samples) {
      const [counted, bytes] = written(packet);
      expect(counted).toBe(bytes);
    }
  });

  it("is that of its file with other rows in it, also when a row was measured before", () => {
    const [sample] = samples;
    if (sample === undefined) throw new Error("no sample");
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    const rows = fc.array(fc.record({ what: text, lines: fc.array(text, { maxLength: 3 }), n: fc.nat() }));
    fc.assert(
      fc.property(rows, rows, fc.array(text), (some, others, scene) => {
        const made = {
          ...sample,
          decisions: some,
          gaps: [...others, ...some],
          scene,
          omitted: { gaps: some.length },
        } as unknown as HandoffPacket;
        const [counted, bytes] = written(made);
        expect(counted).toBe(bytes);
        const [again, least] = written({ ...made, gaps: made.gaps.slice(1) });
        expect(again).toBe(least);
      }),
    );
  });

  it("of a row is never told too small", () => {
    for (const { open_risks } of samples)
      for (const row of open_risks) {
        const text = jsonText({ a: [row] });
        expect(rowBytes(row)).toBeGreaterThanOrEqual(byteLength(text) - byteLength(jsonText({ a: [] })));
      }
  });
});
