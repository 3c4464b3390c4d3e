// L4: the gates of confirm, each by itself, in their order.
import { describe, expect, test } from "vitest";
import { agentPaneOf } from "../agents/pane-registry.js";
import { REFUSALS } from "./answer.js";
import type { FoundPane } from "./find-pane.js";
import { type GateFacts, GATES_OF, passGates } from "./gates.js";

const agent = agentPaneOf("claude-code");
if (agent === null) throw new Error("no agent");
const SECOND = 1_000_000_000n;
const NOW = 1_795_994_000n * SECOND;
const pane: FoundPane = {
  key: "0123456789abcdef",
  pane: "%3",
  socket: "/tmp/s",
  server_pid: 7,
  server: { pid: 7, started: "1" },
  agent,
  process: { pid: 9, host: "h", machine: "m", started: "2" },
  pane_pid: 8,
};
const GOOD: GateFacts = {
  configured: "yes",
  pane: { kind: "found", pane },
  standing: { standing: "BUSY", why: "" },
  helpers: [],
  pending: {
    token_sha256: "a",
    expires_at: new Date(Number(NOW / 1_000_000n) + 1000).toISOString(),
    opened_ns: NOW - 100n * SECOND,
  },
  token_sha256: "a",
  operator: { needed: true, confirmed: true },
  handover: { kind: "file", path: "handover.md", modified_ns: NOW - 99n * SECOND, next_action: "go on" },
  max_doc_age_seconds: 3600,
  now_ns: NOW,
  rolling: null,
};
const file = {
  kind: "file",
  path: "handover.md",
  modified_ns: NOW - 99n * SECOND,
  next_action: "go on",
} as const;
const pending = { token_sha256: "a", expires_at: "2026-12-01T00:00:00.000Z", opened_ns: NOW - 100n * SECOND };
const gone = { kind: "gone", named: pane, why: "tmux knows no pane %3" } as const;

/** One fact that is wrong, by the gate that must say so. */
const WRONG: readonly (readonly [(typeof REFUSALS)[number], Partial<GateFacts>])[] = [
  ["NOT_CONFIGURED", { configured: "no" }],
  ["NOT_CONFIGURED", { configured: "after_start" }],
  ["NOT_PRIMARY", { pane: { kind: "not_primary", why: "no", hint: "no" } }],
  ["NOT_PRIMARY", { standing: { standing: "UNKNOWN", why: "no hook" } }],
  ["NOT_PRIMARY", { helpers: ["a"] }],
  ["NO_PENDING", { pending: null, handover: null }],
  ["TOKEN_MISMATCH", { token_sha256: "b" }],
  ["PENDING_EXPIRED", { now_ns: NOW + 2n * SECOND }],
  ["OPERATOR_NOT_CONFIRMED", { operator: { needed: true, confirmed: false } }],
  ["HANDOVER_MISSING", { handover: { kind: "missing", path: "handover.md", why: "is not there" } }],
  // Equal is not later.
  ["HANDOVER_STALE", { handover: { ...file, modified_ns: pending.opened_ns } }],
  ["HANDOVER_STALE", { handover: { ...file, modified_ns: pending.opened_ns - 1n } }],
  ["HANDOVER_TOO_OLD", { max_doc_age_seconds: 98 }],
  ["HANDOVER_INVALID", { handover: { ...file, next_action: null } }],
  ["PANE_GONE", { pane: gone, standing: null }],
  ["ROLL_IN_PROGRESS", { rolling: "roll-1" }],
];

describe("confirm", () => {
  test("L4 the gates are looked at in this order, and all of them are reported", () => {
    expect(GATES_OF.confirm).toEqual(REFUSALS);
    const { gates, refused } = passGates("confirm", GOOD);
    expect(gates.map(({ code }) => code)).toEqual(REFUSALS);
    expect(gates.every(({ passed }) => passed)).toBe(true);
    expect(refused).toBeNull();
  });

  test.each(WRONG.map((row, at) => [at, ...row] as const))("L4 case %i: %s", (_at, code, wrong) => {
    const { gates, refused } = passGates("confirm", { ...GOOD, ...wrong });
    expect(refused?.code).toBe(code);
    expect(refused?.hint).toMatch(/.{10}|no/u);
    expect(gates).toHaveLength(REFUSALS.length);
    expect(gates.filter(({ passed }) => passed === false).map((gate) => gate.code)).toEqual([code]);
  });

  test("L4 of several that do not let through the first is the answer, whichever they are", () => {
    for (const [at, [first, one]] of WRONG.entries())
      for (const [later, other] of WRONG.slice(at + 1)) {
        const keys = Object.keys(one).filter((key) => Object.hasOwn(other, key));
        // Of a pane that is gone nobody can say whose it was.
        if (keys.length > 0 || (first === "NOT_PRIMARY" && later === "PANE_GONE")) continue;
        expect(passGates("confirm", { ...GOOD, ...other, ...one }).refused?.code).toBe(first);
      }
  });

  test("L4 a clock that was set back is no reason to write the handover again and again", () => {
    const opened_ns = NOW + 3600n * SECOND;
    const { refused } = passGates("confirm", { ...GOOD, pending: { ...pending, opened_ns } });
    expect([refused?.code, refused?.hint]).toEqual([
      "HANDOVER_STALE",
      expect.stringMatching(/clock went back.*open a new request/u),
    ]);
  });

  test("L5 with auto there is nothing to be written, and nothing is asked of it", () => {
    expect(passGates("confirm", { ...GOOD, handover: { kind: "auto" } }).refused).toBeNull();
  });

  test("L4 what could not be looked at lets nothing through", () => {
    expect(passGates("confirm", { ...GOOD, pane: null, standing: null }).refused).not.toBeNull();
  });

  test("L2 nobody has to be asked where the configuration says so", () => {
    expect(
      passGates("confirm", { ...GOOD, operator: { needed: false, confirmed: false } }).refused,
    ).toBeNull();
  });
});

test("L4 open and cancel look at what is theirs", () => {
  expect(passGates("open", { ...GOOD, pending: null, handover: null }).refused).toBeNull();
  expect(passGates("open", { ...GOOD, rolling: "roll-1" }).refused?.code).toBe("ROLL_IN_PROGRESS");
  expect(passGates("cancel", { ...GOOD, handover: null, rolling: "roll-1" }).refused).toBeNull();
  expect(passGates("cancel", { ...GOOD, token_sha256: "b" }).refused?.code).toBe("TOKEN_MISMATCH");
});
