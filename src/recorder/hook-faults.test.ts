// Whatever goes wrong, the agent does not notice (A6): exit 0, nothing said, one line in the recorder's log where there can be one.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../cli/testing/built-cli.js";
import { git, put } from "../cli/testing/sample-workbench.js";
import { payloadOf, useHooks, type HookBench } from "../cli/testing/use-hooks.js";

const { bench, cli } = useHooks();
const S = { session_id: "s-1" };
const QUIET = { code: 0, stdout: "", stderr: "" };
const payload = (b: HookBench): string =>
  JSON.stringify({ ...payloadOf("claude-code", "PostToolUse", b.root), ...S });

describe("what it is called with", () => {
  test.each([
    [["nobody", "Stop"], "nobody Stop there is no such agent"],
    [["claude-code", "NoSuchEvent"], "claude-code NoSuchEvent neither the event nor the payload is known"],
    [[], "there is no such agent"],
    [["constructor", "Stop"], "there is no such agent"],
  ])("A6 %j is a line in the log", async (args, words) => {
    const b = bench();
    expect(await b.call(args, { stdin: payload(b) })).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /u);
    expect(b.log()[0]).toContain(words);
  });

  test.each([
    ["nothing", "", "there is no payload"],
    ["torn JSON", '{"session_id": "s-1", "hook_ev', "the payload is not JSON"],
    ["no object", "[1, 2]", "neither the event nor the payload is known"],
    ["another's JSON", '{"a": 1}', "neither the event nor the payload is known"],
    ["bytes", Buffer.from([0xff, 0xfe, 0x00, 0x80]), "the payload is not JSON"],
    [
      "an id that leads elsewhere",
      '{"session_id": "../../x", "tool_name": "Bash", "tool_input": {"command": "ls"}}',
      "the session's id cannot name a folder",
    ],
  ])("A6 %s on standard input is a line in the log", async (_, stdin, words) => {
    const b = bench();
    expect(await b.call(["claude-code", "PostToolUse"], { stdin })).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toContain(words);
    expect(existsSync(path.join(b.root, ".handoff/sessions"))).toBe(false);
  });

  test("A6 a log line never quotes a secret of the payload", async () => {
    const b = bench();
    const secret = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    await b.call(["claude-code", `Stop-${secret}`], { stdin: payload(b) });
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).not.toContain(secret.slice(4));
  });

  test("A6 a log line never quotes a part of a secret that its cut would part", async () => {
    const b = bench();
    const secret = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    for (const before of [960, 970, 980, 990])
      await b.call(["claude-code", `${"x".repeat(before)} ${secret} behind`], { stdin: payload(b) });
    expect(b.log()).toHaveLength(4);
    for (const line of b.log()) {
      expect(line).not.toContain("ghp_0");
      expect(line.length).toBeLessThan(1100);
    }
  });

  test("A6 an input that is larger than 16 MiB is not read to its end", async () => {
    const b = bench();
    const stdin = `{"session_id": "s-1", "x": "${"x".repeat(17 * 1024 * 1024)}"}`;
    expect(await b.call(["claude-code", "Stop"], { stdin })).toEqual(QUIET);
    expect(b.log()[0]).toContain("the payload is larger than 16777216 bytes");
  });

  test("A6 an input that is never closed holds nobody up, and what came counts", async () => {
    const b = bench();
    expect(await b.call(["claude-code", "PostToolUse"], { stdin: payload(b), isOpen: true })).toEqual(QUIET);
    expect(b.records("s-1")).toHaveLength(1);
    expect(await b.call(["claude-code", "PostToolUse"], { isOpen: true })).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toContain("there is no payload; standard input was not closed");
  });

  test("A6 the event's own name counts where none is given", async () => {
    const b = bench();
    expect(await b.call(["claude-code"], { stdin: payload(b) })).toEqual(QUIET);
    expect(b.records("s-1")).toHaveLength(1);
  });
});

