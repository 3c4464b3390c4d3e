// A1 and S12 at a terminal: what changes is shown before anything is asked, and whoever stops there has changed nothing.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../testing/built-cli.js";
import { git } from "../testing/sample-workbench.js";
import { useCli } from "../testing/use-cli.js";

const { cli, folder, start } = useCli();
const QUESTION = "Shall git track packets";

function project(): string {
  const root = folder();
  git(root, "init", "--quiet", "--initial-branch=main");
  return root;
}

/** Runs init on a terminal of its own (util-linux's script) and presses `keys` once the question is there. */
async function atTerminal(root: string, keys: string): Promise<{ screen: string; code: number | null }> {
  const words = [process.execPath, cli().main, "init", "--agent", "claude-code"];
  const command = words.map((word) => JSON.stringify(word)).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    cwd: root,
    env: plainEnvironment({ TERM: "xterm", NO_COLOR: "1", HOME: folder() }),
    stdio: ["pipe", "pipe", "ignore"],
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const hadAsked = screen.includes(QUESTION);
    screen += chunk.toString();
    if (!hadAsked && screen.includes(QUESTION)) child.stdin.write(keys);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  return { screen, code };
}

const excludes = (root: string): boolean =>
  readFileSync(path.join(root, ".git/info/exclude"), "utf8").includes("/outputs/handoff/");

describe("init at a terminal", () => {
  test.each([
    ["n\r", true],
    ["y\r", false],
  ])("A1 S12 shows the diff, then asks, then does what %j says", async (keys, isIgnored) => {
    const root = project();
    const { screen, code } = await atTerminal(root, keys);
    expect(code).toBe(0);
    const places = ["+++ .claude/settings.json", QUESTION, "Claude Code    .claude/settings.json: created"];
    const found = places.map((text) => screen.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    // What the answer adds is shown as well.
    expect(screen.includes("+/outputs/handoff/")).toBe(isIgnored);
    expect(excludes(root)).toBe(isIgnored);
    expect(existsSync(path.join(root, ".claude/settings.json"))).toBe(true);
  });

  test("A1 Ctrl-C at the question changes nothing", async () => {
    const root = project();
    const { code } = await atTerminal(root, "\u0003");
    expect(code).not.toBe(0);
    expect(readdirSync(root)).toEqual([".git"]);
    expect(excludes(root)).toBe(false);
  });
});

test("A1 of a long new file the diff shows the beginning and counts the rest; settings are shown in full", async () => {
  const root = project();
  const { stdout } = await start(["init", "--agent", "all", "--dry-run"], {
    cwd: root,
    env: { HOME: folder() },
  });
  const plugin = stdout.slice(stdout.indexOf("+++ .opencode/plugin/handoff.js"));
  const rows = plugin.slice(0, plugin.indexOf("\n\n")).split("\n");
  expect(rows).toHaveLength(14);
  expect(rows.at(-1)).toMatch(/^… and \d{3} more lines \(--json has them\)$/u);
  const settings = stdout.slice(
    stdout.indexOf("+++ .claude/settings.json"),
    stdout.indexOf("+++ .codex/hooks.json"),
  );
  expect(settings).toContain("claude-code SessionEnd");
  expect(settings).not.toContain("more lines");
  const { stdout: json } = await start(["init", "--agent", "opencode", "--dry-run", "--json"], {
    cwd: root,
    env: { HOME: folder() },
  });
  const [file] = (JSON.parse(json) as { files: { diff: string[] }[] }).files;
  expect(file?.diff.length).toBeGreaterThan(120);
});
