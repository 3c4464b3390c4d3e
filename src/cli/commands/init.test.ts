// A1, A2, A17 and S12 with the built command line: real folders, real git, real child processes.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../../agents/settings-registry.js";
import { plainEnvironment, type CliRun } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { expectUsageError, useCli } from "../testing/use-cli.js";

const { cli, folder, start } = useCli();

/** How many hooks an agent gets. */
function hooksOf(name: string): number {
  const form = AGENT_SETTINGS.find((agent) => agent.name === name)?.form;
  return form?.kind === "hooks" ? form.hooks.length : 0;
}
const [CLAUDE, CODEX] = [hooksOf("claude-code"), hooksOf("codex")];

let root = "";
let home = "";
/** Every file, its bytes and links, `.git/info` included and the rest of `.git` left out. */
function bytesIn(at: string): Record<string, string> {
  const names = readdirSync(at, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^\.git(?:$|\/(?!info(?:$|\/)))/u.test(name),
  );
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const facts = lstatSync(path.join(at, name));
      if (facts.isSymbolicLink()) return [name, "link"];
      return [name, facts.isDirectory() ? "folder" : readFileSync(path.join(at, name), "base64")];
    }),
  );
}
const text = (name: string): string => readFileSync(path.join(root, name), "utf8");
const init = (...args: string[]): Promise<CliRun> =>
  start(["init", ...args], { cwd: root, env: { HOME: home } });
const commandsIn = (name: string): string[] =>
  [...text(name).matchAll(/"command": ("(?:[^"\\]|\\.)*")/gu)].map(
    ([, one = ""]) => JSON.parse(one) as string,
  );

beforeEach(() => {
  root = folder();
  home = folder();
  git(root, "init", "--quiet", "--initial-branch=main");
});

