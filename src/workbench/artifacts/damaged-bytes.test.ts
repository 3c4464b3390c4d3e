// Whatever becomes of the bytes of an artifact, a loader says so and never throws (P7).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FIXTURES } from "../../../fixtures/artifacts/load-fixture.js";
import { tempBench } from "../../../fixtures/artifacts/temp-bench.js";
import type { AgentState, Loaded, Override, ReviewReport } from "../../model/artifacts.js";
import { describeDiagnostic } from "../../text/diagnostic-text.js";
import type { Bench, LoadedAt } from "./load-artifact.js";
import {
  loadBoard,
  loadLastKnownGood,
  loadOverrides,
  loadReview,
  loadRuleReport,
  loadScopeContract,
  loadScopeReport,
  loadState,
  loadVerification,
} from "./load-artifacts.js";
import { type Places, placesOf } from "./places.js";

const LOADERS: Readonly<Record<string, (bench: Bench, places: Places) => Promise<LoadedAt<unknown>>>> = {
  state: loadState,
  board: loadBoard,
  verification: loadVerification,
  review: loadReview,
  scope_contract: loadScopeContract,
  scope_report: loadScopeReport,
  rule_report: loadRuleReport,
  last_known_good: loadLastKnownGood,
  overrides: loadOverrides,
};

async function loadBytes(root: string, artifact: string, bytes: Uint8Array): Promise<Loaded<unknown>> {
  writeFileSync(path.join(root, "f"), bytes);
  const bench: Bench = { root, spellings: [], ids: { task_id: null, session_id: null } };
  const loader = LOADERS[artifact];
  if (loader === undefined) throw new Error(artifact);
  return (await loader(bench, placesOf({ [artifact]: ["f"] }))).loaded;
}

/** What is wrong with a result: unusable input must have an error and only that, every diagnostic its sentence. */
function faultsOf(loaded: Loaded<unknown>): string[] {
  const hasError = loaded.diagnostics.some(({ severity }) => severity === "error");
  const faults =
    hasError === (loaded.status === "invalid") ? [] : [`${loaded.status} with error: ${hasError}`];
  const sentences = loaded.diagnostics.map(describeDiagnostic);
  return [...faults, ...sentences.filter((sentence) => sentence.includes("undefined"))];
}

const samples = Object.keys(LOADERS).flatMap((artifact) =>
  readdirSync(path.join(FIXTURES, artifact)).map((name) => ({
    artifact,
    bytes: readFileSync(path.join(FIXTURES, artifact, name)),
  })),
);

test("P7 every truncation of a state file is data", async () => {
  const root = tempBench();
  const whole = readFileSync(path.join(FIXTURES, "state/full.json"));
  for (let length = 0; length < whole.length - 1; length += 3) {
    const loaded = await loadBytes(root, "state", whole.subarray(0, length));
    expect(loaded.status).toBe("invalid");
    expect(faultsOf(loaded)).toEqual([]);
  }
});

test("P7 truncated, flipped and spliced bytes of any artifact are data", async () => {
  const root = tempBench();
  const edit = fc.record({
    sample: fc.constantFrom(...samples),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.nat(20),
    put: fc.uint8Array({ maxLength: 6 }),
    flip: fc.nat(7),
  });
  await fc.assert(
    fc.asyncProperty(edit, async ({ sample, from, drop, put, flip }) => {
      const at = Math.floor(from * sample.bytes.length);
      const bytes = Buffer.concat([sample.bytes.subarray(0, at), put, sample.bytes.subarray(at + drop)]);
      const index = Math.min(at, bytes.length - 1);
      if (bytes.length > 0) bytes[index] = (bytes[index] ?? 0) ^ (1 << flip);
      expect(faultsOf(await loadBytes(root, sample.artifact, bytes))).toEqual([]);
    }),
    { numRuns: 600 },
  );
});

test("S18 very long lists and maps are cut, and it is said", async () => {
  const root = tempBench();
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const names = Array.from({ length: 10_001 }, (_, n) => `n${n}`);
  const state = await loadBytes(root, "state", json({ next_action: "go on", touched_files: names }));
  expect(state.status === "present" && (state.value as AgentState).touched_files).toEqual(
    names.slice(0, 10_000),
  );
  const dimensions = Object.fromEntries(names.map((name) => [name, 1]));
  const review = await loadBytes(root, "review", json({ total: 5, verdict: "pass", dimensions }));
  expect(review.status === "present" && (review.value as ReviewReport).dimensions.length).toBe(10_000);
  const overrides = await loadBytes(
    root,
    "overrides",
    Buffer.from(names.map((name) => `{"code": "${name}"}\n`).join("")),
  );
  expect(overrides.status === "present" && (overrides.value as Override[]).map(({ line }) => line)).toEqual(
    names.slice(1).map((_, index) => index + 2),
  );
  expect([state, review, overrides].flatMap((loaded) => loaded.diagnostics.map(describeDiagnostic))).toEqual([
    "/touched_files/10000 was left out: expected at most 10000 items",
    "/dimensions was left out: expected at most 10000 items",
    "all but the newest lines was left out: expected at most 10000",
  ]);
});

test("P1-P6 any JSON value at any artifact's place is data", async () => {
  const root = tempBench();
  const keys = [
    ...new Set(
      samples.flatMap(({ bytes }) => [...bytes.toString().matchAll(/"(\w+)":/gu)].map((m) => m[1] ?? "")),
    ),
  ];
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom<unknown>(
        null,
        true,
        false,
        0,
        -1,
        1e300,
        "",
        " ",
        "pass",
        "T-001",
        "a1b2c3d",
        "\ud800",
      ),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, "__proto__", "constructor"), tie("json"), { maxKeys: 6 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(LOADERS)), json, async (artifact, value) => {
      const loaded = await loadBytes(root, artifact, Buffer.from(JSON.stringify(value)));
      expect(faultsOf(loaded)).toEqual([]);
    }),
    { numRuns: 600 },
  );
});
