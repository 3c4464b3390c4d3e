// O2-O5, O8-O10: real runs of scripted agents that a person asks for a handoff.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf, kinds, leftBehind, withScene } from "../rotation/testing/run-scene.js";
import { scriptedAgent } from "../rotation/testing/scripted-agents.js";
import { GATED, openGate, runAsked, testClock } from "./testing/operator-scene.js";

const ASK = { request_id: "req-1", reason: "going home" };
const COURSE = ["accepted", "delivered", "begun", "completed"].map((state) => `req-1 ${state}`);

describe("a handoff in the middle of the work", () => {
  test("O3 O4 at the next message the session is asked, and the run ends with that packet", async () => {
    await withScene({ scenario: GATED }, async (scene) => {
      const run = await runAsked(scene, {
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          expect(await operator.accept(ASK)).toMatchObject({ ok: true, is_new: true });
          openGate(scene);
        },
      });
      expect(run).toMatchObject({ status: "stopped", rule: "operator", exit: 1 });
      expect(run.states).toEqual(COURSE);
      const [session = ""] = run.ledger.retired;
      const packet = scene.packet(session);
      expect(packet).toMatchObject({
        handoff_reason: "operator_request",
        next_action: "Do step s3, then the ones after it.",
        degraded: null,
      });
      expect(run.handoff).toEqual({
        packet_id: packet.packet_id,
        path: `outputs/handoff/${session}/handoff.json`,
      });
      expect(run.requests).toMatchObject([{ state: "completed", packet: run.handoff, why: null, ...ASK }]);
      // The tool that ran was let through; nothing was begun after it.
      expect(scene.steps().toSorted()).toEqual(["s1", "s2"]);
      // Told once it is on record, so in between the others as it comes; the last one after the run's end.
      const told = kinds(run);
      expect(told.filter((kind) => kind !== "handoff")).toEqual([
        "run_started",
        "generation_started",
        "writing",
        "done",
        "generation_ended",
        "run_ended",
      ]);
      expect(eventsOf(run, "handoff").map(({ state, what }) => [state, what])).toEqual([
        ["accepted", "going home"],
        ["delivered", null],
        ["begun", null],
        ["completed", null],
      ]);
      expect(told.at(-1)).toBe("handoff");
      expect(scene.prompt(2)).toContain("A person hands this job over");
      expect(run.message?.what).toBe("a person asked for a handoff, and its packet is out");
      expect(await leftBehind(run.run_id)).toEqual([]);

      const again = await runAsked(scene, { resume: run.run_id });
      expect(again).toMatchObject({ status: "done", exit: 0 });
      expect(again.ledger.generations).toHaveLength(2);
      expect(scene.prompt(3)).toContain(packet.next_action);
      // O9: what is finalized is told as it was.
      expect(again.requests).toEqual(run.requests);
    });
  });

  test.each([
    ["claude-code", { enabled: false }],
    ["codex", {}],
    ["command", {}],
  ] as const)("O3 O4 %s with %j", async (name, limits) => {
    await withScene({ scenario: GATED }, async (scene) => {
      const run = await runAsked(scene, {
        limits,
        plan: { agent: scriptedAgent(name), window: 200_000 },
        // A plain program tells nothing of what it runs.
        when: ({ context }) => context > 0 && existsSync(path.join(scene.root, "steps/s1.txt")),
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
      });
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(run.states).toEqual(COURSE);
      expect(scene.packet(run.handoff?.path.split("/").at(-2) ?? "")).toMatchObject({
        handoff_reason: "operator_request",
        degraded: null,
      });
      expect(await leftBehind(run.run_id)).toEqual([]);
    });
  });

  test("O3 three at once: the newest is handed over to, each hears the truth", async () => {
    await withScene({ scenario: GATED }, async (scene) => {
      const run = await runAsked(scene, {
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          const ids = ["req-a", "req-b", "req-c"];
          const answers = await Promise.all(
            ids.map((request_id) => operator.accept({ request_id, reason: null })),
          );
          expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
          openGate(scene);
        },
      });
      expect(
        run.requests.map(({ request_id, state, superseded_by }) => [request_id, state, superseded_by]),
      ).toEqual([
        ["req-a", "superseded", "req-b"],
        ["req-b", "superseded", "req-c"],
        ["req-c", "completed", null],
      ]);
    });
  });

  test("O2 one that comes while another is picked up or begun is turned away, and changes nothing", async () => {
    // It takes its time to end, and then to answer.
    const turns = { 1: { after: 2, stubborn: true }, 2: { think: 4000 } };
    await withScene({ scenario: { ...GATED, turns } }, async (scene) => {
      const codes: string[] = [];
      const run = await runAsked(scene, {
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        onState: ({ state }, operator) => {
          if (state !== "delivered" && state !== "begun") return;
          const late = async (): Promise<void> => {
            const answer = await operator.accept({ request_id: `req-${state}`, reason: null });
            codes.push(answer.ok ? "accepted" : answer.code);
          };
          void late();
        },
      });
      expect(codes.slice(0, 2)).toEqual(["request.pinned", "request.begun"]);
      expect(run.states).toEqual(COURSE);
      expect(run.requests).toHaveLength(1);
    });
  });

  test("O3 between two tries nothing runs: the session is asked at once", async () => {
    const scenario = { ...GATED, turns: { 1: { after: 1, error: { text: "Overloaded", status: 529 } } } };
    await withScene({ scenario }, async (scene) => {
      const run = await runAsked(scene, {
        // A pause that only a request ends.
        ports: {
          sleep: (_, signal) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve());
            }),
        },
        when: ({ phase }) => phase === "waiting",
        act: async (operator) => void (await operator.accept(ASK)),
      });
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(run.states).toEqual(COURSE);
      expect(scene.packet(run.ledger.retired[0] ?? "").handoff_reason).toBe("operator_request");
    });
  });

  test("O4 at the pause the packet that is there becomes the one that was asked for", async () => {
    const steps = [{ name: "s1", grows: 90_000 }, { name: "s2" }, { name: "s3" }];
    const scenario = { ...GATED, line: 150_000, start: 60_000, steps };
    await withScene({ scenario }, async (scene) => {
      const run = await runAsked(scene, {
        limits: { pause: true },
        ports: { pause: () => new Promise(() => undefined) },
        when: ({ phase }) => phase === "pausing",
        act: async (operator) => void (await operator.accept(ASK)),
      });
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(run.states).toEqual(COURSE);
      const packet = scene.packet(run.ledger.retired[0] ?? "");
      expect(packet).toMatchObject({ handoff_reason: "operator_request", degraded: null });
      expect(packet.next_action).toBe("Do step s3, then the ones after it.");
      expect(kinds(run).filter((kind) => kind === "done")).toHaveLength(1);
      expect(run.state.retired).toBe(1);
    });
  });
});