describe("installing", () => {
  test("A1 shows a diff, installs for every agent, and a second time changes nothing", async () => {
    const first = await init("--agent", "all");
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("+++ .claude/settings.json\n+{\n");
    expect(first.stdout.indexOf("+++ .claude")).toBeLessThan(
      first.stdout.indexOf(`Claude Code    .claude/settings.json: created, ${CLAUDE} hooks`),
    );
    expect(first.stdout).toContain(`Codex          .codex/hooks.json: created, ${CODEX} hooks`);
    // The agents' own files, and no record: there is nothing to remember.
    const place = { root, home, env: {} };
    const places = AGENT_SETTINGS.flatMap(({ folder: folderOf, form, servers }) => [
      path.join(folderOf("project", place), form.file),
      ...(servers === undefined ? [] : [servers.file("project", place)]),
    ]);
    const made = Object.entries(bytesIn(root)).filter(
      ([name, what]) => what !== "folder" && !name.startsWith(".git/"),
    );
    expect(made.map(([name]) => path.join(root, name)).toSorted()).toEqual(places.toSorted());
    const before = bytesIn(root);
    const again = await init("--agent", "all");
    expect(again.stdout).toContain(`Claude Code    .claude/settings.json: as it should be, ${CLAUDE} hooks`);
    expect(again.stdout).not.toContain("+++");
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 --dry-run writes nothing, a new folder included", async () => {
    const before = bytesIn(root);
    const run = await init("--agent", "all", "--dry-run", "--ignore", "--pr-template");
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("would be created");
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 without --agent those in use: by a folder of the project, of the home, or a program on PATH", async () => {
    // The machine may have the real agents: only git is on PATH.
    const [gitProgram = ""] = (plainEnvironment()["PATH"] ?? "")
      .split(":")
      .map((one) => path.join(one, "git"))
      .filter((one) => existsSync(one));
    const bin = folder();
    symlinkSync(gitProgram, path.join(bin, "git"));
    const bare = (...args: string[]): Promise<CliRun> =>
      start(["init", ...args], { cwd: root, env: { HOME: home, PATH: bin } });
    const none = await bare();
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/^handoff: init\.no_agent: .*\n {2}name one: handoff init --agent NAME/u);
    mkdirSync(path.join(root, ".claude"));
    expect((await bare("--dry-run")).stdout).toMatch(/Claude Code(?!.*Codex)/su);
    mkdirSync(path.join(home, ".codex"));
    expect((await bare("--dry-run")).stdout).toMatch(/Claude Code.*Codex/su);
    rmSync(path.join(home, ".codex"), { recursive: true });
    writeFileSync(path.join(bin, "codex"), "#!/bin/sh\n", { mode: 0o755 });
    expect((await bare("--dry-run")).stdout).toMatch(/Claude Code.*Codex/su);
  });

  test("A1 the user's settings, where each agent looks for them", async () => {
    const elsewhere = folder();
    const env = {
      HOME: home,
      CODEX_HOME: path.join(elsewhere, "codex/home"),
      CLAUDE_CONFIG_DIR: path.join(elsewhere, "claude"),
    };
    const before = [bytesIn(root), bytesIn(elsewhere), bytesIn(home)];
    const args = ["init", "--agent", "all", "--scope", "user"];
    expect((await start(args, { cwd: root, env })).code).toBe(0);
    expect(existsSync(path.join(elsewhere, "codex/home/hooks.json"))).toBe(true);
    expect(existsSync(path.join(elsewhere, "claude/settings.json"))).toBe(true);
    // Two folders were made for one file: that is remembered where programs keep their state.
    expect(existsSync(path.join(home, ".local/state/handoff/install.json"))).toBe(true);
    expect((await start([...args, "--uninstall"], { cwd: root, env })).code).toBe(0);
    expect([bytesIn(root), bytesIn(elsewhere), bytesIn(home)]).toEqual(before);
    expect((await init("--agent", "codex", "--scope", "user")).code).toBe(0);
    expect(existsSync(path.join(home, ".codex/hooks.json"))).toBe(true);
  });

  test("A2 by absolute paths, or by name when the handoff on PATH is this one; the commands run", async () => {
    await init("--agent", "claude-code");
    expect(commandsIn(".claude/settings.json")[0]).toBe(
      `${process.execPath} ${cli().main} hook claude-code SessionStart; exit 0`,
    );
    const bin = folder();
    symlinkSync(cli().main, path.join(bin, "handoff"));
    const PATH = `${bin}:${plainEnvironment()["PATH"]}`;
    const run = await start(["init", "--agent", "claude-code"], { cwd: root, env: { HOME: home, PATH } });
    expect(run.stdout).toContain(`${CLAUDE} hooks`);
    const commands = commandsIn(".claude/settings.json");
    expect(commands[0]).toBe("handoff hook claude-code SessionStart; exit 0");
    for (const command of commands) {
      const ran = spawnSync("sh", ["-c", command], {
        cwd: root,
        input: "not a payload",
        env: { ...plainEnvironment(), HOME: home, PATH },
        encoding: "utf8",
      });
      expect([command, ran.status, ran.stdout]).toEqual([command, 0, ""]);
    }
  });

  test("A1 --json tells every file, what is done with it, and the diff", async () => {
    const run = await init("--agent", "claude-code", "--json");
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const result = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      ok: true,
      error: null,
      scope: "project",
      dry_run: false,
      uninstall: false,
    });
    const { diff, ...file } = (result["files"] as Record<string, unknown>[])[0] ?? {};
    expect(file).toEqual({
      what: "claude-code",
      path: path.join(root, ".claude/settings.json"),
      action: "created",
      hooks: CLAUDE,
      servers: 0,
    });
    expect((diff as string[])[0]).toBe("+{");
    expect(existsSync(String(result["schema"]))).toBe(true);
  });
});

