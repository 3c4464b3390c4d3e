// handoff generate as a person runs it: the built command line in real repositories.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { put } from "../testing/sample-workbench.js";
import { SESSION, expectUsageError, packetIn, read, tree, useCli } from "../testing/use-cli.js";

const { cli, bench, folder, run, start } = useCli();

describe("P40 generate", () => {
  test("writes both files, says where and what, and check agrees", async () => {
    const root = bench();
    const result = await run(root, "generate");
    expect([result.code, result.stderr]).toEqual([0, ""]);
    const [place, state, next] = result.stdout.split("\n");
    expect(place).toBe(`${SESSION}/handoff.md`);
    expect(state).toMatch(
      /^feat\/signup · T-001 · \d+ risks?(?: \(\d+ blocking\))? · 1 unresolved failure$/u,
    );
    expect(next).toBe("next: mend what ruff says about app/signup.py");
    expect(readdirSync(path.join(root, SESSION)).sort()).toEqual(["handoff.json", "handoff.md"]);

    const packet = packetIn(root);
    const schema = JSON.parse(read(cli().folder, "schemas/handoff.schema.json")) as object;
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect([ajv.validate(schema, packet), ajv.errors]).toEqual([true, null]);
    expect(packet).toMatchObject({
      status: "active",
      session_id: "s-2041",
      task_id: "T-001",
      branch: "feat/signup",
    });

    const check = await run(root, "check");
    expect([check.code, check.stdout, check.stderr]).toEqual([0, `fresh ${SESSION}/handoff.json\n`, ""]);
  });

  test("P34 a second run, elsewhere, at another time, in another language, changes nothing", async () => {
    const root = bench();
    await run(root, "generate");
    const before = tree(root);
    for (const name of ["agent_state.json", "feedback_record.jsonl", "app/signup.py"])
      utimesSync(path.join(root, name), 1_000_000_000, 1_000_000_000);
    const again = await start(["generate"], {
      cwd: path.join(root, "app"),
      env: { TZ: "Asia/Kathmandu", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
    });
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("unchanged");
    expect(tree(root)).toEqual(before);
  });

  test("--stdout prints exactly the file's bytes and writes none", async () => {
    const root = bench();
    const before = tree(root);
    const json = await run(root, "generate", "--stdout", "json");
    const markdown = await run(root, "generate", "--stdout", "md");
    expect([json.code, markdown.code]).toEqual([0, 0]);
    expect(tree(root)).toEqual(before);
    await run(root, "generate");
    expect(json.stdout).toBe(read(root, `${SESSION}/handoff.json`));
    expect(markdown.stdout).toBe(read(root, `${SESSION}/handoff.md`));
  });

  test("--dry-run writes nothing and says what it would", async () => {
    const root = bench();
    const before = tree(root);
    const result = await run(root, "generate", "--dry-run");
    expect(result.code).toBe(0);
    expect(result.stdout).toContain(`${SESSION}/handoff.md`);
    expect(result.stdout).toMatch(
      /dry run: nothing was written \(handoff\.md \d+ bytes, handoff\.json \d+ bytes\)/u,
    );
    expect(tree(root)).toEqual(before);
  });

  test("P41 --json gives the packet, its path and the diagnostics", async () => {
    const root = bench();
    put(root, "feedback_record.jsonl", `${read(root, "feedback_record.jsonl")}{"command": "half\n`);
    const result = await run(root, "generate", "--json");
    expect(result.code).toBe(0);
    const answer = JSON.parse(result.stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({ ok: true, path: path.join(root, SESSION, "handoff.json"), changed: true });
    expect(answer["packet"]).toEqual(packetIn(root));
    expect(answer["diagnostics"]).toContainEqual(
      expect.objectContaining({
        code: "feedback.skipped_line",
        source: { path: "feedback_record.jsonl", line: 4 },
      }),
    );
    expect(result.stderr).toContain("handoff: feedback.skipped_line: ");
    expect(result.stderr).toContain("(feedback_record.jsonl:4)");
  });

  test("P28 nothing to say: exit 1 and no files; --allow-degraded writes what there is", async () => {
    const root = folder();
    const refused = await run(root, "generate");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/^handoff: next_action\.unknown: .+\n {2}.+$/mu);
    expect(tree(root)).toEqual({});
    const answer = JSON.parse((await run(root, "generate", "--json")).stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({
      ok: false,
      error: { code: "next_action.unknown", path: null, line: null },
    });
    expect(tree(root)).toEqual({});

    const degraded = await run(root, "generate", "--allow-degraded");
    expect(degraded.code).toBe(0);
    expect(degraded.stdout).toContain("degraded:");
    expect(packetIn(root, "outputs/handoff/local")["degraded"]).not.toBeNull();
    expect((await run(root, "check")).code).toBe(0);
  });

  test("options reach the packet", async () => {
    const root = bench();
    const args = ["--session", "s-9", "--task", "T-002", "--topic", "docs", "--last", "1", "--base", "HEAD"];
    expect((await run(root, "generate", ...args)).code).toBe(0);
    const packet = packetIn(root, "outputs/handoff/s-9");
    expect(packet).toMatchObject({ session_id: "s-9", task_id: "T-002", topic: "docs", commits: [] });
    expect((packet["feedback"] as { tail: unknown[] }).tail).toHaveLength(1);
  });

  test("P42 the configuration counts, and an option counts more", async () => {
    const root = bench();
    put(root, "handoff.config.json", { last: 2, out: "packets", topic: "mail" });
    expect((await run(root, "generate")).stdout).toContain("packets/s-2041/handoff.md");
    const packet = packetIn(root, "packets/s-2041");
    expect(packet["topic"]).toBe("mail");
    expect((packet["feedback"] as { tail: unknown[] }).tail).toHaveLength(2);
    expect((await run(root, "show", "--json")).stdout).toBe(read(root, "packets/s-2041/handoff.json"));
    const other = put(root, "other.json", { last: 0 });
    const zero = await run(root, "generate", "--config", other, "--stdout", "json");
    expect((JSON.parse(zero.stdout) as { feedback: { tail: unknown[] } }).feedback.tail).toEqual([]);
    put(root, "handoff.config.json", '{\n  "lst": 2\n}\n');
    const wrong = await run(root, "generate");
    expectUsageError(wrong, "config.unknown_key", "handoff.config.json:2");
    expect(wrong.stderr).toContain('"last"');
    put(root, "handoff.config.json", { out: "../elsewhere" });
    expectUsageError(await run(root, "generate"), "config.invalid", "leads outside the workbench");
  });

  test("many at once give one whole packet", async () => {
    const root = bench();
    const results = await Promise.all(Array.from({ length: 4 }, () => run(root, "generate")));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(readdirSync(path.join(root, SESSION)).sort()).toEqual(["handoff.json", "handoff.md"]);
    expect((await run(root, "check")).code).toBe(0);
  });
});

describe("P43 writes go nowhere else", () => {
  test("a symlink that leads out of the workbench is refused", async () => {
    for (const link of ["outputs", "outputs/handoff", SESSION]) {
      const root = bench();
      const outside = folder();
      rmSync(path.join(root, "outputs"), { recursive: true });
      mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
      symlinkSync(outside, path.join(root, link));
      const result = await run(root, "generate");
      expectUsageError(result, "write.outside", "outside");
      expect(readdirSync(outside)).toEqual([]);
    }
  });

  test("a symlink in a file's place is not followed", async () => {
    const root = bench();
    const victim = put(folder(), "victim.md", "precious\n");
    mkdirSync(path.join(root, SESSION), { recursive: true });
    symlinkSync(victim, path.join(root, SESSION, "handoff.md"));
    expectUsageError(await run(root, "generate"), "store.foreign_file", "handoff.md");
    expect(readFileSync(victim, "utf8")).toBe("precious\n");
  });

  test("an id in a file that would climb out is passed by, and said", async () => {
    const root = bench();
    put(root, "agent_state.json", { session_id: "../../escape", next_action: "go on" });
    const result = await run(root, "generate");
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("handoff: id.invalid: ");
    expect(readdirSync(path.join(root, "outputs/handoff")).sort()).toEqual([
      ".lock",
      "index.json",
      "local-feat-signup",
    ]);
    expect(existsSync(path.join(root, "..", "escape"))).toBe(false);
  });

  test("--out outside the workbench is the person's word", async () => {
    const root = bench();
    const elsewhere = folder();
    const before = tree(root);
    const out = path.join(elsewhere, "deep", "packets");
    expect((await run(root, "generate", "--out", out)).code).toBe(0);
    expect(readdirSync(path.join(out, "s-2041")).sort()).toEqual(["handoff.json", "handoff.md"]);
    const after = Object.keys(tree(root)).filter((name) => !name.startsWith(".handoff/"));
    expect(after).toEqual(Object.keys(before));
    expect((await run(root, "check", "--out", out)).code).toBe(0);
  });
});
