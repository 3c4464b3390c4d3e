// P41: what --json prints has one shape, for every command that has it, done or failed, with nothing else on stdout.
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { handoffPacketSchema } from "../../model/packet.js";
import { COMMANDS } from "../command-table.js";
import { renderEditFile } from "../edit/render-edit-file.js";
import { runHere } from "../testing/run-here.js";
import { put, sampleWorkbench } from "../testing/sample-workbench.js";

const FILE = "outputs/handoff/s-2041/handoff.json";
const WITH_JSON = COMMANDS.filter(({ name, options }) => "json" in options && name !== "show").map(
  ({ name }) => name,
);

/** They need a run or a session that is at work: their own tests look at what they answer. */
const AT_WORK: ReadonlySet<string> = new Set(["now", "rollover"]);
const HONEST = path.join(import.meta.dirname, "../../../fixtures/executors/honest.mjs");
const hasRoot = (name: string): boolean =>
  COMMANDS.some((command) => command.name === name && "root" in command.options);

let root = "";
beforeEach(() => {
  root = sampleWorkbench();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const generate = (): Promise<unknown> => runHere(["generate"], { cwd: root });

async function answer(...args: string[]): Promise<{ code: number | null; result: Record<string, unknown> }> {
  const { code, stdout } = await runHere([...args, "--json"], { cwd: root });
  const result: Record<string, unknown> = JSON.parse(stdout);
  return { code, result };
}
/** What every answer has, and in which order; between them a command's own keys. */
function expectShape(result: Record<string, unknown>, own: readonly string[] = []): void {
  expect(Object.keys(result)).toEqual(["ok", "packet", "path", ...own, "error", "diagnostics"]);
  expect(Array.isArray(result["diagnostics"])).toBe(true);
}

describe("P41 done", () => {
  beforeEach(generate);
  const OWN: Readonly<
    Record<string, readonly [aboutPacket: boolean, args: readonly string[], own: readonly string[]]>
  > = {
    generate: [true, [], ["changed", "dry_run", "check", "transcript"]],
    list: [false, [], ["packets"]],
    log: [false, [], ["packets"]],
    diff: [false, ["s-2041", "s-2041"], ["a", "b", "fields"]],
    check: [true, [], ["verdict"]],
    brief: [true, [], ["verdict", "consumed_by", "brief"]],
    edit: [true, ["--from", "edit.yaml"], ["changed"]],
    archive: [false, ["--keep", "5"], ["dry_run", "packets"]],
    "pr-body": [true, ["--into", "body.md"], ["body", "into", "changed"]],
    note: [false, ["next", "ask the owner"], ["file", "session_id", "field", "text", "changed"]],
    run: [
      false,
      ["--agent", "command", "--agent-bin", "/bin/true", "--dry-run"],
      [
        "dry_run",
        "run_id",
        "status",
        "rule",
        "exit",
        "ledger",
        "session_id",
        "retired",
        "generations",
        "plan",
        "worktree",
        "warnings",
      ],
    ],
    init: [
      false,
      ["--agent", "claude-code"],
      ["scope", "dry_run", "uninstall", "files", "schema", "elsewhere", "notes"],
    ],
    doctor: [
      true,
      [],
      [
        "versions",
        "root",
        "schema",
        "config",
        "session",
        "task",
        "topic",
        "git",
        "artifacts",
        "feedback",
        "packet_file",
        "window",
        "left",
        "agents",
      ],
    ],
    conformance: [
      false,
      ["--executor", `'${process.execPath}' '${HONEST}'`, "--scenario", "errors-reset"],
      ["executor", "capabilities", "results"],
    ],
  };
  test("every command that has --json is in the table", () => {
    expect(Object.keys(OWN)).toEqual(WITH_JSON.filter((name) => !AT_WORK.has(name)));
  });

  test.each(Object.entries(OWN))("%s", async (name, [aboutPacket, args, own]) => {
    if (name === "edit") {
      const packet = handoffPacketSchema.parse(JSON.parse(readFileSync(path.join(root, FILE), "utf8")));
      put(root, "edit.yaml", renderEditFile({ ...packet, next_action: "ask the owner" }));
    }
    const { code, result } = await answer(name, ...args);
    expect(code).toBe(0);
    expectShape(result, own);
    expect(result).toMatchObject({ ok: true, error: null });
    const file = path.join(root, FILE);
    expect(result["path"]).toBe(aboutPacket ? file : null);
    expect(result["packet"]).toEqual(aboutPacket ? JSON.parse(readFileSync(file, "utf8")) : null);
  });

  test("brief --json holds the very brief, what changed since, and who took it", async () => {
    put(root, "app/late.py", "x\n");
    const { result } = await answer("brief");
    expect(result["brief"]).toBe((await runHere(["brief"], { cwd: root })).stdout);
    expect(result).toMatchObject({ verdict: "drifted", consumed_by: [] });
    expect(result["diagnostics"]).toContainEqual(expect.objectContaining({ code: "drift.tree" }));
  });

  test("pr-body --json holds the very body", async () => {
    const { result } = await answer("pr-body");
    expect(`${String(result["body"])}\n`).toBe((await runHere(["pr-body"], { cwd: root })).stdout);
    expect(result).toMatchObject({ into: null, changed: false });
  });

  test("doctor without a packet, and when it repairs", async () => {
    rmSync(path.join(root, "outputs/handoff"), { recursive: true });
    const { result } = await answer("doctor");
    expect(result).toMatchObject({ ok: true, packet: null, path: null, packet_file: { status: "missing" } });
    expectShape((await answer("doctor", "--repair")).result, ["actions"]);
  });

  test("S10 show --json is the bare packet", async () => {
    expect((await runHere(["show", "--json"], { cwd: root })).stdout).toBe(
      readFileSync(path.join(root, FILE), "utf8"),
    );
  });
});

describe("P41 a finding, a refusal", () => {
  beforeEach(generate);
  test("check of a packet that drifted", async () => {
    put(root, "app/late.py", "x\n");
    const { code, result } = await answer("check");
    expect(code).toBe(1);
    expectShape(result, ["verdict"]);
    expect(result).toMatchObject({
      ok: false,
      error: null,
      verdict: "drifted",
      packet: { session_id: "s-2041" },
    });
  });

  test("check of a packet that does not validate", async () => {
    put(root, FILE, { not: "a packet" });
    const { code, result } = await answer("check");
    expect(code).toBe(1);
    expectShape(result, ["verdict"]);
    expect(result).toMatchObject({
      ok: false,
      verdict: "refused",
      packet: null,
      path: path.join(root, FILE),
    });
  });

  test("brief of a packet that must not be used says why among the diagnostics too", async () => {
    const { result: before } = await answer("check");
    await runHere(["archive", "s-2041"], { cwd: root });
    const { code, result } = await answer("brief", (before["packet"] as { packet_id: string }).packet_id);
    expect(code).toBe(1);
    expectShape(result);
    expect(result).toMatchObject({ ok: false, error: { code: "drift.archived" } });
    expect(result["diagnostics"]).toContainEqual(expect.objectContaining({ code: "drift.archived" }));
  });
});

test.each([...WITH_JSON, "show"])("P41 %s that fails", async (name) => {
  for (const [args, error] of [
    [["--nope"], "usage.option"],
    ...(hasRoot(name)
      ? ([
          [["--root", "not-there"], "root.not_a_folder"],
          [["--root", "a", "--root", "b"], "usage.arguments"],
          [["--root"], "usage.arguments"],
        ] as const)
      : []),
  ] as const) {
    const { code, result } = await answer(name, ...args);
    expect(code).toBe(2);
    expectShape(result);
    expect(result).toMatchObject({ ok: false, packet: null, path: null, error: { code: error } });
  }
});

test("P41 a wrong choice points to the command's own help", async () => {
  for (const [name, ...args] of [
    ["generate", "--stdout", "xml"],
    ["generate", "--last", "x"],
    ["list", "--status", "gone"],
    ["archive", "--keep", "-1"],
    ["brief", "--max-bytes", "0"],
  ] as const) {
    const { code, stderr } = await runHere([name, ...args], { cwd: root });
    expect([code, stderr.split("\n")[1]]).toEqual([2, `  see handoff ${name} --help`]);
  }
});
