// The skill that sets a project up (outputs/skill-handoff-generator.md), followed to the letter: its own commands, in order, in a
// fresh project, twice.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { plainEnvironment } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { useCli } from "../testing/use-cli.js";

const { cli, folder } = useCli();
const SKILL = path.resolve(import.meta.dirname, "../../../outputs/skill-handoff-generator.md");
const skill = readFileSync(SKILL, "utf8");
const steps = [...skill.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block = ""]) => block);

test("the skill is a skill, git does not ignore it, and it has steps", () => {
  expect(skill).toMatch(/^---\nname: handoff-generator\ndescription: .{40,}\n---\n/u);
  expect(spawnSync("git", ["check-ignore", "--quiet", SKILL], { cwd: path.dirname(SKILL) }).status).toBe(1);
  expect(steps.length).toBeGreaterThanOrEqual(5);
});

test("A1 its commands set a fresh project up: paths, hooks, schema, a packet; a second time changes nothing", () => {
  const root = folder();
  const home = folder();
  const bin = folder();
  symlinkSync(cli().main, path.join(bin, "handoff"));
  git(root, "init", "--quiet", "--initial-branch=main");
  put(root, "README.md", "# A project\n");
  put(root, "task_board.json", [
    { id: "T-7", goal: "reports are read", owner: "agent", status: "in_progress" },
  ]);
  put(root, "reports/T-7.verification.json", {
    task_id: "T-7",
    passed: false,
    findings: [{ code: "x", detail: "fails" }],
  });
  git(root, "add", ".");
  git(root, "commit", "--quiet", "--message", "Start");
  const env = { ...plainEnvironment(), HOME: home, PATH: `${bin}:${plainEnvironment()["PATH"]}` };
  const follow = (): string =>
    steps
      .map((step) => execFileSync("sh", ["-euc", step], { cwd: root, env, encoding: "utf8", stdio: "pipe" }))
      .join("");
  const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

  const told = follow();
  // Paths: the report is found where the project keeps it.
  const packetFile = execFileSync("handoff", ["list", "--status", "active", "--json"], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  const { packets } = JSON.parse(packetFile) as { packets: { path: string }[] };
  expect(packets.length).toBe(1);
  const packet = JSON.parse(readFileSync(packets[0]?.path ?? "", "utf8")) as Record<string, unknown>;
  expect(packet).toMatchObject({
    next_action: "replace this line by the first thing the next session has to do",
    verdict_pointer: { verification: { path: "reports/T-7.verification.json", outcome: "failed" } },
  });
  // Hooks, for both agents, and packets out of git.
  expect(read(".claude/settings.json")).toContain("handoff hook claude-code SessionEnd");
  expect(read(".codex/hooks.json")).toContain("handoff hook codex SessionEnd");
  expect(git(root, "status", "--porcelain", "--untracked-files=all")).not.toContain("outputs/handoff");
  // The schema that the next agent is pointed at is there, and the packet follows it.
  expect(read("AGENTS.md")).toContain("schemas/handoff.schema.json");
  const doctor = spawnSync("handoff", ["doctor", "--json"], { cwd: root, env, encoding: "utf8" });
  const { schema } = JSON.parse(doctor.stdout) as { schema: string };
  expect(existsSync(schema)).toBe(true);
  const validate = new Ajv2020({ strict: true }).compile(JSON.parse(readFileSync(schema, "utf8")) as object);
  expect([validate(packet), validate.errors]).toEqual([true, null]);
  expect(told).toContain("You are taking over");

  const files = [
    ".claude/settings.json",
    ".codex/hooks.json",
    "AGENTS.md",
    "handoff.config.json",
    ".git/info/exclude",
  ];
  const before = files.map(read);
  follow();
  expect(files.map(read)).toEqual(before);
});
