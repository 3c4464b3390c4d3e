// S3: a writer killed at any point leaves one active packet, and the next writer mends the rest. Real processes, SIGKILL.
import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { HandoffPacket } from "../model/packet.js";
import { archivePackets } from "./archive-packets.js";
import { publishPacket } from "./publish-packet.js";
import { readStore } from "./read-store.js";
import { rebuildIndex } from "./rebuild-index.js";
import { recordConsumption } from "./record-consumption.js";
import { repairStore } from "./repair-store.js";
import { selectActive } from "./select-packet.js";
import { buildStoreChild, type StoreChild, type StoreStep } from "./testing/store-steps.js";
import { readerFaults, restFaults, storeBytes } from "./testing/sound-store.js";

const LINE = { branch: "feat/signup", topic: "main" };
const AT = "2026-11-29T12:00:00.000Z";
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

function packetOf(
  session_id: string,
  next_action: string,
  more: Partial<HandoffPacket> = {},
): GeneratedHandoff {
  return variantOf(sample.packet, { session_id, next_action, ...more });
}
const placeOf = (root: string) => ({ root, outDir: "out" });
async function publish(root: string, made: GeneratedHandoff): Promise<string> {
  await publishPacket({ ...placeOf(root), ...made });
  return made.packet.packet_id;
}

/** A change to a store, from a prepared one. */
interface Scenario {
  readonly name: string;
  readonly prepare: (root: string) => Promise<void>;
  readonly step: () => StoreStep;
  /** Ids that may be the active one at any moment; null: none. */
  readonly active: () => readonly (string | null)[];
  /** Ids that may leave the store: a session's own packet that its next one replaces. */
  readonly mayGo?: () => readonly string[];
}

const id = (made: GeneratedHandoff): string => made.packet.packet_id;
const first = (): GeneratedHandoff => packetOf("s-1", "first");
const second = (): GeneratedHandoff => packetOf("s-2", "second");
const again = (): GeneratedHandoff => packetOf("s-2", "second, improved");

const SCENARIOS: readonly Scenario[] = [
  {
    name: "the first packet of all",
    prepare: async () => undefined,
    step: () => ({ do: "publish", made: first() }),
    active: () => [null, id(first())],
  },
  {
    name: "a packet that supersedes another session's",
    prepare: async (root) => {
      await publish(root, packetOf("s-0", "on another branch", { branch: "other" }));
      await publish(root, first());
    },
    step: () => ({ do: "publish", made: second() }),
    active: () => [id(first()), id(second())],
  },
  {
    name: "a packet in place of the session's own, with a predecessor",
    prepare: async (root) => {
      await publish(root, first());
      await publish(root, second());
    },
    step: () => ({ do: "publish", made: again() }),
    active: () => [id(second()), id(again())],
    mayGo: () => [id(second())],
  },
  {
    name: "a packet that follows the session's own, taken one",
    prepare: async (root) => {
      await publish(root, first());
      await publish(root, second());
      await recordConsumption({ ...placeOf(root), packetId: id(second()), by: "s-9", at: AT });
    },
    step: () => ({ do: "publish", made: again() }),
    active: () => [id(second()), id(again())],
  },
  {
    name: "an archived active packet and its predecessor",
    prepare: async (root) => {
      await publish(root, first());
      await publish(root, second());
    },
    step: () => ({ do: "archive", ids: [id(first()), id(second())] }),
    active: () => [id(second()), null],
  },
  {
    name: "an archived packet, said again in place of the session's own",
    prepare: async (root) => {
      await publish(root, first());
      await publish(root, second());
      await archivePackets({ ...placeOf(root), select: () => [id(second())] });
      await publish(root, again());
    },
    step: () => ({ do: "publish", made: second() }),
    active: () => [id(again()), id(second())],
    mayGo: () => [id(again())],
  },
  {
    name: "a packet that is taken",
    prepare: async (root) => {
      await publish(root, first());
      await publish(root, second());
    },
    step: () => ({ do: "consume", id: id(second()), by: "s-9", at: AT }),
    active: () => [id(second())],
  },
];

async function idsOf(root: string): Promise<string[]> {
  return (await readStore(placeOf(root))).index.packets.map(({ packet_id }) => packet_id);
}

/** What must hold after a crash: for readers at once, with or without the index, and for everyone after the next writer. */
async function faultsAfterCrash(root: string, scenario: Scenario, before: readonly string[], n: number) {
  const faults = await readerFaults(placeOf(root));
  const { out, index } = await readStore(placeOf(root));
  const allowed = scenario.active();
  const isAllowed = (packetId: string | null): boolean => allowed.includes(packetId);
  const activeId = selectActive(index, LINE)?.packet_id ?? null;
  if (!isAllowed(activeId)) faults.push(`active is ${activeId}`);
  if (out !== null) {
    const rebuilt = selectActive((await rebuildIndex(out)).index, LINE)?.packet_id ?? null;
    if (!isAllowed(rebuilt)) faults.push(`without the index active is ${rebuilt}`);
  }
  const mayGo = scenario.mayGo?.() ?? [];
  const vanished = (ids: readonly string[]): string[] =>
    before.filter((packetId) => !ids.includes(packetId) && !mayGo.includes(packetId));
  faults.push(...vanished(await idsOf(root)).map((packetId) => `${packetId} vanished`));
  if (out === null) return faults;

  // The next writer: a repair, the same one again, or another session's packet.
  const step = scenario.step();
  if (n % 3 === 0) await repairStore(placeOf(root));
  else if (n % 3 === 1 && step.do === "publish") await publish(root, step.made);
  else await publish(root, packetOf("s-next", "what comes next"));
  faults.push(...(await restFaults(placeOf(root))).map((fault) => `after the next writer: ${fault}`));
  const rest = storeBytes(out);
  const { actions } = await repairStore(placeOf(root));
  faults.push(...actions.map((action) => `repaired again: ${action}`));
  if (JSON.stringify(storeBytes(out)) !== JSON.stringify(rest)) faults.push("a second repair changed bytes");
  faults.push(...vanished(await idsOf(root)).map((packetId) => `${packetId} vanished later`));
  return faults;
}

