// Exit codes and streams: the built command line, real pipes, real limits.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainEnvironment, runCli } from "./testing/built-cli.js";
import { put, sampleWorkbench } from "./testing/sample-workbench.js";
import { SESSION, expectUsageError, read, tree, useCli } from "./testing/use-cli.js";

const { cli, bench, folder, run, start } = useCli();

describe("P41 exit 2 and a hint for what cannot be", () => {
  // Nothing of this writes, so one workbench will do.
  let shared = "";
  let untouched: Record<string, string> = {};
  beforeAll(() => {
    shared = sampleWorkbench();
    untouched = tree(shared);
  });
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  test.each<[string[], string, string]>([
    [["generate", "--last", "99"], "usage.value", "from 0 to 30"],
    [["generate", "--last", "3.5"], "usage.value", "from 0 to 30"],
    [["generate", "--last", "abc"], "usage.value", "from 0 to 30"],
    [["generate", "--max-bytes", "10"], "usage.value", "from 4096"],
    [["generate", "--stdout", "yaml"], "usage.value", "md or json"],
    [["generate", "--session", "../../x"], "usage.bad_id", "session"],
    [["generate", "--session", "current"], "usage.bad_id", "session"],
    [["generate", "--session="], "usage.value", "session"],
    [["generate", "--task", ".hidden"], "usage.bad_id", "task"],
    [["generate", "--topic", "a/b"], "usage.bad_id", "topic"],
    [["generate", "--base", "nope"], "usage.base", "nope"],
    [["generate", "--root", "not-there"], "root.not_a_folder", "not-there"],
    [["generate", "--root", "agent_state.json"], "root.not_a_folder", "agent_state.json"],
    [["generate", "--config", "not-there.json"], "config.unreadable", "not-there.json"],
    [["generate", "--out", "agent_state.json"], "write.not_a_folder", "agent_state.json"],
    [["generate", "--lsat", "3"], "usage.option", "did you mean --last?"],
    [["genrate"], "usage.command", "did you mean generate?"],
    [[], "usage.arguments", "a command is missing"],
  ])("%j", async (args, code, words) => {
    expectUsageError(await run(shared, ...args), code, words);
    expect(tree(shared)).toEqual(untouched);
  });

  test("--json tells of usage errors on stdout too", async () => {
    const result = await run(bench(), "generate", "--json", "--nope");
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({
      ok: false,
      error: { code: "usage.option" },
      diagnostics: [],
    });
  });

  test("a user who may not write: the old files stay", async () => {
    const root = bench();
    await run(root, "generate");
    put(root, "agent_state.json", { session_id: "s-2041", next_action: "something else" });
    const before = tree(root);
    chmodSync(path.join(root, SESSION), 0o555);
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    chmodSync(root, 0o755);
    const result = await start(["generate"], { cwd: root, ...asNobody });
    chmodSync(path.join(root, SESSION), 0o755);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/handoff: write\.denied: .*\(outputs\/handoff\/\.lock\)\n {2}.+--out/u);
    expect(tree(root)).toEqual(before);
  });

  test("a disk that is full: the old files stay", async () => {
    const root = bench();
    await run(root, "generate");
    put(root, "agent_state.json", { session_id: "s-2041", next_action: "something else ".repeat(200) });
    const before = tree(root);
    const limited = `ulimit -f 1; ${JSON.stringify(process.execPath)} ${JSON.stringify(cli().main)} generate; echo $?`;
    const stdout = execFileSync("bash", ["-c", `{ ${limited}; } 2>&1`], {
      cwd: root,
      env: plainEnvironment(),
      encoding: "utf8",
    });
    expect(stdout).toMatch(/handoff: write\.no_space: .*\n {2}.+\n2\n$/u);
    expect(tree(root)).toEqual(before);
  });
});

