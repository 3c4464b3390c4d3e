// A1: hooks go into settings of every layout and come out of them again without a trace.
import { describe, expect, test } from "vitest";
import type { AgentSettings } from "../agents/agent-settings.js";
import { AGENT_SETTINGS } from "../agents/settings-registry.js";
import { UsageError } from "../model/errors.js";
import type { RecordEntry } from "./install-record.js";
import { hooksIn, planInstall, planRemoval } from "./plan-settings.js";
import { SETTINGS_SAMPLES } from "./settings-samples-fixture.js";

const [claude, codex] = ["claude-code", "codex"].map((name) => {
  const found = AGENT_SETTINGS.find((agent) => agent.name === name);
  if (found?.form.kind !== "hooks") throw new Error(`${name} has no hooks`);
  return { ...found, form: found.form };
}) as [AgentSettings & { form: { kind: "hooks" } }, AgentSettings & { form: { kind: "hooks" } }];

const file = (agent: AgentSettings, text: string | null) => ({ agent, path: "/w/settings.json", text });
const program = (agent: AgentSettings): string => `handoff hook ${agent.name}`;
const install = (agent: AgentSettings, text: string | null, entry: RecordEntry = {}) =>
  planInstall(file(agent, text), program(agent), entry);

function textOf(plan: { after: string | null }): string {
  expect(plan.after).not.toBeNull();
  return plan.after ?? "";
}

/** A settings text as its reader sees it, hooks of ours left out. */
function withoutOurs(text: string): unknown {
  if (/^[\s\ufeff]*$/u.test(text)) return { hooks: {} };
  const settings = JSON.parse(text.replace(/^\ufeff/u, "")) as Record<string, unknown>;
  const { hooks, ...rest } = settings;
  const kept = Object.entries((hooks ?? {}) as Record<string, unknown>).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups]];
    const foreign = groups.filter((group) => !JSON.stringify(group).includes("handoff hook"));
    return foreign.length > 0 ? [[event, foreign]] : [];
  });
  return { ...rest, hooks: Object.fromEntries(kept) };
}

describe.each([claude, codex])("$title", (agent) => {
  // Codex loads nothing of some of them, and init says so instead of writing.
  const samples = Object.entries(SETTINGS_SAMPLES).filter(([, text]) => agent.form.whyIgnored(text) === null);

  test("the samples are a real choice", () => {
    expect(samples.length).toBeGreaterThan(agent === claude ? 40 : 10);
  });

  test.each(samples)(
    "A1 %s: every hook once, everything else as it was, and back to the same bytes",
    (_, text) => {
      const installed = install(agent, text);
      const after = textOf(installed);
      const hooks = hooksIn(file(agent, after));
      expect(hooks.map(({ event }) => event).toSorted()).toEqual(
        agent.form.hooks.map(({ event }) => event).toSorted(),
      );
      expect(withoutOurs(after)).toEqual(withoutOurs(text));
      // Foreign text is there in its own spelling.
      for (const piece of text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gu) ?? [])
        expect(after).toContain(piece);
      expect(after.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
      // Line ends are the file's own.
      const ends = new Set(after.match(/\r?\n/gu));
      expect(ends).toEqual(text.includes("\r\n") ? new Set(["\r\n"]) : ends);
      const again = install(agent, after, installed.entry);
      expect([again.after, again.entry]).toEqual([after, installed.entry]);
      expect(planRemoval(file(agent, after), installed.entry).after).toBe(text);
    },
  );

  test("A1 a file that was not there is gone again", () => {
    const installed = install(agent, null);
    expect(textOf(installed)).toBe(`${JSON.stringify(JSON.parse(textOf(installed)), null, 2)}\n`);
    expect(installed.entry).toEqual({});
    expect(planRemoval(file(agent, installed.after), {}).after).toBeNull();
  });

  test("A1 what a person wrote after the installation stays", () => {
    const after = textOf(install(agent, null));
    const mine = JSON.parse(after) as { hooks: Record<string, unknown[]> };
    mine.hooks["Stop"]?.push({ hooks: [{ type: "command", command: "./mine.sh" }] });
    const edited = `${JSON.stringify({ description: "mine", ...mine }, null, 4)}\n`;
    const left = textOf(planRemoval(file(agent, edited), {}));
    expect(JSON.parse(left)).toEqual({
      description: "mine",
      hooks: { Stop: [{ hooks: [{ type: "command", command: "./mine.sh" }] }] },
    });
  });

  test("A1 uninstalling where nothing is ours changes nothing, whatever the file is", () => {
    for (const text of ["{ not json", "[1]", '{"hooks": []}'])
      expect(planRemoval(file(agent, text), {}).after).toBe(text);
  });
});