describe("what comes in between", () => {
  test.each(["begin", "pending", "delivered", "begun", "publishing", "published", "writingMs"] as const)(
    "O3 whoever fails to %s breaks nothing of the run",
    async (method) => {
      // Where nobody can be asked, the job is done as ever: nothing may take long then.
      const scenario = method === "begin" ? { ...GATED, line: 900_000 } : GATED;
      await withScene({ scenario }, async (scene) => {
        const run = await runAsked(scene, {
          when: ({ commands }) => commands === 1,
          act: async (operator) => {
            const answer = await operator.accept(ASK);
            expect(answer.ok).toBe(method !== "begin");
            openGate(scene);
          },
          fail: method,
        });
        expect(run.rule).toBe(method === "begin" ? "done" : "operator");
        const session = run.ledger.session_id ?? "";
        expect(scene.packet(session).session_id).toBe(session);
      });
    },
  );

  test("O10 after the model's work is done the ordinary outcome stands, and the request says so", async () => {
    await withScene({ scenario: { ...GATED, line: 900_000 } }, async (scene) => {
      openGate(scene);
      const run = await runAsked(scene, {
        when: ({ phase }) => phase === "stopped",
        act: async (operator) => void (await operator.accept(ASK)),
      });
      expect(run).toMatchObject({ status: "done", exit: 0, handoff: null });
      expect(run.states).toEqual(["req-1 accepted", "req-1 not_fulfilled"]);
      expect(run.requests[0]?.why).toEqual({
        reason: "outcome_not_handoff",
        what: "the job was done before the session could be asked",
      });
    });
  });

  test("O8 Ctrl-C while the session is asked: the run was interrupted, and the request says so", async () => {
    const stop = new AbortController();
    await withScene({ scenario: { ...GATED, turns: { 2: { hang: true } } } }, async (scene) => {
      const run = await runAsked(scene, {
        ports: { stop: stop.signal },
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        onState: ({ state }) => {
          if (state === "begun") stop.abort();
        },
      });
      expect(run).toMatchObject({ rule: "signal", exit: 130 });
      expect(run.requests[0]?.why?.reason).toBe("outcome_not_handoff");
    });
  });

  test("O2 O10 a run that is over takes no request", async () => {
    await withScene({ scenario: { ...GATED, line: 900_000 } }, async (scene) => {
      openGate(scene);
      const kept: { accept: ((ask: typeof ASK) => Promise<unknown>) | null } = { accept: null };
      await runAsked(scene, {
        when: () => true,
        act: (operator) => {
          kept.accept = operator.accept;
        },
      });
      expect(await kept.accept?.(ASK)).toMatchObject({ ok: false, code: "request.no_attempt" });
    });
  });
});