describe("where it writes", () => {
  test("A6 a file where a folder should be", async () => {
    const b = bench();
    put(b.root, ".handoff/sessions", "a file");
    expect(await b.hook("claude-code", "PostToolUse", S)).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toMatch(/claude-code PostToolUse s-1 .*(?:ENOTDIR|EEXIST)/u);
  });

  test("A6 nowhere to write at all: not even a log", async () => {
    const b = bench();
    put(b.root, ".handoff", "a file");
    for (const fixture of [
      "SessionStart.startup",
      "UserPromptSubmit",
      "PostToolUse",
      "PostToolUse.write",
      "Stop",
      "PreCompact.auto",
      "SessionEnd.other",
    ])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    expect(readFileSync(path.join(b.root, ".handoff"), "utf8")).toBe("a file");
  });

  test.skipIf(process.getuid?.() === 0)("A6 a folder that may not be written", async () => {
    const b = bench();
    chmodSync(b.root, 0o555);
    expect(await b.hook("claude-code", "PostToolUse", S)).toEqual(QUIET);
    chmodSync(b.root, 0o755);
    expect(readdirSync(b.root)).not.toContain(".handoff");
  });

  test("A6 no room for all of a line: it costs itself, and the next one is whole", async () => {
    const b = bench();
    const log = put(
      b.root,
      ".handoff/sessions/s-1/feedback.jsonl",
      `{"command":"ls","exit_code":0,"x":"${"x".repeat(950)}"}\n`,
    );
    const before = statSync(log).size;
    // 1,024 bytes a file: the system takes the first part of the line, and no more.
    const limited = spawnSync(
      "sh",
      [
        "-c",
        'ulimit -f 2; exec "$0" "$@"',
        process.execPath,
        cli().main,
        "hook",
        "claude-code",
        "PostToolUse",
      ],
      {
        cwd: b.root,
        input: payload(b),
        env: plainEnvironment({ CLAUDE_PROJECT_DIR: b.root }),
        encoding: "utf8",
      },
    );
    expect([limited.status, limited.stdout, limited.stderr]).toEqual([0, "", ""]);
    expect(statSync(log).size).toBe(1024);
    expect(before).toBeLessThan(1024);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toContain("bytes could be written");
    expect(await b.hook("claude-code", "PostToolUseFailure", S)).toEqual(QUIET);
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ exit_code: 3 });
  });

  test("A6 a link in a log's place is not followed", async () => {
    const b = bench();
    await b.hook("claude-code", "PostToolUse", S);
    symlinkSync(path.join(b.root, "README.md"), path.join(b.sessionFolder("s-1"), "touched_files.jsonl"));
    expect(await b.hook("claude-code", "PostToolUse.write", S)).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(readFileSync(path.join(b.root, "README.md"), "utf8")).toBe("# a project\n");
  });

  test("P43 a link that leads out of the workbench is not written through", async () => {
    const b = bench();
    const outside = path.join(b.root, "..", `${path.basename(b.root)}-outside`);
    mkdirSync(outside);
    symlinkSync(outside, path.join(b.root, ".handoff"));
    for (const fixture of ["SessionStart.startup", "PostToolUse", "Stop"])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    expect(readdirSync(outside)).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  test("A6 a session.json, a log and a state that say nothing usable stop nothing", async () => {
    const b = bench();
    put(b.root, ".handoff/sessions/s-1/session.json", "{");
    put(b.root, ".handoff/sessions/s-1/feedback.jsonl", "no JSON\n");
    put(b.root, ".handoff/sessions/s-1/touched_files.jsonl", "neither");
    put(b.root, ".handoff/sessions/s-1/published.json", "[]");
    put(b.root, ".handoff/sessions/s-1/agent_state.json", "{");
    for (const fixture of [
      "SessionStart.startup",
      "UserPromptSubmit",
      "PostToolUse",
      "PostToolUse.write",
      "Stop",
      "SessionEnd.other",
    ])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    expect(b.session("s-1")).toMatchObject({ goal: "TASK-ONE please", end_reason: "other" });
    expect(b.packet("s-1")).toMatchObject({ session_id: "s-1", status: "active" });
  });

  test("A6 the log stays small: at a mebibyte it is put aside", async () => {
    const b = bench();
    put(b.root, ".handoff/recorder.log", "x".repeat(1024 * 1024));
    await b.call(["nobody", "Stop"], { stdin: payload(b) });
    expect(b.log()).toHaveLength(1);
    expect(statSync(path.join(b.root, ".handoff/recorder.log.1")).size).toBe(1024 * 1024);
  });

  // Between the look at the log's size and the change another hook puts it aside.
  test("A6 of two hooks that find the log too long at once one puts it aside, and nothing of it is lost", async () => {
    const b = bench();
    const old = `${"x".repeat(1024 * 1024)}\n`;
    put(b.root, ".handoff/recorder.log", old);
    const [looked, go] = ["looked", "go"].map((name) => path.join(b.root, ".handoff", name));
    const preload = path.join(b.root, ".handoff/preload.mjs");
    writeFileSync(
      preload,
      `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { fstatSync, existsSync, writeFileSync } = fs;
const nap = new Int32Array(new SharedArrayBuffer(4));
fs.fstatSync = (...args) => {
  const facts = fstatSync(...args);
  if (facts.size < ${old.length} || existsSync(${JSON.stringify(looked)})) return facts;
  writeFileSync(${JSON.stringify(looked)}, "");
  while (!existsSync(${JSON.stringify(go)})) Atomics.wait(nap, 0, 0, 5);
  return facts;
};
syncBuiltinESMExports();
`,
    );
    const slow = b.call(["slow", "Stop"], {
      stdin: payload(b),
      env: { NODE_OPTIONS: `--import=${preload}` },
    });
    await expect.poll(() => existsSync(looked ?? ""), { timeout: 20_000 }).toBe(true);
    expect(await b.call(["quick", "Stop"], { stdin: payload(b) })).toEqual(QUIET);
    writeFileSync(go ?? "", "");
    expect(await slow).toEqual(QUIET);
    expect(readFileSync(path.join(b.root, ".handoff/recorder.log.1"), "utf8") === old).toBe(true);
    expect(b.log().map((line) => line.split(" ")[1])).toEqual(["quick", "slow"]);
  });
});

