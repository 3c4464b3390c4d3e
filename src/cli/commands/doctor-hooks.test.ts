// A1, A2 and A4: doctor says of each agent whether its hooks are there, whole and run, and what the agent itself says of them.
// The agents here are stand-ins that answer as the real ones do (Codex 0.171.0, Claude Code 2.1.332).
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../../agents/settings-registry.js";
import { plainEnvironment, type CliRun } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { useCli } from "../testing/use-cli.js";

const { cli, folder, start } = useCli();

/** How many hooks an agent gets. */
function hooksOf(name: string): number {
  const form = AGENT_SETTINGS.find((agent) => agent.name === name)?.form;
  return form?.kind === "hooks" ? form.hooks.length : 0;
}
const [CLAUDE, CODEX] = [hooksOf("claude-code"), hooksOf("codex")];

let root = "";
let home = "";
let bin = "";
// Only what is needed is on PATH: the machine may have the real agents.
const env = (): Record<string, string> => ({ HOME: home, PATH: bin });
const run = (...args: string[]): Promise<CliRun> => start(args, { cwd: root, env: env() });

interface Finding {
  readonly ok: boolean | null;
  readonly what: string;
  readonly hint: string | null;
}
async function findingsOf(agent: string): Promise<{
  ok: boolean;
  code: number | null;
  installed: unknown[];
  tools: unknown[];
  findings: Finding[];
}> {
  const { stdout, code } = await run("doctor", "--json");
  const result = JSON.parse(stdout) as {
    ok: boolean;
    agents: { agent: string; installed: unknown[]; tools: unknown[]; findings: Finding[] }[];
  };
  const found = result.agents.find((one) => one.agent === agent);
  const { installed = [], tools = [], findings = [] } = found ?? {};
  return { ok: result.ok, code, installed, tools, findings };
}

function program(name: string, source: string): void {
  writeFileSync(path.join(bin, name), `#!${process.execPath}\n${source}`);
  chmodSync(path.join(bin, name), 0o755);
}

/** A Codex that answers `hooks/list` with `hooks` of the asked folder's hooks.json, each with `trust`. */
function codexThatSays(trust: string, { untrustedFolder = false, warning = "" } = {}): void {
  program(
    "codex",
    `
const { readFileSync } = require("node:fs");
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    say({ id, result: { userAgent: "handoff/0.171.0", codexHome: "/home/dev/.codex", platformFamily: "unix", platformOs: "linux" } });
    if (${untrustedFolder}) say({ method: "configWarning", params: { summary: "Project-local config, hooks, and exec policies are disabled in the following folders until the project is trusted, but skills still load.", details: null } });
  }
  if (method === "hooks/list") {
    const [cwd] = params.cwds;
    const sourcePath = cwd + "/.codex/hooks.json";
    const events = ${untrustedFolder || warning !== ""} ? {} : JSON.parse(readFileSync(sourcePath, "utf8")).hooks;
    const hooks = Object.values(events).map((groups, i) => ({ key: sourcePath + ":" + i, eventName: "stop", handlerType: "command", command: groups[0].hooks[0].command, async: false, timeoutSec: 3, sourcePath, source: "project", displayOrder: i, enabled: true, isManaged: false, currentHash: "sha256:0", trustStatus: ${JSON.stringify(trust)} }));
    say({ id, result: { data: [{ cwd, hooks, warnings: ${JSON.stringify(warning === "" ? [] : [warning])}, errors: [] }] } });
  }
});`,
  );
}

beforeEach(() => {
  root = folder();
  home = folder();
  bin = folder();
  const [gitProgram = ""] = (plainEnvironment()["PATH"] ?? "")
    .split(":")
    .map((one) => path.join(one, "git"))
    .filter((one) => existsSync(one));
  symlinkSync(gitProgram, path.join(bin, "git"));
  git(root, "init", "--quiet", "--initial-branch=main");
  put(root, "agent_state.json", { session_id: "s-1", next_action: "go on" });
  git(root, "commit", "--quiet", "--allow-empty", "--message", "Start");
});

test("A1 without hooks there is nothing to complain of, and the schema's place is told", async () => {
  const { stdout, code } = await run("doctor", "--json");
  const result = JSON.parse(stdout) as { ok: boolean; schema: string; agents: unknown[] };
  expect([code, result.ok]).toEqual([0, true]);
  expect(JSON.parse(readFileSync(result.schema, "utf8"))).toMatchObject({ type: "object" });
  expect(result.agents.length).toBeGreaterThanOrEqual(2);
  for (const agent of result.agents)
    expect(agent).toMatchObject({ in_use: false, installed: [], findings: [] });
});

