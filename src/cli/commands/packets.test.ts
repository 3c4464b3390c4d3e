// The commands that read a packet, and doctor: the built command line in real repositories.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { SESSION, expectUsageError, packetIn, read, tree, useCli } from "../testing/use-cli.js";

const { bench, cli, folder, run, start } = useCli();

describe("P39 check and show", () => {
  test("show prints either file byte for byte, by session, by id or by branch", async () => {
    const root = bench();
    await run(root, "generate");
    const markdown = read(root, `${SESSION}/handoff.md`);
    const json = read(root, `${SESSION}/handoff.json`);
    expect(await run(root, "show")).toEqual({ code: 0, stdout: markdown, stderr: "" });
    expect((await run(root, "show", "s-2041", "--md")).stdout).toBe(markdown);
    expect((await run(root, "show", String(packetIn(root)["packet_id"]), "--json")).stdout).toBe(json);
    expect((await run(root, "show", "--json")).stdout).toBe(json);
  });

  test("show gives exact bytes to a pipe, and no terminal its commands", async () => {
    const root = bench();
    await run(root, "generate");
    const hostile = read(root, `${SESSION}/handoff.md`).replace(
      "mend what",
      "\u001b]0;owned\u0007\u001b[2Jmend",
    );
    put(root, `${SESSION}/handoff.md`, hostile);
    expect((await run(root, "show")).stdout).toBe(hostile);
    // util-linux's script runs it on a terminal of its own.
    const command = [process.execPath, cli().main, "show"].map((word) => JSON.stringify(word)).join(" ");
    const shown = execFileSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: root,
      env: plainEnvironment({ TERM: "xterm" }),
      encoding: "utf8",
    });
    expect(shown).toContain("ruff says");
    expect(shown).toContain("Unresolved failures");
    // Colours are ours; nothing else reaches the terminal.
    expect(shown.replaceAll(/\u001b\[\d+m/gu, "")).not.toContain("\u001b");
  });

  test("on a branch without a packet: exit 1, and which branches have one", async () => {
    const root = bench();
    await run(root, "generate");
    git(root, "checkout", "--quiet", "main");
    for (const command of ["show", "check"]) {
      const result = await run(root, command);
      expect([result.code, result.stdout]).toEqual([1, ""]);
      expect(result.stderr).toMatch(
        /^handoff: packet\.missing: .*branch main and topic main\n.*feat\/signup/u,
      );
    }
    expect((await run(root, "show", "nobody")).code).toBe(1);
    expect((await run(root, "show", "../../etc")).code).toBe(2);
  });

  const change = (root: string, name: string, from: RegExp, to: string): void => {
    const text = read(root, `${SESSION}/${name}`);
    expect(text).toMatch(from);
    put(root, `${SESSION}/${name}`, text.replace(from, to));
  };
  test.each<[string, RegExp, string, string]>([
    ["handoff.json", /^\{/u, '{"x": 1,', "packet.invalid"],
    ["handoff.md", /mend what/u, "break what", "drift.markdown_edited"],
  ])("check tells of a changed %s: exit 1, for people and as JSON", async (name, from, to, code) => {
    const root = bench();
    await run(root, "generate");
    change(root, name, from, to);
    const result = await run(root, "check", "s-2041");
    const word = code === "packet.invalid" ? "refused" : "drifted";
    expect([result.code, result.stdout]).toEqual([1, `${word} ${SESSION}/handoff.json\n`]);
    expect(result.stderr).toMatch(
      new RegExp(`^handoff: ${code}: .+ \\(${SESSION}/${name}\\)\\n {2}.+\\n$`, "u"),
    );
    const json = await run(root, "check", "s-2041", "--json");
    expect([json.code, json.stderr]).toEqual([1, result.stderr]);
    const answer: Record<string, unknown> = JSON.parse(json.stdout);
    expect(answer).toMatchObject({ ok: false, path: path.join(root, SESSION, "handoff.json") });
    expect(answer["diagnostics"]).toEqual([expect.objectContaining({ code, severity: "error" })]);
  });

  test("a packet changed by hand is replaced only after a copy is kept", async () => {
    const root = bench();
    await run(root, "generate");
    change(root, "handoff.json", /mend what/u, "my own words about what");
    const edited = read(root, `${SESSION}/handoff.json`);
    const result = await run(root, "generate");
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("handoff: packet.edited: ");
    const kept = readdirSync(path.join(root, "outputs/handoff/archive/edited"));
    expect(kept.map((name) => read(root, `outputs/handoff/archive/edited/${name}`))).toEqual([edited]);
    expect((await run(root, "check")).code).toBe(0);
  });

  test("a handoff.json or handoff.md that is not ours is never destroyed", async () => {
    const root = bench();
    put(root, `${SESSION}/handoff.json`, { session_id: "s-2041", summary: "of another program" });
    const before = tree(root);
    expectUsageError(await run(root, "generate"), "store.foreign_file", `${SESSION}/handoff.json`);
    expect(tree(root)).toEqual(before);
    rmSync(path.join(root, SESSION, "handoff.json"));
    put(root, `${SESSION}/handoff.md`, "# My own notes\n");
    expectUsageError(await run(root, "generate"), "store.foreign_file", `${SESSION}/handoff.md`);
    expect(read(root, `${SESSION}/handoff.md`)).toBe("# My own notes\n");
  });
});

