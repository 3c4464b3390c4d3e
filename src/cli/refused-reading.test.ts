// S5: what the system refuses to show is never taken for absent. The built command line, with few open files and as another user.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment, type CliRun } from "./testing/built-cli.js";
import { SESSION, tree, useCli } from "./testing/use-cli.js";

const { bench, cli, run, start } = useCli();
const isRoot = process.getuid?.() === 0;

/** Runs it with at most `limit` open files. */
function withFiles(root: string, limit: number, ...args: string[]): CliRun {
  const line = ["-c", `ulimit -n ${limit}; exec "$@"`, "--", process.execPath, cli().main, ...args];
  const { status, stdout, stderr } = spawnSync("bash", line, {
    cwd: root,
    env: plainEnvironment(),
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

describe("S5 P41 too few open files", () => {
  test("generate publishes all it should, or nothing with exit 2; never exit 70", async () => {
    const root = bench();
    await run(root, "generate");
    const whole = readFileSync(path.join(root, SESSION, "handoff.json"), "utf8");
    const ends = new Map<string, number>();
    // The program itself is many files, of which some are read side by side.
    for (let limit = 21; limit <= 81; limit += 4) {
      rmSync(path.join(root, "outputs/handoff"), { recursive: true, force: true });
      const { code, stderr } = withFiles(root, limit, "generate");
      const file = path.join(root, SESSION, "handoff.json");
      const told = /^handoff: ((?:system|write)\.too_many_files): .*\n {2}.*ulimit -n/mu.exec(stderr)?.[1];
      // Node itself does not come up: nothing of ours has run.
      const isNode =
        code !== 0 && !stderr.includes("handoff: ") && /EMFILE|too many open files/iu.test(stderr);
      const isWhole = code === 0 && readFileSync(file, "utf8") === whole;
      const isRefused = code === 2 && told !== undefined && !existsSync(file);
      const end = isNode ? "node" : isWhole ? "whole" : isRefused ? "refused" : `${limit}: ${code} ${stderr}`;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    expect([...ends.keys()].filter((end) => !["node", "whole", "refused"].includes(end))).toEqual([]);
    expect(ends.get("refused") ?? 0).toBeGreaterThan(2);
    expect(ends.get("whole") ?? 0).toBeGreaterThan(2);
  });

  test.each([["list"], ["brief"], ["check"], ["show"], ["log"]])(
    "%s tells the same, or exit 2",
    async (name) => {
      const root = bench();
      await run(root, "generate");
      const { stdout } = await run(root, name);
      const wrong: string[] = [];
      for (let limit = 20; limit <= 34; limit += 3) {
        const now = withFiles(root, limit, name);
        const isNode = now.code !== 0 && !now.stderr.includes("handoff: ") && /EMFILE/u.test(now.stderr);
        const isSame = now.code === 0 && now.stdout === stdout;
        const isRefused = now.code === 2 && /(?:system|write)\.too_many_files/u.test(now.stderr);
        if (!isNode && !isSame && !isRefused) wrong.push(`${limit}: ${now.code} ${now.stderr}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe("S5 a store that may not be read", () => {
  const nobody = isRoot ? { uid: 65_534 } : {};
  const commands = [
    ["list"],
    ["list", "--json"],
    ["brief"],
    ["check"],
    ["show"],
    ["log"],
    ["generate"],
    ["generate", "--dry-run"],
  ];

  test.each([
    ["the store's folder", "outputs/handoff", 0o700],
    ["the folder above it", "outputs", 0o700],
    ["the store's folder may be entered, not listed, and has no index", "outputs/handoff", 0o711],
  ])("%s: exit 2, and which", async (_, closed, mode) => {
    const root = bench();
    await run(root, "generate");
    chmodSync(root, 0o755);
    if (mode === 0o711) rmSync(path.join(root, "outputs/handoff/index.json"));
    chmodSync(path.join(root, closed), isRoot ? mode : mode & 0o077);
    const look = (): unknown => (isRoot ? tree(root) : null);
    const before = look();
    for (const args of commands) {
      const { code, stdout, stderr } = await start(args, {
        cwd: root,
        ...nobody,
        env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
      });
      const said = stdout + stderr;
      expect([args.join(" "), code]).toEqual([args.join(" "), 2]);
      expect(said).toMatch(/store\.index_unreadable|write\.denied/u);
      expect(said).toContain("outputs/handoff");
      expect(said).not.toContain("no packets");
    }
    expect(look()).toEqual(before);
    chmodSync(path.join(root, closed), 0o755);
  });

  test("there is none: still no packets, exit 0", async () => {
    const root = bench();
    const { code, stderr } = await run(root, "list");
    expect([code, stderr]).toEqual([0, "no packets; handoff generate writes one\n"]);
  });
});