describe("P41, P44 streams", () => {
  test("nothing an artifact says reaches the terminal as an escape sequence", async () => {
    const root = bench();
    const hostile = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202etxt";
    put(root, "agent_state.json", { session_id: hostile, next_action: `go ${hostile} on` });
    put(root, "outputs/verification/T-001.json", { task_id: hostile, passed: true, findings: [] });
    for (const args of [["generate"], ["doctor"], ["show"], ["generate", "--verbose", "--json"]]) {
      const { stdout, stderr } = await run(root, ...args);
      expect(stdout).not.toBe("");
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u);
    }
  });

  test("colours only when forced, as nobody looks at a pipe", async () => {
    const root = bench();
    const plain = await start(["generate"], { cwd: root, env: { CI: "true" } });
    expect(plain.stdout).not.toContain("\u001b");
    const forced = await start(["generate"], { cwd: root, env: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain("\u001b[");
    const both = await start(["generate"], { cwd: root, env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(both.stdout).not.toContain("\u001b");
  });

  test("a reader that went away ends it quietly, a full device does not", async () => {
    const root = bench();
    await run(root, "generate");
    const shell = (line: string): string =>
      execFileSync("bash", ["-c", line, process.execPath, cli().main], {
        cwd: root,
        env: plainEnvironment(),
        encoding: "utf8",
      });
    // The reader is gone before the first byte: it closes its end, then the command starts.
    expect(shell('{ { sleep 0.2; "$0" "$1" show; echo "exit $?" >&2; } | exec true; } 2>&1')).toBe(
      "exit 0\n",
    );
    expect(shell('"$0" "$1" show 2>&1 >/dev/full; echo "exit $?"')).toMatch(
      /^handoff: output\.failed: .*ENOSPC\n {2}.+\nexit 2\n$/u,
    );
  });

  test("a bug of ours is exit 70, with a stack only for HANDOFF_DEBUG", async () => {
    const root = bench();
    const broken = { ...cli(), main: path.join(folder(), "dist/cli/main.js") };
    mkdirSync(path.dirname(broken.main), { recursive: true });
    execFileSync("cp", ["-r", `${path.dirname(cli().main)}/.`, path.dirname(broken.main)]);
    execFileSync("cp", [path.join(cli().folder, "package.json"), path.join(broken.main, "../../../")]);
    // What generate is made of is no longer what was built.
    const files = readdirSync(path.dirname(broken.main)).map((name) => path.join(broken.main, "..", name));
    for (const file of files)
      if (file.endsWith(".cjs") && readFileSync(file, "utf8").includes("dry run: nothing was written"))
        writeFileSync(file, 'throw new TypeError("spoilt");\n');
    const quiet = await runCli(broken, ["generate"], { cwd: root });
    expect(quiet.code).toBe(70);
    expect(quiet.stderr).toMatch(/^handoff: bug: .+\n {2}.*please report.*\n$/u);
    const loud = await runCli(broken, ["generate"], { cwd: root, env: { HANDOFF_DEBUG: "1" } });
    expect(loud.code).toBe(70);
    expect(loud.stderr).toMatch(/\n\s+at /u);
    expect(existsSync(path.join(root, "outputs/handoff"))).toBe(false);
  });

  test("P41 a current folder that is gone is said, not a stack", () => {
    const gone = folder();
    const told = execFileSync(
      "bash",
      [
        "-c",
        'cd "$2" && rmdir "$2" && "$0" "$1" generate 2>&1; echo "exit $?"',
        process.execPath,
        cli().main,
        gone,
      ],
      {
        encoding: "utf8",
        env: plainEnvironment(),
      },
    );
    expect(told).toBe(
      "handoff: usage.cwd: the current folder does not exist any more\n  change into another folder\nexit 2\n",
    );
  });

  test("--version, --help and completions", async () => {
    const root = folder();
    const { version } = JSON.parse(read(cli().folder, "package.json")) as { version: string };
    expect(await run(root, "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const help = await run(root, "generate", "--help");
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("--allow-degraded");
    const completions = await run(root, "--get-yargs-completions", "handoff", "generate", "--allow");
    expect(completions.stdout).toContain("--allow-degraded");
    expect((await run(root, "completion")).stdout).toContain("--get-yargs-completions");
  });
});
