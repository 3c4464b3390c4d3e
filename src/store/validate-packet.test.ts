import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { samplePacket } from "../cli/testing/sample-packet.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { handoffPacketSchema } from "../model/packet.js";
import { assertPacketBytes, checkPacketValue } from "./validate-packet.js";

let sample: GeneratedHandoff;
beforeAll(async () => {
  sample = await samplePacket();
});

test("what is generated validates", () => {
  expect(checkPacketValue(JSON.parse(sample.json))).toEqual({ ok: true, packet: sample.packet });
  expect(() => assertPacketBytes(sample.json)).not.toThrow();
});

describe("the reason names the field", () => {
  test.each<[string, unknown, string]>([
    ["next_action", "", '/next_action must match pattern "\\S"'],
    ["head_commit", "abc", "/head_commit must match pattern"],
    ["status", "done", "/status must be equal to one of the allowed values"],
    ["extra", 1, "the packet must NOT have additional properties (extra)"],
  ])("%s = %j", (key, value, reason) => {
    const checked = checkPacketValue({ ...sample.packet, [key]: value });
    expect(checked).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
  });

  test.each([[null], [[]], ["text"], [3], [{}]])("%j is none", (value) => {
    expect(checkPacketValue(value).ok).toBe(false);
  });
});

test("the published schema and the model agree on every damaged packet", () => {
  const json = (): Record<string, unknown> => JSON.parse(sample.json) as Record<string, unknown>;
  const keys = Object.keys(sample.packet);
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.option(fc.jsonValue(), { nil: undefined }), (key, value) => {
      const damaged = json();
      if (value === undefined) delete damaged[key];
      else damaged[key] = value;
      expect(checkPacketValue(damaged).ok).toBe(handoffPacketSchema.safeParse(damaged).success);
    }),
    { numRuns: 400 },
  );
});