test("A1 what is not there has its row and no complaint besides, so that what is wrong stands out", async () => {
  await run("init", "--agent", "opencode");
  const { stdout, stderr } = await run("doctor");
  expect(stdout).toMatch(/^board +missing \(/mu);
  expect(stdout).toMatch(/^OpenCode +1 hook of the project in /mu);
  expect(stderr).not.toContain("artifact.missing");
});

test("A1 hooks that are there and run are green, for people and as JSON", async () => {
  program("claude", 'console.log("2.1.332 (Claude Code)");');
  await run("init");
  const found = await findingsOf("claude-code");
  expect([found.code, found.ok]).toEqual([0, true]);
  expect(found.installed).toMatchObject([
    { scope: "project", path: path.join(root, ".claude/settings.json"), hooks: CLAUDE, missing: [] },
  ]);
  expect(found.findings.map(({ ok, what }) => [ok, what])).toEqual([
    [true, expect.stringMatching(/^the hooks call handoff \d/u)],
    [null, expect.stringMatching(/^the tools of \.mcp\.json are not approved yet/u)],
    [true, "claude 2.1.332"],
  ]);
  const text = await run("doctor");
  expect([text.code, text.stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `^Claude Code +${CLAUDE} hooks of the project in \\.claude/settings\\.json\nClaude Code +tools of the project in \\.mcp\\.json$`,
        "mu",
      ),
    ),
  ]);
});

test("A2 a program that has moved away is found out", async () => {
  const kept = path.join(folder(), "handoff-packet");
  symlinkSync(cli().main, path.join(bin, "handoff"));
  await run("init", "--agent", "claude-code");
  renameSync(path.join(bin, "handoff"), kept);
  const byName = await findingsOf("claude-code");
  expect([byName.code, byName.ok]).toEqual([1, false]);
  expect(byName.findings[0]).toMatchObject({
    ok: false,
    what: expect.stringContaining("handoff is not on PATH"),
  });
  const file = path.join(root, ".claude/settings.json");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replaceAll("handoff hook", "/nowhere/node '/no where/dist/cli/main.js' hook"),
  );
  const byPath = await findingsOf("claude-code");
  expect(byPath.findings[0]).toMatchObject({
    ok: false,
    what: expect.stringMatching(/\/nowhere\/node.*it is not there/u),
  });
});

test("A1 hooks that are incomplete, outdated or in a file that the agent ignores", async () => {
  await run("init", "--agent", "claude-code");
  const file = path.join(root, ".claude/settings.json");
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.replace('"timeout": 60', '"timeout": 5'));
  expect((await findingsOf("claude-code")).findings[0]).toMatchObject({
    ok: null,
    hint: "run handoff init again",
  });
  const { hooks } = JSON.parse(whole) as { hooks: Record<string, unknown> };
  delete hooks["Stop"];
  writeFileSync(file, JSON.stringify({ hooks }));
  const incomplete = await findingsOf("claude-code");
  expect([incomplete.code, incomplete.installed]).toEqual([
    1,
    [expect.objectContaining({ missing: ["Stop"] })],
  ]);
  writeFileSync(file, `${whole}// mine\n`);
  const ignored = await findingsOf("claude-code");
  expect(ignored.findings[0]).toMatchObject({
    ok: false,
    what: expect.stringMatching(/comment.*Claude Code itself loads nothing/u),
  });
  writeFileSync(file, whole.replace("{", '{ "disableAllHooks": true,'));
  expect((await findingsOf("claude-code")).findings).toContainEqual(
    expect.objectContaining({ ok: false, what: expect.stringContaining("disableAllHooks") }),
  );
});

test("A3 a Claude Code that is too old to know all hooks is told", async () => {
  await run("init", "--agent", "claude-code");
  program("claude", 'console.log("1.0.41 (Claude Code)");');
  expect((await findingsOf("claude-code")).findings).toContainEqual({
    ok: false,
    what: "claude 1.0.41 is older than 2.1",
    hint: expect.stringContaining("update"),
  });
});

