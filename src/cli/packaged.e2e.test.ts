// The package as a stranger gets it: packed, installed from the tarball into a fresh project, run through its bin and
// imported by name. Repositories of three kinds, one without a single artifact.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HandoffPacket } from "../model/packet.js";

const PROJECT = path.resolve(import.meta.dirname, "../..");
const scratch = mkdtempSync(path.join(tmpdir(), "handoff-e2e-"));
const home = path.join(scratch, "consumer");

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, NO_COLOR: "1", GIT_CONFIG_GLOBAL: "/dev/null", GITHUB_ACTIONS: "", CI: "" };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env,
    timeout: 240_000,
  });
  return { status, stdout, stderr };
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${stderr}${stdout}`);
  return stdout;
}

const bin = path.join(home, "node_modules/.bin/handoff");

let packedPaths: string[] = [];

beforeAll(() => {
  mkdirSync(home);
  const [packed] = JSON.parse(
    must("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], PROJECT),
  ) as [{ filename: string; files: { path: string }[] }];
  packedPaths = packed.files.map((file) => file.path);
  writeFileSync(path.join(home, "package.json"), '{"name":"consumer","type":"module","private":true}\n');
  const install = run(
    "npm",
    ["install", "--no-audit", "--no-fund", path.join(scratch, packed.filename)],
    home,
  );
  if (install.status !== 0)
    throw new Error(`npm could not install the package: this suite needs an npm registry\n${install.stderr}`);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function repository(name: string, files: Record<string, string>): string {
  const root = path.join(scratch, name);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  const git = (...args: string[]): string =>
    must("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], root);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  return root;
}

function packetIn(root: string, session: string): HandoffPacket {
  return JSON.parse(
    readFileSync(path.join(root, "outputs/handoff", session, "handoff.json"), "utf8"),
  ) as HandoffPacket;
}

describe("the packed package", () => {
  it("has what it needs, and no sources or fixtures", () => {
    const needed = [
      "dist/cli/main.js",
      "dist/lib/index.js",
      "dist/types/index.d.ts",
      "dist/cli/licences.txt",
      "templates/plugin/.mcp.json",
      "templates/handoff.md.hbs",
      "LICENSE",
    ];
    expect(needed.filter((file) => !packedPaths.includes(file))).toEqual([]);
    expect(packedPaths.filter((file) => /^(?:src|fixtures)\//u.test(file))).toEqual([]);
  });

  it("P40 works in a Python repository with a state and a failing log", () => {
    const root = repository("python", {
      "app.py": "print(1)\n",
      "test_app.py": "def test(): assert 1 == 2\n",
    });
    writeFileSync(
      path.join(root, "agent_state.json"),
      '{"active_task_id":"T-1","session_id":"s-1","next_action":"make test_app.py pass"}\n',
    );
    writeFileSync(
      path.join(root, "feedback_record.jsonl"),
      '{"command":["pytest","-q"],"exit_code":1,"stderr_tail":"E  assert 1 == 2\\n"}\n',
    );
    writeFileSync(path.join(root, "app.py"), "print(2)\n");
    must(bin, ["generate"], root);
    expect(packetIn(root, "s-1")).toMatchObject({
      task_id: "T-1",
      branch: "main",
      next_action: "make test_app.py pass",
      changed_files: [{ path: "app.py", change: "modified" }],
      failed_attempts: [{ what: "pytest -q", exit_code: 1, why: "E assert 1 == 2" }],
    });
    must(bin, ["check"], root);
  });

  it("P28 refuses in a Go repository without any artifact, and degrades when asked", () => {
    const root = repository("go", { "go.mod": "module x\n", "main.go": "package main\n" });
    const refused = run(bin, ["generate"], root);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining("handoff: next_action.unknown:"),
    ]);
    expect(existsSync(path.join(root, "outputs"))).toBe(false);
    must(bin, ["generate", "--allow-degraded"], root);
    expect(packetIn(root, "local-main").degraded?.reason).toBe("no_next_action");
  });

  it("P9 works in a large repository with names of every kind", () => {
    const files = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`src/mod ${i % 30}/ünï-${i}.ts`, `export const x = ${i};\n`]),
    );
    const root = repository("typescript", files);
    for (let i = 0; i < 300; i += 1)
      writeFileSync(path.join(root, `src/mod ${i % 30}/ünï-${i}.ts`), "changed\n");
    must(bin, ["generate", "--allow-degraded", "--session", "big"], root);
    const packet = packetIn(root, "big");
    expect(packet.changed_files.length + (packet.omitted["changed_files"] ?? 0)).toBe(300);
    expect(packet.changed_files[0]?.path).toBe("src/mod 0/ünï-0.ts");
  });

  it("L1 serves its tools without the protocol's library beside it", () => {
    expect(existsSync(path.join(home, "node_modules/@modelcontextprotocol"))).toBe(false);
    const root = repository("tools", { "a.txt": "a\n" });
    const call = { name: "handoff_note", arguments: { kind: "next", text: "make it pass" } };
    const hello = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "consumer", version: "1" },
    };
    const asked = [
      { id: 1, method: "initialize", params: hello },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: call },
    ].map((one) => JSON.stringify({ jsonrpc: "2.0", ...one }));
    const { status, stdout, stderr } = spawnSync(bin, ["mcp"], {
      cwd: root,
      input: `${asked.join("\n")}\n`,
      encoding: "utf8",
      timeout: 60_000,
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("noted next action: make it pass");
    expect(readFileSync(path.join(root, ".handoff/agent_state.json"), "utf8")).toContain("make it pass");
  });

  it("P13 is a library with types", () => {
    const root = path.join(scratch, "python");
    writeFileSync(
      path.join(home, "use.mjs"),
      'import { generateHandoff, loadSnapshot } from "handoff-packet";\n' +
        "const { packet } = generateHandoff(await loadSnapshot(process.argv[2]), { last: 1 });\nconsole.log(packet.next_action);\n",
    );
    expect(must(process.execPath, ["use.mjs", root], home).trim()).toBe("make test_app.py pass");
    writeFileSync(
      path.join(home, "use.ts"),
      'import { generateHandoff, loadSnapshot, type HandoffPacket } from "handoff-packet";\n' +
        'export const packet: HandoffPacket = generateHandoff(await loadSnapshot(".")).packet;\n' +
        "// @ts-expect-error a packet's next action is a string\nexport const wrong: number = packet.next_action;\n",
    );
    const tsc = path.join(PROJECT, "node_modules/typescript/bin/tsc");
    must(
      process.execPath,
      [tsc, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "use.ts"],
      home,
    );
  });
});