describe("brief and pr-body", () => {
  test("brief prints the next agent's text, within its limit", async () => {
    const root = bench();
    await run(root, "generate");
    const { code, stdout, stderr } = await run(root, "brief");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("mend what ruff says about app/signup.py");
    expect(stdout).toContain(`${SESSION}/handoff.json`);
    const short = await run(root, "brief", "s-2041", "--max-bytes", "1500");
    expect(Buffer.byteLength(short.stdout)).toBeLessThanOrEqual(1500);
    expectUsageError(await run(root, "brief", "--max-bytes", "20"), "brief.too_small", "--max-bytes");
    expect((await run(folder(), "brief")).code).toBe(1);
  });

  test("R20 the brief is made from what is on disk, and never from what is no packet", async () => {
    const root = bench();
    await run(root, "generate");
    put(
      root,
      `${SESSION}/handoff.json`,
      read(root, `${SESSION}/handoff.json`).replaceAll("mend what", "edited:"),
    );
    expect((await run(root, "brief")).stdout).toContain("edited: ruff says");
    put(root, `${SESSION}/handoff.json`, { ...packetIn(root), next_action: " " });
    expectUsageError(await run(root, "brief", "s-2041"), "packet.invalid", "/next_action");
  });

  test("pr-body prints a block, or keeps one up to date in a file and the rest as it is", async () => {
    const root = bench();
    await run(root, "generate");
    const block = (await run(root, "pr-body")).stdout;
    expect(block).toMatch(/^<!-- handoff:begin hp_[0-9a-f]{16} -->\n[^]+\n<!-- handoff:end -->\n$/u);
    const body = put(root, "body.md", "\ufeffOurs: keep\r\n\r\nthis");
    expect((await run(root, "pr-body", "--into", "body.md")).stdout).toBe("body.md\n");
    const merged = readFileSync(body, "utf8");
    expect(merged.startsWith("\ufeffOurs: keep\r\n\r\nthis\r\n\r\n<!-- handoff:begin ")).toBe(true);
    expect((await run(root, "pr-body", "--into", "body.md")).stdout).toBe("body.md (unchanged)\n");
    expect((await run(root, "pr-body", "--into", "new.md")).code).toBe(0);
    expect(read(root, "new.md")).toBe(block);
    execFileSync("bash", ["-c", "printf 'a\\xff' > latin.md"], { cwd: root });
    expectUsageError(await run(root, "pr-body", "--into", "latin.md"), "pr_body.unreadable", "not UTF-8");
    expectUsageError(await run(root, "pr-body", "--into", "app"), "pr_body.unreadable", "not a file");
  });

  test("P37 a project's own template, and a clear error for a broken one", async () => {
    const root = bench();
    await run(root, "generate");
    const own = put(root, "own.hbs", "Next: {{next_action}}\n");
    expect((await run(root, "pr-body", "--template", own)).stdout).toContain("Next: mend what ruff says");
    put(root, "own.hbs", "fine\n{{#if}}\n");
    expectUsageError(await run(root, "pr-body", "--template", "own.hbs"), "template.broken", "own.hbs:");
    put(root, "handoff.config.json", { templates: { handoff: "own.hbs" } });
    expectUsageError(await run(root, "generate"), "template.broken", "own.hbs:");
    // Those that only brief and pr-body use are tried too, and nothing is written.
    for (const name of ["brief", "pr_body"]) {
      put(root, "handoff.config.json", { templates: { [name]: "own.hbs" } });
      const before = tree(root);
      expectUsageError(await run(root, "generate"), "template.broken", "own.hbs:");
      expectUsageError(await run(root, "generate", "--stdout", "md"), "template.broken", "own.hbs:");
      expect(tree(root)).toEqual(before);
    }
    put(root, "own.hbs", "{{no_such_field}}\n");
    expectUsageError(await run(root, "generate"), "template.broken", "there is no field");
    put(root, "handoff.config.json", { templates: { handoff: "none.hbs" } });
    expectUsageError(await run(root, "generate"), "template.unreadable", "none.hbs");
  });
});

