// RFC 8785 vectors, and the item ids of P33.
import { describe, expect, it } from "vitest";
import { canonicalJson, itemId, sha256Hex } from "./digest.js";

describe("digest (P21, P33)", () => {
  it("hashes text as UTF-8", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex("é")).toBe(sha256Hex(new Uint8Array([0xc3, 0xa9])));
  });

  it("writes canonical JSON: sorted by UTF-16 units, ECMAScript numbers, minimal escapes", () => {
    expect(canonicalJson({ b: 1, a: [true, null, "\u000f\n€"], "\ufb33": 0, "\u{1f600}": 0 })).toBe(
      '{"a":[true,null,"\\u000f\\n€"],"b":1,"\u{1f600}":0,"\ufb33":0}',
    );
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]",
    );
  });

  it.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    "refuses %j, which JSON cannot hold",
    (value) => {
      expect(() => canonicalJson(value)).toThrow(/./u);
    },
  );

  it("tells items of different kinds apart", () => {
    expect(itemId("decision", "x")).toMatch(/^[0-9a-f]{8}$/u);
    expect(itemId("decision", "x")).not.toBe(itemId("dead_end", "x"));
    expect(itemId("decision", "x")).toBe(sha256Hex("decision\nx").slice(0, 8));
  });
});
