// A1: our tool server goes into files of every layout and comes out of them again without a trace.
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { ServersForm } from "../agents/agent-settings.js";
import { AGENT_SETTINGS } from "../agents/settings-registry.js";
import { UsageError } from "../model/errors.js";
import { planServer, planServerRemoval, serversIn } from "./plan-servers.js";
import { serverCommand } from "./server-command.js";
import { JSON_SERVERS, TOML_SERVERS } from "./servers-samples-fixture.js";

const [json, toml] = ["claude-code", "codex"].map((name) => {
  const form = AGENT_SETTINGS.find((agent) => agent.name === name)?.servers;
  if (form === undefined) throw new Error(`${name} has no servers`);
  return form;
}) as [ServersForm, ServersForm];

const NAMED = { command: "handoff", args: ["mcp"] };
const FILES = { command: "/opt/a b/node", args: ["/opt/handoff-packet/dist/cli/main.js", "mcp"] };
const file = (form: ServersForm, text: string | null) => ({ form, path: "/w/file", text });

const read = (form: ServersForm, text: string): Record<string, unknown> =>
  form === json
    ? (JSON.parse(text.replace(/^\ufeff/u, "") || "{}") as Record<string, unknown>)
    : parse(text, { integersAsBigInt: true });
const serversOf = (form: ServersForm, text: string): Record<string, Record<string, unknown>> =>
  (read(form, text)[form.servers] ?? {}) as Record<string, Record<string, unknown>>;