describe("the store", () => {
  test("A6 a store that cannot be used costs the packet and the brief, nothing else", async () => {
    const b = bench();
    put(b.root, "outputs/handoff", "a file");
    expect(await b.hook("claude-code", "SessionStart.startup", S)).toEqual(QUIET);
    await b.hook("claude-code", "PostToolUse", S);
    expect(await b.hook("claude-code", "Stop", S)).toEqual(QUIET);
    expect(b.records("s-1")).toHaveLength(1);
    expect(b.session("s-1")).toMatchObject({ last_message: "Done with TASK ONE." });
    expect(b.log().length).toBeGreaterThanOrEqual(1);
    for (const line of b.log()) expect(line).toMatch(/claude-code (?:SessionStart|Stop) s-1 .*write\./u);
  });

  test("A6 an index that is none is mended, not feared", async () => {
    const b = bench();
    await b.hook("claude-code", "SessionStart.startup", S);
    await b.hook("claude-code", "PostToolUse", S);
    await b.hook("claude-code", "Stop", S);
    put(b.root, "outputs/handoff/index.json", "<<<<<<< HEAD\n{}\n");
    const start = await b.hook("codex", "SessionStart.startup", { session_id: "s-2" });
    expect(start).toMatchObject({ code: 0, stderr: "" });
    expect(start.stdout).toContain("You are taking over work in progress from session `s-1`");
  });

  test("A6 a broken configuration: records go on, the fault is told", async () => {
    const b = bench();
    put(b.root, "handoff.config.json", '{"last": "many"}');
    expect(await b.hook("claude-code", "SessionStart.startup", S)).toEqual(QUIET);
    await b.hook("claude-code", "PostToolUse", S);
    expect(await b.hook("claude-code", "Stop", S)).toEqual(QUIET);
    expect(b.records("s-1")).toHaveLength(1);
    expect(b.packet("s-1")).toBeNull();
    expect(b.log()).toHaveLength(2);
  });

  test("A6 S16 a redaction pattern that never ends costs the text, and ends the hook all the same", async () => {
    const b = bench();
    put(b.root, "handoff.config.json", '{"redaction": {"patterns": {"slow": "(a|aa)+$"}}}');
    const tool_response = { stdout: `${"a".repeat(70)}?`, stderr: "", interrupted: false };
    expect(await b.hook("claude-code", "PostToolUse", { ...S, tool_response })).toEqual(QUIET);
    expect(b.records("s-1")).toMatchObject([{ stdout_tail: "[redacted:unchecked]", exit_code: 0 }]);
    expect(await b.hook("claude-code", "Stop", S)).toEqual(QUIET);
    expect(b.packet("s-1")).toMatchObject({ session_id: "s-1" });
  });

  test("A6 without git there is a session all the same", async () => {
    const b = bench();
    rmSync(path.join(b.root, ".git"), { recursive: true });
    for (const fixture of [
      "SessionStart.startup",
      "UserPromptSubmit",
      "PostToolUseFailure",
      "Stop",
      "SessionEnd.other",
    ])
      expect(await b.hook("claude-code", fixture, S)).toEqual(QUIET);
    expect(b.session("s-1")).toMatchObject({ branch: null, base_commit: null });
    expect(b.packet("s-1")).toMatchObject({ session_id: "s-1", branch: null });
    expect(b.log()).toEqual([]);
  });

  test("A6 an installation that lacks a part of itself", async () => {
    const b = bench();
    const dist = path.dirname(cli().main);
    const chunks = readdirSync(dist).filter((name) => name.startsWith("hook-") && name.endsWith(".cjs"));
    const lazy = chunks.filter((name) =>
      readFileSync(path.join(dist, name), "utf8").includes("async function startSession("),
    );
    expect(lazy).toHaveLength(1);
    const file = path.join(dist, lazy[0] ?? "");
    const kept = readFileSync(file);
    rmSync(file);
    try {
      expect(await b.hook("claude-code", "SessionStart.startup", S)).toEqual(QUIET);
      expect(b.log()).toHaveLength(1);
      expect(b.log()[0]).toContain("ENOENT");
      expect(await b.hook("claude-code", "PostToolUse", S)).toEqual(QUIET);
      expect(b.records("s-1")).toHaveLength(1);
    } finally {
      writeFileSync(file, kept);
    }
  });

  test("A6 a folder that is gone", async () => {
    const b = bench();
    git(b.root, "status");
    const stdin = JSON.stringify({
      ...payloadOf("claude-code", "PostToolUse", "/nonexistent/project"),
      ...S,
    });
    const env = { CLAUDE_PROJECT_DIR: "/nonexistent/project" };
    expect(await b.call(["claude-code", "PostToolUse"], { stdin, env })).toEqual(QUIET);
    expect(b.log()).toHaveLength(1);
    expect(b.log()[0]).toContain("ENOENT");
  });
});