describe("doctor", () => {
  test("says what is there, where, and what is missing", async () => {
    const root = bench();
    const env = { ANTHROPIC_MODEL: "claude-haiku-4-5" };
    const result = await start(["doctor"], { cwd: root, env });
    expect(result.code).toBe(0);
    const row = (name: string): string | undefined =>
      result.stdout
        .split("\n")
        .find((line) => line.startsWith(name))
        ?.slice(17);
    expect(row("versions")).toContain(`node ${process.versions.node}`);
    expect(row("root")).toBe(root);
    expect(row("session")).toBe("s-2041 (state)");
    expect(row("state")).toBe("agent_state.json");
    expect(row("review")).toMatch(/^missing \(/u);
    expect(row("feedback")).toBe("feedback_record.jsonl: 3 records, 2 nonzero, 0 skipped lines");
    expect(row("window")).toBe("200,000 tokens (ANTHROPIC_MODEL, guessed from claude-haiku-4-5)");
    expect(row("packet")).toBe(`missing: ${SESSION}/handoff.json`);
    expect(existsSync(path.join(root, SESSION))).toBe(false);
  });

  test("of what is missing it says where it looked, by configuration and ids", async () => {
    const root = bench();
    rmSync(path.join(root, "feedback_record.jsonl"));
    const row = async (name: string): Promise<string | undefined> =>
      (await run(root, "doctor")).stdout
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(17);
    expect(await row("feedback")).toBe("missing (.handoff/sessions/s-2041/feedback.jsonl, or 2 more)");
    expect(await row("scope_report")).toBe("missing (outputs/scope/closed/T-001.report.json, or 1 more)");
    expect(await row("last_known_good")).toBe("missing (last_known_good.json)");
    rmSync(path.join(root, "task_board.json"));
    put(root, "agent_state.json", { next_action: "go on" });
    put(root, "handoff.config.json", { artifacts: { feedback: ["logs/own.jsonl"] } });
    expect(await row("feedback")).toBe("missing (logs/own.jsonl)");
    expect(await row("scope_report")).toBe("missing (outputs/scope/closed/<task_id>.report.json, or 1 more)");
    const answer = JSON.parse((await run(root, "doctor", "--json")).stdout) as Record<string, unknown>;
    expect(answer["feedback"]).toMatchObject({ files: [], places: ["logs/own.jsonl"] });
  });

  test("P41 of many lines that cannot be read it tells three", async () => {
    const root = bench();
    put(root, "feedback_record.jsonl", "{broken\n".repeat(40));
    const { stderr } = await run(root, "doctor");
    expect(stderr.match(/feedback\.skipped_line: could not be read/gu)).toHaveLength(3);
    expect(stderr).toMatch(
      /handoff: feedback\.skipped_line: \d+ more like this \(feedback_record\.jsonl\)\n {2}handoff doctor --json lists them\n/u,
    );
    const told = await run(root, "generate");
    expect(told.stderr.match(/feedback\.skipped_line: could not be read/gu)).toHaveLength(3);
    expect(told.stderr).toContain("see --verbose or the packet's gaps");
    const all = await run(root, "generate", "--verbose");
    expect(all.stderr.match(/feedback\.skipped_line: could not be read/gu)?.length).toBeGreaterThan(3);
    expect(all.stderr).not.toContain("more like this");
  });

  test("--json, in a folder that is no repository", async () => {
    const result = await start(["doctor", "--json"], { cwd: folder() });
    const answer = JSON.parse(result.stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({
      ok: true,
      session: { id: "local", from: "local" },
      git: { available: false },
      window: { tokens: null, model: null, from: null },
    });
    expect(answer["artifacts"]).toHaveLength(10);
  });

  test("an artifact that cannot be used is a finding", async () => {
    const root = bench();
    put(root, "agent_state.json", "{ not json");
    const result = await run(root, "doctor");
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("handoff: artifact.not_json: ");
  });
});
