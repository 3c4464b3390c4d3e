// S4: many writers and readers at once, in processes of their own.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { publishPacket } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { repairStore } from "./repair-store.js";
import { selectActive } from "./select-packet.js";
import { readerFaults, restFaults } from "./testing/sound-store.js";
import { buildStoreChild, type ChildEnd, type StoreChild } from "./testing/store-steps.js";

const LINE = { branch: "feat/signup", topic: "main" };
/** Nobody gives up: how long it takes until the last one has its turn is the machine's business. */
const lock = { waitMs: 240_000 };
/** So many looks say something. */
const LOOKS = 10;
let sample: GeneratedHandoff;
let child: StoreChild;
let root = "";
beforeAll(async () => {
  [sample, child] = await Promise.all([samplePacket(), buildStoreChild()]);
  root = emptyFolder();
});
afterAll(() => {
  child.remove();
  rmSync(root, { recursive: true, force: true });
});
const packetOf = (session_id: string, next_action = "go on"): GeneratedHandoff =>
  variantOf(sample.packet, { session_id, next_action });

test("S4 32 writers on one branch and topic, and readers: none fails, none sees half a file, all packets are kept", async () => {
  const place = { root, outDir: "out" };
  await publishPacket({ ...place, ...packetOf("s-first") });
  const sessions = Array.from({ length: 32 }, (_, n) => `s-${n}`);
  const writing = { ended: false, looks: 0 };
  const faults: string[] = [];
  const reader = async (): Promise<void> => {
    while (!writing.ended) {
      writing.looks += 1;
      faults.push(...(await readerFaults(place)));
      const { index } = await readStore(place);
      if (selectActive(index, LINE) === null) faults.push("no active packet");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const readers = [reader(), reader()];
  const write = (session: string): Promise<ChildEnd> =>
    child.start({ ...place, lock, steps: [{ do: "publish", made: packetOf(session) }] });
  const ends = await Promise.all(sessions.map(write));
  // Readers that hardly had the processor beside all of these look on beside further ones.
  while (writing.looks <= LOOKS) {
    const session = `s-${sessions.length}`;
    sessions.push(session);
    ends.push(await write(session));
  }
  writing.ended = true;
  await Promise.all(readers);
  expect(faults).toEqual([]);
  expect(writing.looks).toBeGreaterThan(LOOKS);
  for (const end of ends) expect(end).toMatchObject({ code: 0, stderr: "", outcomes: [{ ok: true }] });

  expect(await restFaults(place)).toEqual([]);
  const { index } = await readStore(place);
  expect(index.packets.map(({ session_id }) => session_id).sort()).toEqual(["s-first", ...sessions].sort());
  expect(index.packets.filter(({ status }) => status === "active")).toHaveLength(1);
  // One line through all of them.
  let length = 0;
  for (let at = selectActive(index, LINE); at !== null; length += 1) {
    const { supersedes } = at;
    at = index.packets.find(({ packet_id }) => packet_id === supersedes) ?? null;
  }
  expect(length).toBe(sessions.length + 1);
  expect((await repairStore(place)).actions).toEqual([]);
});

test("S4 one session in many processes at once: one packet", async () => {
  const place = { root, outDir: "same" };
  const ends = await Promise.all(
    Array.from({ length: 8 }, () =>
      child.start({ ...place, lock, steps: [{ do: "publish", made: packetOf("s-1") }] }),
    ),
  );
  for (const end of ends) expect(end).toMatchObject({ code: 0, outcomes: [{ ok: true }] });
  const changed = ends.flatMap(({ outcomes }) =>
    outcomes.map((outcome) => outcome.ok && (outcome.result as { changed: boolean }).changed),
  );
  expect(changed.filter(Boolean)).toHaveLength(1);
  expect((await readStore(place)).index.packets).toHaveLength(1);
  expect(await restFaults(place)).toEqual([]);
});