describe("uninstalling", () => {
  const SETTINGS =
    '\ufeff{\r\n\t"permissions": {"allow": ["Bash(ls:*)"]},\r\n\t"hooks": { "Stop": [ ] }\r\n}';

  test("A1 the bytes of before, and no folder or record left", async () => {
    put(root, ".claude/settings.json", SETTINGS);
    put(root, ".codex/hooks.json", "{}");
    mkdirSync(path.join(root, ".github"));
    const before = bytesIn(root);
    expect((await init("--agent", "all", "--ignore", "--pr-template")).code).toBe(0);
    expect(bytesIn(root)).not.toEqual(before);
    const run = await init("--uninstall");
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain(`Claude Code    .claude/settings.json: changed, ${CLAUDE} hooks taken out`);
    expect(bytesIn(root)).toEqual(before);
    expect((await init("--uninstall")).code).toBe(0);
    expect(bytesIn(root)).toEqual(before);
  });

  test.each([[[".opencode"]], [[".opencode/plugin"]], [[".claude", ".codex", ".gemini"]], [[".handoff"]]])(
    "A1 folders that were there and empty are there again: %j",
    async (folders) => {
      for (const one of folders) mkdirSync(path.join(root, one), { recursive: true });
      const before = bytesIn(root);
      await init("--agent", "all");
      await init("--uninstall");
      expect(bytesIn(root)).toEqual(before);
    },
  );

  test("A1 without the record what structure tells still comes out, and theirs stays", async () => {
    put(root, ".claude/settings.json", '{\n  "model": "opus"\n}\n');
    await init("--agent", "all", "--ignore");
    rmSync(path.join(root, ".handoff"), { recursive: true, force: true });
    await init("--uninstall");
    expect(text(".claude/settings.json")).toBe('{\n  "model": "opus"\n}\n');
    expect(existsSync(path.join(root, ".codex"))).toBe(false);
  });

  test("A1 one agent alone leaves the others and what is about the project", async () => {
    await init("--agent", "all", "--ignore", "--pr-template");
    await init("--agent", "codex", "--uninstall");
    expect(existsSync(path.join(root, ".codex"))).toBe(false);
    expect(commandsIn(".claude/settings.json").length).toBe(11);
    expect(text(".git/info/exclude")).toContain("/outputs/handoff/");
    expect(text(".github/PULL_REQUEST_TEMPLATE.md")).toContain("handoff:begin");
  });

  test("A1 settings that are no JSON and hold nothing of ours do not stand in the way", async () => {
    await init("--agent", "claude-code");
    put(root, ".codex/hooks.json", "{ half");
    expect((await init("--uninstall")).code).toBe(0);
    expect(Object.keys(bytesIn(root)).filter((name) => !name.startsWith(".git/"))).toEqual([
      ".codex",
      ".codex/hooks.json",
    ]);
  });
});

