// P39, S4: edits beside other edits and beside a session that generates; all of them at once, in a real store.
import { readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { noEdits } from "../model/packet-edits.js";
import type { PacketEdits } from "../model/packet-edits-schema.js";
import { DEFAULT_MAX_BYTES } from "../packet/build-packet.js";
import { createRedactor } from "../redact/create-redactor.js";
import { changeStore } from "./change-store.js";
import { publishEdits } from "./publish-edits.js";
import { publishLocked, publishPacket, type Published } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { restFaults } from "./testing/sound-store.js";

let sample: GeneratedHandoff;
let root = "";
beforeAll(async () => {
  sample = await samplePacket();
});
beforeEach(async () => {
  root = emptyFolder();
  await publishPacket({ ...place(), ...sample });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const place = (): { root: string; outDir: string } => ({ root, outDir: "out" });
const read = (name: string): Record<string, unknown> => {
  const value: Record<string, unknown> = JSON.parse(
    readFileSync(path.join(root, "out/s-2041", name), "utf8"),
  );
  return value;
};
async function edit(changes: Partial<PacketEdits>): Promise<Published> {
  const [entry] = (await readStore(place())).index.packets;
  if (entry === undefined) throw new Error("there is no packet");
  const edits = { ...noEdits(sample.packet), ...changes };
  return publishEdits({
    ...place(),
    entry,
    edits,
    maxBytes: DEFAULT_MAX_BYTES,
    redactor: createRedactor(),
  });
}
const NEXT = { next_action: { from: "mend what ruff says about app/signup.py", to: "ask the owner first" } };
const DOING = { doing: { from: null, to: "waiting for the owner" } };

test("P39 S4 two edits at once are both in the packet, and both are kept", async () => {
  await Promise.all([edit(NEXT), edit(DOING)]);
  const both = { next_action: "ask the owner first", doing: "waiting for the owner" };
  expect(read("handoff.json")).toMatchObject(both);
  expect(read("edits.json")).toMatchObject({
    next_action: { to: both.next_action },
    doing: { to: both.doing },
  });
  expect(await restFaults(place())).toEqual([]);
});

test("P39 S4 an edit that waited while the packet was generated again is made on that one", async () => {
  const newer = variantOf(sample.packet, { summary: "far more than before" });
  const { editing } = await changeStore(place(), async (change) => {
    const waiting = edit(NEXT);
    await expect
      .poll(() => readdirSync(path.join(root, "out/.lock")).some((name) => name.startsWith("claim.")), {
        timeout: 20_000,
      })
      .toBe(true);
    await publishLocked(change, newer);
    return { editing: waiting };
  });
  await editing;
  expect(read("handoff.json")).toMatchObject({
    summary: "far more than before",
    next_action: "ask the owner first",
  });
  expect(await restFaults(place())).toEqual([]);
});
