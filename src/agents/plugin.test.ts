// A5: one plugin folder for Claude Code and Codex. (That `claude plugin validate` accepts it is shown with the real program, in
// the end-to-end tests.)
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AGENT_SETTINGS } from "./settings-registry.js";

const PROJECT = path.resolve(import.meta.dirname, "../..");
const TEMPLATES = path.join(PROJECT, "templates");
const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.join(TEMPLATES, file), "utf8")) as Record<string, unknown>;

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: string; readonly command: string; readonly timeout: number }[];
}
const hooks = read("plugin/hooks/hooks.json")["hooks"] as Record<string, readonly Group[]>;

test("A5 both manifests are of this version, and name what is there", () => {
  const { version } = JSON.parse(readFileSync(path.join(PROJECT, "package.json"), "utf8")) as {
    version: string;
  };
  const [claude, codex] = [
    read("plugin/.claude-plugin/plugin.json"),
    read("plugin/.codex-plugin/plugin.json"),
  ];
  for (const manifest of [claude, codex]) expect(manifest).toMatchObject({ name: "handoff", version });
  for (const key of ["skills", "hooks"])
    expect(existsSync(path.join(TEMPLATES, "plugin", String(codex[key])))).toBe(true);
  for (const market of [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"])
    expect(JSON.stringify(read(market))).toContain('"./plugin"');
});

test("A5 the shared hooks are those that init installs, for whichever agent calls", () => {
  const wanted = AGENT_SETTINGS.filter(({ name }) => name === "claude-code" || name === "codex").flatMap(
    ({ form }) => (form.kind === "hooks" ? form.hooks : []),
  );
  expect(Object.keys(hooks).toSorted()).toEqual([...new Set(wanted.map(({ event }) => event))].toSorted());
  for (const [event, groups] of Object.entries(hooks)) {
    expect(groups.map((group) => group.hooks.map(({ command }) => command))).toEqual([
      [`handoff hook auto ${event} || exit 0`],
    ]);
    const tools = wanted
      .filter((wish) => wish.event === event)
      .flatMap(({ matcher }) => matcher?.split("|") ?? []);
    expect(groups[0]?.matcher?.split("|") ?? []).toEqual(expect.arrayContaining(tools));
  }
  // Codex cuts a longer one, with a complaint.
  expect(hooks["SessionEnd"]?.[0]?.hooks[0]?.timeout).toBe(3);
});

test("A5 A11 the skill has a name and says when to use it, and teaches the verbs", () => {
  const skill = readFileSync(path.join(TEMPLATES, "plugin/skills/handoff/SKILL.md"), "utf8");
  expect(skill).toMatch(/^---\nname: handoff\ndescription: .{40,}\n---\n/u);
  for (const verb of ["note next", "note decided", "note dead-end", "exec --", "brief", "generate"])
    expect(skill).toContain(`handoff ${verb}`);
});

test("A5 the tools are those that init installs, for each agent as its settings have them", () => {
  const wanted = (name: string): unknown => ({
    command: "handoff",
    args: ["mcp"],
    ...AGENT_SETTINGS.find((agent) => agent.name === name)?.servers?.lists,
  });
  expect(read("plugin/.mcp.json")).toEqual({ mcpServers: { handoff: wanted("claude-code") } });
  expect(read("plugin/.codex-plugin/plugin.json")["mcpServers"]).toEqual({ handoff: wanted("codex") });
});