test.each([
  ["trusted", {}, true, new RegExp(`^all ${CODEX} hooks of the project are trusted$`, "u")],
  ["untrusted", {}, false, new RegExp(`${CODEX} not trusted: Codex skips those in silence`, "u")],
  ["modified", {}, false, new RegExp(`${CODEX} changed since they were trusted`, "u")],
  ["trusted", { untrustedFolder: true }, false, /this folder is not trusted/u],
  ["trusted", { warning: "failed to parse hooks config" }, false, /does not see the hooks/u],
])("A4 Codex is asked whether a person has trusted the hooks: %s %j", async (trust, more, ok, words) => {
  codexThatSays(trust, more);
  await run("init", "--agent", "codex");
  const found = await findingsOf("codex");
  expect(found.findings.at(-1)).toMatchObject({ ok, what: expect.stringMatching(words) });
  expect([found.ok, found.code]).toEqual([ok, ok ? 0 : 1]);
  expect(found.findings.at(-1)?.hint === null).toBe(ok);
});

test.each([
  ["is not there", null, /not on PATH/u],
  ["ends at once", "process.exit(3);", /ended without an answer/u],
  [
    "talks nonsense",
    'console.log("hello"); process.stdin.resume();process.stdin.on("end", () => process.exit(0)); setTimeout(() => process.exit(0), 200);',
    /ended without an answer/u,
  ],
  [
    "refuses",
    'require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => { const { id } = JSON.parse(line); if (id) console.log(JSON.stringify(id === 1 ? { id, result: {} } : { id, error: { code: -32601, message: "unknown method" } })); });',
    /unknown method/u,
  ],
])("A4 a Codex that %s is no error: doctor says what it could not ask", async (_, source, words) => {
  if (source !== null) program("codex", source);
  await run("init", "--agent", "codex");
  const found = await findingsOf("codex");
  expect(found.findings.at(-1)).toMatchObject({
    ok: null,
    what: expect.stringMatching(words),
    hint: expect.stringContaining("/hooks"),
  });
  expect(found.code).toBe(0);
});

test("A5 the plugin beside hooks of init is told: everything would be recorded twice", async () => {
  program("claude", 'console.log("2.1.332 (Claude Code)");');
  put(home, ".claude/settings.json", { enabledPlugins: { "handoff@handoff": true } });
  await run("init", "--agent", "claude-code");
  codexThatSays("trusted");
  put(home, ".codex/config.toml", '[plugins."handoff@handoff"]\nenabled = true\n');
  await run("init", "--agent", "codex");
  for (const agent of ["claude-code", "codex"])
    expect((await findingsOf(agent)).findings).toContainEqual(
      expect.objectContaining({ ok: null, what: expect.stringContaining("plugin") }),
    );
});

test("A1 hooks in the person's own settings are found, too", async () => {
  mkdirSync(path.join(home, ".claude"));
  await run("init", "--scope", "user", "--agent", "claude-code");
  expect((await findingsOf("claude-code")).installed).toMatchObject([
    { scope: "user", path: path.join(home, ".claude/settings.json") },
  ]);
});

test("A1 tools: where they are, whether the program is there, and what a person said when Claude Code asked", async () => {
  program("claude", 'console.log("2.1.332 (Claude Code)");');
  await run("init", "--agent", "claude-code", "--no-mcp");
  expect((await findingsOf("claude-code")).tools).toEqual([]);
  await run("init", "--agent", "claude-code");
  const about = async (): Promise<readonly (readonly [boolean | null, string])[]> => {
    const { findings } = await findingsOf("claude-code");
    return findings.filter(({ what }) => what.includes("tools")).map(({ ok, what }) => [ok, what]);
  };
  expect((await findingsOf("claude-code")).tools).toEqual([
    {
      scope: "project",
      path: path.join(root, ".mcp.json"),
      name: "handoff",
      program: [process.execPath, cli().main],
    },
  ]);
  expect(await about()).toEqual([[null, expect.stringMatching(/not approved yet/u)]]);
  put(root, ".claude/settings.local.json", { enabledMcpjsonServers: ["handoff"] });
  expect(await about()).toEqual([[true, "the tools of .mcp.json are approved"]]);
  put(root, ".claude/settings.local.json", { disabledMcpjsonServers: ["handoff"] });
  expect(await about()).toEqual([[null, expect.stringMatching(/were refused.*settings\.local\.json/u)]]);
  const moved = readFileSync(path.join(root, ".mcp.json"), "utf8").replace(
    cli().main,
    "/gone/dist/cli/main.js",
  );
  writeFileSync(path.join(root, ".mcp.json"), moved);
  expect(await about()).toContainEqual([false, expect.stringMatching(/^the tools call .*\/gone\/dist/u)]);
  writeFileSync(path.join(root, ".mcp.json"), "{ half");
  expect((await findingsOf("claude-code")).findings).toContainEqual(
    expect.objectContaining({ ok: false, what: expect.stringContaining(".mcp.json: it is no valid JSON") }),
  );
});