test("A1 our hooks come behind those of others, whose place in the list stays", () => {
  const text = SETTINGS_SAMPLES["foreign hooks on the same events"] ?? "";
  const { hooks } = JSON.parse(textOf(install(codex, text))) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  expect(hooks["SessionStart"]?.map((group) => group.hooks[0]?.command.includes("handoff"))).toEqual([
    false,
    false,
    true,
  ]);
});

test("A1 an older installation is brought up to date in place, and members that a person added stay", () => {
  const old = textOf(install(claude, '{\n  "model": "opus"\n}\n'))
    .replaceAll("handoff hook", "/opt/old/node '/opt/with space/handoff-packet/dist/cli/main.js' hook")
    .replace('"timeout": 60', '"timeout": 5,\n            "statusMessage": "mine"')
    .replace(/"matcher": "[^"]*"/u, '"matcher": "Bash"');
  expect(hooksIn(file(claude, old)).length).toBe(claude.form.hooks.length);
  const now = textOf(install(claude, old));
  expect(now).not.toContain("/opt/old");
  expect(now.match(/handoff hook claude-code/gu)?.length).toBe(claude.form.hooks.length);
  expect(now).toContain('"timeout": 60,\n            "statusMessage": "mine"');
  expect(now).not.toContain('"matcher": "Bash"');
  expect(textOf(planRemoval(file(claude, now), {}))).toBe('{\n  "model": "opus"\n}\n');
});

