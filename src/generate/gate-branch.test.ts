// S6, S13, S15, P41: names that packets are found by stay names: one branch one name in every environment, two branches two
// names, no token in any of them; ids are never replaced by a mark.
import { describe, expect, it } from "vitest";
import { snapshotWith, CLEAN_GIT } from "../../fixtures/support/snapshots.js";
import { UsageError } from "../model/errors.js";
import { SHAPED } from "../redact/corpus-fixture.js";
import { createRedactor } from "../redact/create-redactor.js";
import { assertPacketBytes } from "../store/validate-packet.js";
import { gateBranch } from "./gate-branch.js";
import { generateHandoff } from "./generate-handoff.js";

const NAME = "session-2041-abcd";
const env = createRedactor({ env: { AUTH_SESSION_KEY: NAME } });
const plain = createRedactor();
/** Those that are one also behind a slash, in a name without spaces. */
const TOKENS = SHAPED.filter(
  ({ secret }) => /^\S{8,200}$/u.test(secret) && plain.redactText(`fix/${secret}`).text !== `fix/${secret}`,
);

describe("gateBranch", () => {
  it.each(TOKENS.map(({ kind, secret }, i) => [`${i} ${kind}`, secret]))("S13 takes out %s", (_, secret) => {
    const gated = gateBranch(`fix/${secret}`, plain);
    expect(gated).not.toContain(secret);
    expect(gateBranch(gated, plain)).toBe(gated);
    expect(gateBranch(gated, env)).toBe(gated);
  });

  it("S6 never gives two branches one name", () => {
    const token = TOKENS.find(({ kind }) => kind === "github-token")?.secret ?? "";
    const others = [token, `${token.slice(0, -1)}Z`, `${token.slice(0, -1)}Y`].map((one) => `fix/${one}`);
    const names = others.map((one) => gateBranch(one, plain));
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => name?.startsWith("fix/[redacted:github-token]~"))).toBe(true);
  });

  it("S6 gives a branch the same name whatever the environment holds", () => {
    const token = TOKENS.find(({ kind }) => kind === "github-token")?.secret ?? "";
    for (const branch of [NAME, `feat/${NAME}`, token, `${token}-${NAME}`])
      expect(gateBranch(branch, env)).toBe(gateBranch(branch, plain));
    expect(gateBranch(`feat/${NAME}`, env)).toBe(`feat/${NAME}`);
    expect(gateBranch(token, createRedactor({ env: { GH_TOKEN: token } }))).toBe(gateBranch(token, plain));
  });

  it("S14 heeds a project's patterns and what it allows", () => {
    const own = createRedactor({ patterns: { customer: "customer-\\d+" } });
    expect(gateBranch("fix/customer-77", own)).toMatch(/^fix\/\[redacted:customer\]~[0-9a-f]{8}$/u);
    expect(gateBranch("fix/customer-77", own)).not.toBe(gateBranch("fix/customer-78", own));
    const token = TOKENS.find(({ kind }) => kind === "github-token")?.secret ?? "";
    expect(gateBranch(token, createRedactor({ allow: [token] }))).toBe(token);
    expect(gateBranch(null, own)).toBe(null);
  });
});

describe("P41 ids", () => {
  const named = (more: Parameters<typeof snapshotWith>[0]) =>
    snapshotWith(more, { next_action: { text: `log in with --password ${NAME} now`, pointer: "/n" } });

  it.each([
    ["session", { session: { id: NAME, from: "state" as const } }],
    ["task", { task: { id: NAME, from: "state" as const } }],
    ["topic", { topic: NAME }],
  ])("that are secrets themselves are refused: %s", (kind, more) => {
    let error: unknown = null;
    try {
      generateHandoff(named(more), { redactor: env });
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: "id.secret", exitCode: 2, hint: `name another with --${kind}` });
    expect((error as UsageError).message).toContain(`the ${kind} id`);
    expect((error as UsageError).message).not.toContain(NAME);
  });

  it("stay as they are where another field gives their value away as a secret", () => {
    const ids = { session: { id: NAME, from: "state" as const }, task: { id: NAME, from: "state" as const } };
    const { packet, json } = generateHandoff(
      named({ ...ids, topic: NAME, git: { ...CLEAN_GIT, branch: NAME } }),
    );
    assertPacketBytes(json);
    expect(packet).toMatchObject({ session_id: NAME, task_id: NAME, topic: NAME, branch: NAME });
    expect(packet.next_action).toContain("[redacted:credential]");
  });

  it("S15 no field that the schema shapes becomes a mark, whatever the environment calls a secret", () => {
    const before = generateHandoff(named({}));
    const values = [...new Set(JSON.stringify(before.packet).match(/(?<=:")[^"]{8,}(?=")/gu) ?? [])];
    for (const value of values) {
      if (["session_id", "task_id", "topic"].some((key) => Object(before.packet)[key] === value)) continue;
      const { json } = generateHandoff(named({}), {
        redactor: createRedactor({ env: { API_TOKEN: value } }),
      });
      assertPacketBytes(json);
    }
    expect(values.length).toBeGreaterThan(5);
  });
});