/** Runs `work` for every item, a few at once. */
async function eachOf<T>(items: readonly T[], work: (item: T, n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < items.length) {
      const n = next;
      next += 1;
      await work(items[n] as T, n);
    }
  };
  await Promise.all([runner(), runner(), runner()]);
}

let kills = 0;
const newFolder = (): string => {
  const folder = emptyFolder();
  folders.push(folder);
  return folder;
};
const copyOf = (folder: string): string => {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};

describe("S3 killed at every write, rename, fsync and unlink", () => {
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("%s", async (_, scenario) => {
    const prepared = newFolder();
    await scenario.prepare(prepared);
    const before = await idsOf(prepared);
    const rehearsal = copyOf(prepared);
    const log = path.join(newFolder(), "calls");
    const job = (root: string) => ({ ...placeOf(root), steps: [scenario.step()] });
    const whole = await child.start(job(rehearsal), { env: { FAULT_FOLDER: rehearsal, FAULT_LOG: log } });
    expect(whole).toMatchObject({ code: 0, stderr: "", outcomes: [{ ok: true }] });
    expect(await restFaults(placeOf(rehearsal))).toEqual([]);
    const calls = readFileSync(log, "utf8").trim().split("\n");
    const seen = new Set(calls.map((call) => call.split(" ")[0]));
    for (const kind of ["open", "writeFile", "sync", "rename", "unlink"]) expect(seen).toContain(kind);

    // After a call is before the next one, as far as the disk knows: the last one and the renames are taken from both sides.
    // What is the same in every scenario, the lock's own calls and writing temporary files, is looked at in two of them.
    const isFull = scenario === SCENARIOS[0] || scenario === SCENARIOS[2];
    const points = calls.flatMap((call, i) => {
      const front = { call, at: i + 1, how: "kill-before" };
      const behind = { ...front, how: "kill-after" };
      if (call.includes(".lock/") && scenario !== SCENARIOS[0]) return [];
      if (!isFull && !/^(?:rename|unlink|link|mkdir|rmdir) /u.test(call)) return [];
      return call.startsWith("rename") || i === calls.length - 1 ? [front, behind] : [front];
    });
    const faults: string[] = [];
    await eachOf(points, async ({ call, at, how }, n) => {
      const root = copyOf(prepared);
      const env = { FAULT_FOLDER: root, FAULT_AT: String(at), FAULT_DO: how };
      const { signal, stderr } = await child.start(job(root), { env });
      if (signal !== "SIGKILL") faults.push(`${how} ${at} ${call}: not killed ${stderr}`);
      else kills += 1;
      for (const fault of await faultsAfterCrash(root, scenario, before, n))
        faults.push(`${how} ${at} ${call}: ${fault}`);
      rmSync(root, { recursive: true });
    });
    expect(faults).toEqual([]);
  });
});

describe("S3 killed from outside, at any time", () => {
  test("in the middle of many publications of several sessions", async () => {
    const rounds = Array.from({ length: 48 }, (_, n) => n);
    const steps = Array.from({ length: 60 }, (_, i): StoreStep => {
      const made = packetOf(`s-${i % 3}`, `step ${i}`, i % 5 === 0 ? { topic: "docs" } : {});
      return { do: "publish", made };
    });
    const faults: string[] = [];
    await eachOf(rounds, async (n) => {
      const root = newFolder();
      await publish(root, first());
      const job = { ...placeOf(root), steps };
      const { signal, outcomes } = await child.start(job, { killAfterMs: (n * 37) % 160 });
      if (signal === "SIGKILL") kills += 1;
      for (const outcome of outcomes) if (!outcome.ok) faults.push(`${n}: ${outcome.message}`);
      const { index } = await readStore(placeOf(root));
      if (selectActive(index, LINE) === null) faults.push(`${n}: no active packet`);
      faults.push(...(await readerFaults(placeOf(root))).map((fault) => `${n}: ${fault}`));
      await publish(root, packetOf("s-next", "what comes next"));
      faults.push(...(await restFaults(placeOf(root))).map((fault) => `${n}: later ${fault}`));
      expect((await repairStore(placeOf(root))).actions).toEqual([]);
      rmSync(root, { recursive: true });
    });
    expect(faults).toEqual([]);
  });

  test("at least 200 kills in all", () => {
    expect(kills).toBeGreaterThanOrEqual(200);
  });
});

describe("archiving and rebuilding agree", () => {
  test("S2 an index that is lost is rebuilt as it was", async () => {
    const root = newFolder();
    for (const scenario of SCENARIOS.slice(1, 4)) await scenario.prepare(root);
    await archivePackets({ ...placeOf(root), select: ([one]) => (one === undefined ? [] : [one.packet_id]) });
    await publish(root, packetOf("s-3", "third"));
    const { index, out } = await readStore(placeOf(root));
    const plain = (packets: typeof index.packets) =>
      packets
        .map((entry) => ({ ...entry, sequence: 0 }))
        .toSorted((a, b) => (a.packet_id < b.packet_id ? -1 : 1));
    expect(plain((await rebuildIndex(out as string)).index.packets)).toEqual(plain(index.packets));
  });
});