test("A1 hooks of ours that a person moved, doubled or left on other events are found", () => {
  const command = (event: string): string =>
    JSON.stringify({ type: "command", command: `handoff hook claude-code ${event}` });
  const text = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}, ${command("Stop")}]}, {"hooks": [${command("Stop")}]}], "PostCompact": [{"hooks": [${command("PostCompact")}]}]}}`;
  const after = textOf(install(claude, text));
  const settings = JSON.parse(after) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  expect(settings.hooks["PostCompact"]).toBeUndefined();
  expect(settings.hooks["Stop"]?.map((group) => group.hooks.length)).toEqual([2]);
  expect(textOf(planRemoval(file(claude, after), {}))).toBe(
    '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]}}',
  );
});

test("A3 Claude Code gets its events with their tools and times", () => {
  const { hooks } = JSON.parse(textOf(install(claude, null))) as {
    hooks: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>;
  };
  expect(Object.keys(hooks)).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "SessionEnd",
  ]);
  for (const event of ["PostToolUse", "PostToolUseFailure"])
    for (const tool of ["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"])
      expect(hooks[event]?.[0]?.matcher?.split("|")).toContain(tool);
  // L7: that nothing happens is told by notifications, too.
  expect(hooks["Notification"]?.[0]?.matcher?.split("|")).toContain("permission_prompt");
  expect(hooks["Notification"]?.[0]?.matcher?.split("|")).not.toContain("idle_prompt");
  for (const [event, [group]] of Object.entries(hooks)) {
    expect(group?.hooks).toEqual([
      { type: "command", command: `handoff hook claude-code ${event}; exit 0`, timeout: expect.any(Number) },
    ]);
  }
  expect(hooks["SessionEnd"]?.[0]?.hooks[0]?.["timeout"]).toBeGreaterThan(1.5);
});

test("A4 Codex gets its events, the context's limit beside the command, and three seconds at the end", () => {
  const { hooks } = JSON.parse(textOf(install(codex, null))) as {
    hooks: Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>;
  };
  expect(Object.keys(hooks)).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "SessionEnd",
  ]);
  expect(hooks["SessionStart"]).toEqual([
    {
      hooks: [
        {
          type: "command",
          command: "handoff hook codex SessionStart || exit 0",
          timeout: expect.any(Number),
          additionalContextLimit: expect.any(Number),
        },
      ],
    },
  ]);
  expect(hooks["PostToolUse"]?.[0]?.matcher?.split("|")).toEqual(["Bash", "apply_patch"]);
  expect(hooks["SessionEnd"]?.[0]?.hooks[0]?.["timeout"]).toBe(3);
});

const REFUSED: readonly (readonly [string, AgentSettings, string, string, number | undefined, RegExp])[] = [
  [
    "a line comment",
    claude,
    '{\n  // mine\n  "model": "opus"\n}\n',
    "settings.not_json",
    2,
    /comment.*Claude Code itself/u,
  ],
  ["a block comment", codex, '{"hooks": {} /* mine */}', "settings.not_json", 1, /comment.*Codex itself/u],
  ["a trailing comma", claude, '{\n  "model": "opus",\n}\n', "settings.not_json", 2, /trailing comma/u],
  ["no JSON at all", claude, '{\n  "model": opus\n}\n', "settings.not_json", 2, /no valid JSON.*line 2/u],
  ["half a file", claude, '{\n  "hooks": {\n', "settings.not_json", 3, /ends too early/u],
  ["a list", claude, "[]\n", "settings.unexpected", 1, /no JSON object/u],
  [
    "hooks that are a list",
    claude,
    '{\n  "a": 1,\n  "hooks": []\n}',
    "settings.unexpected",
    3,
    /hooks is no object/u,
  ],
  ["hooks that are null", claude, '{"hooks": null}', "settings.unexpected", 1, /hooks is no object/u],
  [
    "an event that is an object",
    claude,
    '{"hooks": {\n"Stop": {}}}',
    "settings.unexpected",
    2,
    /hooks.Stop is no array/u,
  ],
  [
    "a key that Codex does not know",
    codex,
    '{"hooks": {}, "version": 1}',
    "settings.ignored",
    undefined,
    /"version".*Codex itself/u,
  ],
  ["hooks twice for Codex", codex, '{"hooks": {}, "hooks": {}}', "settings.ignored", undefined, /twice/u],
  [
    "a byte order mark for Codex",
    codex,
    '\ufeff{"hooks": {}}',
    "settings.ignored",
    undefined,
    /byte order mark/u,
  ],
];

test.each(REFUSED)(
  "A1 %s is an error that names the line and leaves the file alone",
  (_, agent, text, code, line, words) => {
    let error: unknown;
    try {
      install(agent, text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UsageError);
    const { code: got, message, place, hint } = error as UsageError;
    expect([got, place?.path, place?.line, hint === ""]).toEqual([code, "/w/settings.json", line, false]);
    expect(message).toMatch(words);
  },
);

describe("an agent that allows comments", () => {
  const relaxed: AgentSettings = {
    ...claude,
    form: { ...claude.form, kind: "hooks", allowsComments: true },
  };
  const read = (text: string): unknown =>
    JSON.parse(text.replaceAll(/\/\*.*?\*\/|\/\/.*|,(?=\s*[\]}])/gu, "")) as unknown;

  test.each([
    '{\n  // first\n  "a": 1, // behind\n  /* block */ "b": 2, // last\n}\n',
    '{\n  "hooks": {\n    // nothing yet\n  }\n}\n',
    '{\n  "hooks": {\n    "Stop": [\n      // nothing yet\n    ],\n  },\n}\n',
    '{"a": [1, 2,], /* x */ "hooks": {"Stop": [/* here */],},}',
    '{\n  "a": 1 // , { [\n  , "b": "// no comment" /* ] */\n}\n',
  ])("A1 comments and trailing commas stay where they are: %j", (text) => {
    const installed = install(relaxed, text);
    const after = textOf(installed);
    expect(hooksIn(file(relaxed, after)).length).toBe(claude.form.hooks.length);
    for (const comment of text.match(/\/\*.*?\*\/|\/\/ [a-z ]+/gu) ?? []) expect(after).toContain(comment);
    expect(install(relaxed, after, installed.entry).after).toBe(after);
    expect(planRemoval(file(relaxed, after), installed.entry).after).toBe(text);
  });

  test("A1 a comment that a person put beside ours stays when ours go", () => {
    const after = textOf(install(relaxed, '{\n  "a": 1\n}\n')).replace(
      '"hooks": {',
      '// about hooks\n  "hooks": {',
    );
    const left = textOf(planRemoval(file(relaxed, after), {}));
    expect(left).toContain("// about hooks");
    expect(read(left)).toEqual({ a: 1 });
  });
});

describe("a file of ours alone", () => {
  const own: AgentSettings = {
    ...claude,
    form: {
      kind: "own_file",
      file: "plugin/handoff.js",
      text: (command) => `// ours\nrun(${JSON.stringify(command)});\n`,
      isOurs: (text) => text.startsWith("// ours\n"),
    },
  };
  test("A1 is written, replaced and removed; one of somebody else's stays", () => {
    const text = textOf(install(own, null));
    expect(text).toContain("handoff hook claude-code");
    expect(install(own, "// ours\nold\n").after).toBe(text);
    expect(planRemoval(file(own, text), {}).after).toBeNull();
    expect(planRemoval(file(own, "// handoff by somebody\n"), {}).after).toBe("// handoff by somebody\n");
    expect(() => install(own, "// theirs\n")).toThrow(/not ours/u);
  });
});