describe("files that cannot be changed", () => {
  test("A1 invalid JSON is exit 2 with file and line, and no other file is touched", async () => {
    put(root, ".codex/hooks.json", '{\n  "hooks": {,}\n}\n');
    const before = bytesIn(root);
    const run = await init("--agent", "all");
    expectUsageError(run, "settings.not_json", ".codex/hooks.json:2");
    expect(run.stderr).toContain("Codex itself loads nothing");
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 comments are named as such, with what Claude Code does with them", async () => {
    put(root, ".claude/settings.json", '{\n  // mine\n  "model": "opus",\n}\n');
    const run = await init("--agent", "claude-code", "--json");
    expect(run.code).toBe(2);
    expect((JSON.parse(run.stdout) as { error: unknown }).error).toMatchObject({
      code: "settings.not_json",
      line: 2,
      what: expect.stringMatching(/comment.*Claude Code itself loads nothing/u),
    });
  });

  test("A1 a link of a dotfiles manager is followed and kept", async () => {
    const dotfiles = folder();
    writeFileSync(path.join(dotfiles, "settings.json"), '{"model":"opus"}');
    mkdirSync(path.join(root, ".claude"));
    symlinkSync(path.join(dotfiles, "settings.json"), path.join(root, ".claude/settings.json"));
    expect((await init("--agent", "claude-code")).code).toBe(0);
    expect(lstatSync(path.join(root, ".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(dotfiles, "settings.json"), "utf8")).toContain("hook claude-code");
    await init("--uninstall");
    expect(lstatSync(path.join(root, ".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(dotfiles, "settings.json"), "utf8")).toBe('{"model":"opus"}');
  });

  test("P43 links of a repository that lead its record or its template elsewhere are not followed", async () => {
    const outside = folder();
    writeFileSync(path.join(outside, "keys"), "theirs");
    // Uninstalling needs to know that it was empty: there is something to remember.
    put(root, ".claude/settings.json", "{}");
    const links: readonly (readonly [string, string])[] = [
      [".handoff/install.json", "keys"],
      [".handoff/install.json", "new"],
      [".handoff", "."],
      [".github/PULL_REQUEST_TEMPLATE.md", "keys"],
      [".github", "."],
    ];
    for (const [name, to] of links) {
      const at = path.join(root, name);
      mkdirSync(path.dirname(at), { recursive: true });
      symlinkSync(path.join(outside, to), at);
      const { code, stderr } = await init("--agent", "all", "--pr-template");
      expect([name, to, code, stderr]).toEqual([
        name,
        to,
        2,
        expect.stringMatching(/: (?:settings\.unreadable|write\.outside): /u),
      ]);
      expect([text(".claude/settings.json"), readdirSync(outside)]).toEqual(["{}", ["keys"]]);
      expect(readFileSync(path.join(outside, "keys"), "utf8")).toBe("theirs");
      rmSync(path.join(root, name.split("/")[0] ?? ""), { recursive: true });
    }
    expect((await init("--agent", "all", "--pr-template")).code).toBe(0);
  });

  test.runIf(process.getuid?.() === 0)(
    "A1 a file or folder that may not be written is exit 2, and nothing changes",
    async () => {
      const uid = 65_534;
      const file = put(root, ".claude/settings.json", "{}");
      chmodSync(file, 0o444);
      chmodSync(root, 0o755);
      for (const one of [root, path.join(root, ".claude"), home]) chownSync(one, uid, uid);
      const before = bytesIn(root);
      const run = await start(["init", "--agent", "all"], { cwd: root, env: { HOME: home }, uid });
      expectUsageError(run, "write.denied", ".claude/settings.json");
      expect(bytesIn(root)).toEqual(before);
      chmodSync(path.join(root, ".claude"), 0o555);
      chmodSync(file, 0o644);
      chownSync(file, uid, uid);
      expectUsageError(
        await start(["init", "--agent", "all"], { cwd: root, env: { HOME: home }, uid }),
        "write.denied",
        ".claude",
      );
      expect(bytesIn(root)).toEqual(before);
    },
  );
});

describe("several at once", () => {
  const atOnce = (...calls: readonly (readonly string[])[]): Promise<readonly CliRun[]> =>
    Promise.all(calls.map((args) => init(...args)));
  const ended = (runs: readonly CliRun[]) => runs.map(({ code, stderr }) => [code, stderr]);

  test("A1 eight inits at once are as one, and so are their removals", async () => {
    // What has to be remembered: an empty file, an empty folder.
    put(root, ".claude/settings.json", "{}");
    mkdirSync(path.join(root, ".codex"));
    const before = bytesIn(root);
    const eight = Array.from({ length: 8 }, () => ["--agent", "all", "--ignore"]);
    expect(ended(await atOnce(...eight))).toEqual(eight.map(() => [0, ""]));
    const installed = bytesIn(root);
    await init("--agent", "all", "--ignore");
    expect(bytesIn(root)).toEqual(installed);
    const removals = Array.from({ length: 4 }, () => ["--uninstall"]);
    expect(ended(await atOnce(...removals))).toEqual(removals.map(() => [0, ""]));
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 inits of several agents at once remember what each one has to", async () => {
    put(root, ".claude/settings.json", "{}");
    put(root, ".codex/hooks.json", "{ }");
    put(root, ".gemini/settings.json", "{\n}");
    const before = bytesIn(root);
    const calls = ["claude-code", "codex", "gemini", "opencode"].map((name) => ["--agent", name]);
    expect(ended(await atOnce(...calls, ["--agent", "claude-code", "--scope", "user"]))).toEqual(
      [...calls, []].map(() => [0, ""]),
    );
    expect((await init("--uninstall")).code).toBe(0);
    expect(bytesIn(root)).toEqual(before);
  });
});

describe("tools", () => {
  test("A1 they come with the hooks, by the same program, and the diff shows them", async () => {
    const run = await init("--agent", "all");
    expect(run.stdout).toContain('+++ .mcp.json\n+{\n+  "mcpServers": {\n+    "handoff": {\n');
    expect(run.stdout).toContain("Claude Code    .mcp.json: created, tools");
    expect(run.stdout).toContain("Codex          .codex/config.toml: created, tools");
    expect(run.stdout).toMatch(/^note: Claude Code: .*asks once.*\.mcp\.json/mu);
    expect(JSON.parse(text(".mcp.json"))).toEqual({
      mcpServers: { handoff: { command: process.execPath, args: [cli().main, "mcp"] } },
    });
    expect(text(".codex/config.toml")).toMatch(
      /^\[mcp_servers\.handoff\]\ncommand = ".*"\nargs = \[".*", "mcp"\]\nenv_vars = \["TMUX", "TMUX_PANE", .*\]\n$/u,
    );
    // Whether it may be used is a person's to say: nothing of ours says it for them.
    expect(text(".claude/settings.json")).not.toContain("Mcp");
    expect(existsSync(path.join(root, ".claude/settings.local.json"))).toBe(false);
  });

  test("A1 --no-mcp leaves them out, and leaves alone what is there", async () => {
    await init("--agent", "all", "--no-mcp");
    expect([
      existsSync(path.join(root, ".mcp.json")),
      existsSync(path.join(root, ".codex/config.toml")),
    ]).toEqual([false, false]);
    await init("--agent", "all");
    await init("--agent", "all", "--no-mcp", "--uninstall");
    expect(existsSync(path.join(root, ".claude"))).toBe(false);
    expect(text(".mcp.json")).toContain("handoff");
    await init("--uninstall");
    expect(readdirSync(root)).toEqual([".git"]);
  });

  test("A1 among those of others, in files of every kind, and the bytes of before afterwards", async () => {
    put(root, ".mcp.json", '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "a" }\r\n\t}\r\n}');
    put(root, ".codex/config.toml", 'model = "x" # mine\r\n[mcp_servers.a]\r\ncommand = "a"');
    const before = bytesIn(root);
    expect((await init("--agent", "all")).code).toBe(0);
    const installed = bytesIn(root);
    expect((await init("--agent", "all")).code).toBe(0);
    expect(bytesIn(root)).toEqual(installed);
    const servers = (JSON.parse(text(".mcp.json").slice(1)) as { mcpServers: object }).mcpServers;
    expect(Object.keys(servers)).toEqual(["a", "handoff"]);
    expect((await init("--uninstall")).code).toBe(0);
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 the person's own files, a program's state among them, where each agent looks for them", async () => {
    const state = '{\n  "numStartups": 3,\n  "projects": {\n    "/w": {}\n  }\n}';
    writeFileSync(path.join(home, ".claude.json"), state, { mode: 0o600 });
    const before = bytesIn(home);
    const run = await init("--agent", "all", "--scope", "user");
    expect([run.code, run.stderr]).toEqual([0, ""]);
    const written = readFileSync(path.join(home, ".claude.json"), "utf8");
    expect(JSON.parse(written)).toMatchObject({
      numStartups: 3,
      mcpServers: { handoff: { args: [cli().main, "mcp"] } },
    });
    expect(lstatSync(path.join(home, ".claude.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(home, ".codex/config.toml"), "utf8")).toContain("[mcp_servers.handoff]");
    expect((await init("--scope", "user", "--uninstall")).code).toBe(0);
    expect(bytesIn(home)).toEqual(before);
  });

  test("A1 every file made in the person's own scope is theirs alone; one that is there, and a project's, is as others are", async () => {
    const modesIn = (at: string): Record<string, number> =>
      Object.fromEntries(
        readdirSync(at, { recursive: true, encoding: "utf8" })
          .filter((name) => !name.startsWith(".git/") && lstatSync(path.join(at, name)).isFile())
          .map((name) => [name, lstatSync(path.join(at, name)).mode & 0o777]),
      );
    mkdirSync(path.join(home, ".codex"));
    writeFileSync(path.join(home, ".codex/config.toml"), 'model = "x"\n', { mode: 0o640 });
    // Something to remember, so that there is a record too.
    writeFileSync(path.join(home, ".codex/hooks.json"), "{}", { mode: 0o644 });
    await init("--agent", "all", "--scope", "user");
    const { ".codex/config.toml": config, ".codex/hooks.json": hooks, ...made } = modesIn(home);
    expect([config, hooks]).toEqual([0o640, 0o644]);
    expect(Object.keys(made)).toEqual(
      expect.arrayContaining([".claude.json", ".claude/settings.json", ".local/state/handoff/install.json"]),
    );
    expect(new Set(Object.values(made))).toEqual(new Set([0o600]));
    writeFileSync(path.join(root, "like-any"), "");
    await init("--agent", "all");
    const { "like-any": usual, ...shared } = modesIn(root);
    expect(new Set(Object.values(shared))).toEqual(new Set([usual]));
  });

  test("A1 tools that come later than the hooks: a folder that was there and empty is there again", async () => {
    mkdirSync(path.join(root, ".codex"));
    const before = bytesIn(root);
    await init("--agent", "all", "--no-mcp");
    await init("--agent", "all");
    expect(text(".codex/config.toml")).toContain("handoff");
    await init("--uninstall");
    expect(bytesIn(root)).toEqual(before);
  });

  test("A1 a link of a dotfiles manager is followed and kept", async () => {
    const dotfiles = folder();
    writeFileSync(path.join(dotfiles, "config.toml"), 'model = "x"\n');
    mkdirSync(path.join(root, ".codex"));
    symlinkSync(path.join(dotfiles, "config.toml"), path.join(root, ".codex/config.toml"));
    await init("--agent", "codex");
    expect(readFileSync(path.join(dotfiles, "config.toml"), "utf8")).toContain("[mcp_servers.handoff]");
    await init("--uninstall");
    expect(lstatSync(path.join(root, ".codex/config.toml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(dotfiles, "config.toml"), "utf8")).toBe('model = "x"\n');
  });

  test.each([
    [".codex/config.toml", "x = = 1\n", "settings.not_toml", ".codex/config.toml:1", "does not start"],
    [
      ".codex/config.toml",
      '\n[mcp_servers.handoff]\nurl = "https://example.org"\n',
      "settings.foreign_server",
      ".codex/config.toml:2",
      "--no-mcp",
    ],
    [".mcp.json", '{\n  "mcpServers": {},\n}\n', "settings.not_json", ".mcp.json:2", "starts no server"],
    [
      ".mcp.json",
      '{\n  "mcpServers": {\n    "handoff": { "command": "other" }\n  }\n}\n',
      "settings.foreign_server",
      ".mcp.json:3",
      "--no-mcp",
    ],
  ])(
    "A1 %s that cannot be changed is exit 2 with file and line, and nothing else is touched (%#)",
    async (name, content, code, place, words) => {
      put(root, name, content);
      const before = bytesIn(root);
      const run = await init("--agent", "all");
      expectUsageError(run, code, place);
      expect(run.stderr).toContain(words);
      expect(bytesIn(root)).toEqual(before);
      expect((await init("--agent", "all", "--no-mcp")).code).toBe(0);
    },
  );
});

describe("packets and git", () => {
  const status = (): string => git(root, "status", "--porcelain", "--untracked-files=all", "--", "outputs");

  test("S12 --ignore keeps packets out by .git/info/exclude, no tracked file changes, --track takes it back", async () => {
    put(root, ".gitignore", "node_modules/\n");
    put(root, "outputs/handoff/s-1/handoff.json", "{}");
    put(root, "outputs/other.txt", "x");
    const exclude = text(".git/info/exclude");
    await init("--agent", "claude-code", "--ignore");
    expect(status()).toBe("?? outputs/other.txt\n");
    expect(text(".gitignore")).toBe("node_modules/\n");
    await init("--agent", "claude-code", "--track");
    expect(text(".git/info/exclude")).toBe(exclude);
    expect(status()).toContain("outputs/handoff/s-1/handoff.json");
  });

  test("S12 from a folder of the repository, in a linked worktree, with another place for packets", async () => {
    put(root, "a.txt", "x");
    git(root, "add", ".");
    git(root, "commit", "--quiet", "--message", "Start");
    const tree = path.join(folder(), "tree");
    git(root, "worktree", "add", "--quiet", tree);
    put(tree, "tools/handoff.config.json", { out: "packets [1]" });
    put(tree, "tools/packets [1]/s-1/handoff.json", "{}");
    const before = text(".git/info/exclude");
    const run = await start(["init", "--agent", "codex", "--ignore"], {
      cwd: path.join(tree, "tools"),
      env: { HOME: home },
    });
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(git(tree, "status", "--porcelain", "--untracked-files=all")).not.toContain("packets");
    const out = await start(["init", "--uninstall"], { cwd: path.join(tree, "tools"), env: { HOME: home } });
    expect(out.code).toBe(0);
    expect(text(".git/info/exclude")).toBe(before);
  });

  test("S12 neither flag: nothing is touched, and one line says so; decided things are not asked about", async () => {
    const exclude = text(".git/info/exclude");
    const run = await init("--agent", "claude-code");
    expect(run.stdout).toMatch(/^packets: .*--ignore.*--track/mu);
    expect(text(".git/info/exclude")).toBe(exclude);
    put(root, ".gitignore", "outputs/\n");
    expect((await init("--agent", "claude-code")).stdout).not.toMatch(/^packets:/mu);
    expect((await init("--agent", "claude-code", "--track")).stdout).toContain(
      "packets: still ignored by .gitignore:1",
    );
  });

  test("S12 on a terminal a person is asked once", () => {
    const command = `'${process.execPath}' '${cli().main}' init --agent claude-code`;
    const ask = (answer: string): string =>
      execFileSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
        cwd: root,
        input: answer,
        encoding: "utf8",
        env: { ...plainEnvironment(), HOME: home, TERM: "xterm" },
      });
    const shown = ask("n\n");
    expect(shown).toContain("Shall git track packets (outputs/handoff/)? [y/N]");
    // Colours on a terminal: added lines are green.
    expect(shown).toContain("\u001b[32m+{");
    expect(text(".git/info/exclude")).toContain("/outputs/handoff/");
    expect(ask("y\n")).not.toContain("Shall git track");
  });

  test("S12 without a repository --ignore is an error, and no hook is installed", async () => {
    rmSync(path.join(root, ".git"), { recursive: true });
    expectUsageError(
      await init("--agent", "claude-code", "--ignore"),
      "init.no_repository",
      "no git repository",
    );
    expect(existsSync(path.join(root, ".claude"))).toBe(false);
  });
});

describe("pull request template", () => {
  test("A17 the place is put in when asked, pr-body fills it, and --uninstall takes it out", async () => {
    const mine = "## What\r\n\r\n- [ ] tests";
    put(root, ".github/pull_request_template.md", mine);
    await init("--agent", "claude-code");
    expect(text(".github/pull_request_template.md")).toBe(mine);
    const run = await init("--agent", "claude-code", "--pr-template");
    expect(run.stdout).toContain("pull requests  .github/pull_request_template.md: changed");
    expect(text(".github/pull_request_template.md")).toMatch(
      /^## What\r\n\r\n- \[ \] tests\r\n\r\n<!-- handoff:begin -->\r\n.*\r\n<!-- handoff:end -->$/su,
    );
    await init("--uninstall");
    expect(text(".github/pull_request_template.md")).toBe(mine);
  });
});

describe("what cannot be meant", () => {
  test.each([
    [["--track", "--ignore"], "usage.arguments"],
    [["--uninstall", "--ignore"], "usage.arguments"],
    [["--scope", "user", "--ignore"], "usage.arguments"],
    [["--scope", "user", "--pr-template"], "usage.arguments"],
    [["--scope", "team"], "usage.value"],
    [["--agent", "emacs"], "usage.value"],
    [["--agent", "claude-code", "--agent", "codex"], "usage.arguments"],
  ])("A1 %j is exit 2", async (args, code) => {
    const run = await init(...args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`handoff: ${code}: `);
    expect(existsSync(path.join(root, ".claude"))).toBe(false);
  });
});

describe("artifacts that lie elsewhere", () => {
  test("A1 are told with the line that has them read, and that line works", async () => {
    put(root, "agent_state.json", { session_id: "s-1", active_task_id: "T-7", next_action: "go on" });
    put(root, "reports/verification_report_T-7.json", { task_id: "T-7", passed: true, findings: [] });
    put(root, "docs/notes.json", { a: 1 });
    const run = await init("--agent", "claude-code");
    const told = /^elsewhere +reports\/verification_report_T-7\.json .* (\{.*\}) has it read$/mu.exec(
      run.stdout,
    )?.[1];
    expect(JSON.parse(told ?? "null")).toEqual({
      artifacts: { verification: ["reports/verification_report_<task_id>.json"] },
    });
    put(root, "handoff.config.json", told ?? "");
    const packet = await start(["generate", "--stdout", "json"], { cwd: root, env: { HOME: home } });
    expect(packet.stdout).toContain("reports/verification_report_T-7.json");
    expect((await init("--agent", "claude-code")).stdout).not.toContain("elsewhere");
  });
});