describe("O5 the clock", () => {
  test("60 s without a message: the turn is interrupted once, and the handoff goes on", async () => {
    const clock = testClock();
    await withScene({ scenario: { ...GATED, turns: { 1: { after: 1, hang: true } } } }, async (scene) => {
      const run = await runAsked(scene, {
        clock,
        // The agent has gone silent in the call after its first tool; the message before it was told.
        when: ({ context, commands }) => commands === 1 && context > 0,
        act: async (operator) => {
          await operator.accept(ASK);
          clock.advance(59_000);
          expect(operator.requests()[0]?.state).toBe("accepted");
          clock.advance(1000);
        },
      });
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(run.requests[0]).toMatchObject({
        state: "completed",
        interrupted_at: "2026-11-29T10:01:00.000Z",
      });
    });
  });

  test("240 s without having begun: expired, though the run ends with its packet all the same", async () => {
    const clock = testClock();
    await withScene({ scenario: { ...GATED, turns: { 1: { after: 2, stubborn: true } } } }, async (scene) => {
      const run = await runAsked(scene, {
        clock,
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        onState: ({ state }) => {
          if (state === "delivered") clock.advance(240_000);
        },
      });
      expect(run.states).toEqual(["req-1 accepted", "req-1 delivered", "req-1 not_fulfilled"]);
      expect(run.requests[0]?.why?.reason).toBe("expired");
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(scene.packet(run.ledger.retired[0] ?? "").handoff_reason).toBe("operator_request");
    });
  });

  test("O8 over 360 s: not fulfilled, and the packet is there all the same", async () => {
    const clock = testClock();
    await withScene({ scenario: GATED }, async (scene) => {
      const run = await runAsked(scene, {
        clock,
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        // As the run itself tells it: what is told of requests comes once it is on record, the verdict perhaps before that.
        onEvent: ({ event }) => {
          if (event === "generation_ended") clock.advance(361_000);
        },
      });
      expect(run.requests[0]).toMatchObject({ state: "not_fulfilled", why: { reason: "over_budget" } });
      expect(existsSync(path.join(scene.root, run.handoff?.path ?? ""))).toBe(true);
    });
  });

  test.each([
    ["no sections in it", { 2: { reply: "I am not sure." } }, "no_reply"],
    [
      "an overflow in its place",
      { 2: { overflow: "prompt is too long: 215000 tokens > 200000 maximum" } },
      "overflow",
    ],
    ["no reply at all", { 2: { error: { text: "Invalid API key", status: 401 } } }, "agent_failed"],
  ] as const)(
    "O4 O8 R18 %s: a degraded packet for whoever takes over, and no yes",
    async (_, turns, reason) => {
      await withScene({ scenario: { ...GATED, turns } }, async (scene) => {
        const run = await runAsked(scene, {
          when: ({ commands }) => commands === 1,
          act: async (operator) => {
            await operator.accept(ASK);
            openGate(scene);
          },
        });
        expect(run).toMatchObject({ rule: "operator", exit: 1 });
        const [session = ""] = run.ledger.retired;
        expect(scene.packet(session).handoff_reason).toBe("operator_request");
        expect(run.ledger.generations[0]?.degraded).toBe(reason);
        expect(run.requests[0]).toMatchObject({
          state: "not_fulfilled",
          packet: run.handoff,
          why: { reason: "packet_invalid" },
        });
        expect(run.requests[0]?.why?.what).toContain("the session's note cannot be used");
      });
    },
  );

  test("O8 a verdict that cannot be found is no yes, and the run's end stays as it is", async () => {
    await withScene({ scenario: GATED }, async (scene) => {
      const run = await runAsked(scene, {
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        conclude: () => Promise.reject(new Error("the disk is gone")),
      });
      expect(run).toMatchObject({ rule: "operator", exit: 1 });
      expect(run.requests[0]).toMatchObject({
        state: "not_fulfilled",
        why: { reason: "held", what: "the disk is gone" },
      });
    });
  });

  test("O8 a packet that is gone when it is looked at is none", async () => {
    await withScene({ scenario: GATED }, async (scene) => {
      let packet = "";
      const run = await runAsked(scene, {
        when: ({ commands }) => commands === 1,
        act: async (operator) => {
          await operator.accept(ASK);
          openGate(scene);
        },
        onEvent: (told) => {
          if (told.event === "done") packet = path.join(scene.root, told.path);
          if (told.event === "generation_ended") rmSync(packet);
        },
      });
      expect(run.requests[0]).toMatchObject({ state: "not_fulfilled", why: { reason: "packet_invalid" } });
    });
  });
});