function fault(run: () => unknown): UsageError {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

describe.each([
  ["JSON", json, JSON_SERVERS],
  ["TOML", toml, TOML_SERVERS],
] as const)("%s", (_, form, samples) => {
  test.each(Object.entries(samples))(
    "A1 %s: there once, everything else as it was, and back to the same bytes",
    (name, text) => {
      const installed = planServer(file(form, text), NAMED, {});
      const after = installed.after ?? "";
      const { handoff, ...others } = serversOf(form, after);
      expect(handoff).toEqual({ ...NAMED, ...form.lists });
      const before = /^[\s\ufeff]*$/u.test(text) ? {} : read(form, text);
      expect(others).toEqual(before[form.servers] ?? {});
      expect({ ...read(form, after), [form.servers]: 0 }).toEqual({ ...before, [form.servers]: 0 });
      expect(after.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
      // What is added to TOML stands behind everything; line ends are the file's own.
      expect(form === json || after.startsWith(text)).toBe(true);
      expect(!name.startsWith("CRLF") || !/(?<!\r)\n/u.test(after)).toBe(true);
      const again = planServer(file(form, after), NAMED, installed.entry);
      expect([again.after, again.entry]).toEqual([after, installed.entry]);
      expect(planServerRemoval(file(form, after), installed.entry).after).toBe(text);
      // Another place of ours is brought up to date in place, and the bytes still come back.
      const other = planServer(file(form, text), FILES, {});
      const moved = planServer(file(form, other.after), NAMED, other.entry);
      expect(moved.after).toBe(after);
      expect(planServerRemoval(file(form, moved.after), moved.entry).after).toBe(text);
    },
  );

  test("A1 a file that was not there is gone again", () => {
    const installed = planServer(file(form, null), NAMED, {});
    expect(installed.entry).toEqual({});
    expect(serversOf(form, installed.after ?? "")).toEqual({ handoff: { ...NAMED, ...form.lists } });
    expect(planServerRemoval(file(form, installed.after), {}).after).toBeNull();
  });

  test("A1 uninstalling where nothing is ours changes nothing, whatever the file is", () => {
    for (const text of ["{ not = it", "[1]", "", '{"mcpServers": []}', "mcp_servers = 1\n"])
      expect(planServerRemoval(file(form, text), {}).after).toBe(text);
    for (const text of Object.values(samples))
      expect(planServerRemoval(file(form, text), {}).after).toBe(text);
  });
});

describe("another server of our name", () => {
  test.each([
    [json, '{\n  "mcpServers": {\n    "handoff": { "command": "other", "args": ["mcp"] }\n  }\n}\n', 3],
    [json, '{"mcpServers": {"handoff": {"type": "http", "url": "https://example.org"}}}', 1],
    [json, '{"mcpServers": {"handoff": null}}', 1],
    [toml, 'x = 1\n\n[mcp_servers.handoff]\ncommand = "other"\n', 3],
    [toml, 'mcp_servers.handoff.url = "https://example.org"\n', 1],
    [toml, '[mcp_servers]\nhandoff = { command = "handoff" }\n', 2],
    [toml, 'x = 1\nmcp_servers = { handoff = { command = "other" } }\n', 2],
  ])("A1 is refused with file and line, and stays", (form, text, line) => {
    const error = fault(() => planServer(file(form, text), NAMED, {}));
    expect([error.code, error.place]).toEqual(["settings.foreign_server", { path: "/w/file", line }]);
    expect(planServerRemoval(file(form, text), {}).after).toBe(text);
  });
});

describe("files that cannot be changed", () => {
  test.each([
    [json, '{\n  "mcpServers": {,}\n}', "settings.not_json", 2],
    [json, '{\n  // mine\n  "mcpServers": {}\n}', "settings.not_json", 2],
    [json, "[]", "settings.unexpected", 1],
    [json, '{\n  "mcpServers": []\n}', "settings.unexpected", 2],
    [toml, "x = 1\ny = = 2\n", "settings.not_toml", 2],
    [toml, "[a]\n[a]\n", "settings.not_toml", 2],
    [toml, 'x = 1\nmcp_servers = "none"\n', "settings.unexpected", 2],
    [toml, 'mcp_servers = { tickets = { command = "npx" } }\n', "settings.unexpected", 1],
    [toml, '[[mcp_servers]]\nname = "a"\n', "settings.unexpected", 1],
  ])("A1 are refused with file and line (%#)", (form, text, code, line) => {
    const error = fault(() => planServer(file(form, text), NAMED, {}));
    expect([error.code, error.place]).toEqual([code, { path: "/w/file", line }]);
    expect(error.message).toMatch(/stays as it is; |without changing what is there/u);
  });

  test("A1 ours, written by a person in a way that has no place for a change, is told and left", () => {
    const text = '[mcp_servers]\nhandoff = { command = "/old/node", args = ["/old/cli/main.js", "mcp"] }\n';
    expect(fault(() => planServer(file(toml, text), NAMED, {})).place).toEqual({ path: "/w/file", line: 2 });
    expect(planServerRemoval(file(toml, text), {}).after).toBe("[mcp_servers]\n");
  });
});

test("A1 ours within one inline table of all servers is told with its line, by a removal too", () => {
  const text = 'x = 1\nmcp_servers = { handoff = { command = "handoff", args = ["mcp"] } }\n';
  for (const plan of [
    () => planServer(file(toml, text), FILES, {}),
    () => planServerRemoval(file(toml, text), {}),
  ]) {
    const error = fault(plan);
    expect([error.code, error.place]).toEqual(["settings.unexpected", { path: "/w/file", line: 2 }]);
    expect(error.hint).toContain("--no-mcp");
  }
});

describe("what people write after the installation", () => {
  test("A1 stays: members of ours are kept by an update, tables behind it and comments around it by a removal", () => {
    const installed = planServer(file(toml, 'model = "x"\n'), FILES, {}).after ?? "";
    const edited = `${installed.replace("\n\n[mcp", "\n\n# tools\n[mcp")}startup_timeout_sec = 20
[mcp_servers.handoff.tools.handoff_note]
approval_mode = "approve"

# theirs
[mcp_servers.other]
command = "other"
`;
    const updated = planServer(file(toml, edited), NAMED, {}).after ?? "";
    expect(serversOf(toml, updated)["handoff"]).toMatchObject({
      ...NAMED,
      startup_timeout_sec: 20n,
      tools: { handoff_note: { approval_mode: "approve" } },
    });
    expect(planServerRemoval(file(toml, updated), {}).after).toBe(
      'model = "x"\n\n# tools\n\n# theirs\n[mcp_servers.other]\ncommand = "other"\n',
    );
  });

  test("A1 a list that a person made longer keeps what is in it, one that lacks a name of ours gets it", () => {
    const installed = planServer(file(toml, null), NAMED, {}).after ?? "";
    const longer = installed.replace('"TMUX_PANE"', '"TMUX_PANE", "MINE"');
    expect(planServer(file(toml, longer), NAMED, {}).after).toBe(longer);
    const shorter = longer.replace('"TMUX", ', "");
    expect(
      serversOf(toml, planServer(file(toml, shorter), NAMED, {}).after ?? "")["handoff"]?.["env_vars"],
    ).toEqual(expect.arrayContaining(["TMUX", "TMUX_PANE", "MINE"]));
    const none = installed.replace(/env_vars.*\n/u, "");
    expect(planServer(file(toml, none), NAMED, {}).after).toBe(installed);
    const cut = none.trimEnd();
    expect(serversOf(toml, planServer(file(toml, cut), NAMED, {}).after ?? "")["handoff"]).toEqual({
      ...NAMED,
      ...toml.lists,
    });
  });

  test("A1 ours under another name is ours", () => {
    for (const form of [json, toml]) {
      const renamed = (planServer(file(form, null), FILES, {}).after ?? "").replace(
        form === json ? '"handoff"' : "mcp_servers.handoff",
        form === json ? '"baton"' : "mcp_servers.baton",
      );
      expect(serversIn(file(form, renamed)).map(({ name }) => name)).toEqual(["baton"]);
      const now = planServer(file(form, renamed), NAMED, {}).after ?? "";
      expect(serversOf(form, now)).toEqual({ baton: { ...NAMED, ...form.lists } });
      expect(planServerRemoval(file(form, now), {}).after).toBeNull();
    }
  });
});

test("A2 by name where the handoff on PATH is this one, by files elsewhere and always on Windows", () => {
  const files = { node: "C:/node.exe", main: "C:/h/dist/cli/main.js" };
  expect(serverCommand({ kind: "name" }, files, "linux")).toEqual(NAMED);
  expect(serverCommand({ kind: "name" }, files, "win32")).toEqual({
    command: files.node,
    args: [files.main, "mcp"],
  });
  expect(serverCommand({ kind: "files", node: "/n", main: "/h/dist/cli/main.js" }, files, "linux")).toEqual({
    command: "/n",
    args: ["/h/dist/cli/main.js", "mcp"],
  });
});
