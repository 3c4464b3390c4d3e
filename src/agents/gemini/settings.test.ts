// A1 A4: what Gemini CLI does with its settings (measured with 0.61.0): which it reads, which hooks it runs, and whom it trusts.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { put } from "../../cli/testing/sample-workbench.js";
import { temporaryFolder } from "../../workbench/git/test-repository.js";
import type { HookFinding } from "../agent-settings.js";
import { geminiSettings } from "./settings.js";

const { form } = geminiSettings;
const hooks = form.kind === "hooks" ? form : null;

describe("settings", () => {
  test.each([
    ['{"a": 1}', null],
    ['// c\n{"a": "x, }", /* , } */ "b": [1]}', null],
    ['\ufeff{"a": 1}', "it begins with a byte order mark"],
    ['{"a": [1, 2,],}', "it has a trailing comma"],
    ['{"a": 1, // c\n}', "it has a trailing comma"],
  ])("A1 %j", (text, why) => {
    expect(hooks?.whyIgnored(text)).toBe(why);
  });

  test("A1 a look before every request to the model is not hooked, a person's wish is", () => {
    expect(hooks?.hooks.find(({ event }) => event === "PreCompress")?.matcher).toBe("manual");
    expect(hooks?.hooks.map(({ event }) => event)).not.toContain("BeforeModel");
  });

  test("A1 where they lie", () => {
    const place = { root: "/w", home: "/home/dev", env: {} };
    expect(geminiSettings.folder("project", place)).toBe("/w/.gemini");
    expect(geminiSettings.folder("user", place)).toBe("/home/dev/.gemini");
    expect(geminiSettings.folder("user", { ...place, env: { GEMINI_CLI_HOME: "/g" } })).toBe("/g/.gemini");
  });
});

describe("what is looked at when hooks are installed", () => {
  /** Findings about a project's hooks, with these files in the home folder and the project. */
  async function examine(
    files: (root: string) => Readonly<Record<string, unknown>>,
    scope: "project" | "user" = "project",
  ): Promise<readonly HookFinding[]> {
    const folder = temporaryFolder();
    const root = path.join(folder, "project");
    put(root, "README.md", "x");
    for (const [name, content] of Object.entries(files(root))) put(folder, name, content);
    const place = { root, home: path.join(folder, "home"), env: {} };
    const file = path.join(geminiSettings.folder(scope, place), "settings.json");
    return geminiSettings.examine([{ scope, file }], place);
  }

  test("A4 the trust that a project's hooks need: by the longest rule, a parent's too, or switched off", async () => {
    const trusted = "home/.gemini/trustedFolders.json";
    expect(await examine(() => ({}))).toMatchObject([{ ok: null, hint: expect.stringContaining("trust") }]);
    expect(await examine((root) => ({ [trusted]: { [root]: "TRUST_FOLDER" } }))).toMatchObject([
      { ok: true },
    ]);
    expect(await examine((root) => ({ [trusted]: { [`${root}/x`]: "TRUST_PARENT" } }))).toMatchObject([
      { ok: true },
    ]);
    const both = (root: string) => ({
      [trusted]: { [path.dirname(root)]: "TRUST_FOLDER", [root]: "DO_NOT_TRUST" },
    });
    expect(await examine(both)).toMatchObject([{ ok: false }]);
    expect(await examine(() => ({ [trusted]: { "/elsewhere": "TRUST_FOLDER" } }))).toMatchObject([
      { ok: null },
    ]);
    const off = { security: { folderTrust: { enabled: false } } };
    expect(await examine(() => ({ "home/.gemini/settings.json": off }))).toEqual([]);
    // A person's own hooks need none.
    expect(await examine(() => ({}), "user")).toEqual([]);
  });

  test("A4 hooks that are switched off, all or ours by name, in either file, comments or not", async () => {
    const findings = await examine(
      () => ({
        "home/.gemini/settings.json": '{\n// mine\n"hooksConfig": {"enabled": false}}',
        "project/.gemini/settings.json": { hooksConfig: { disabled: ["other", "handoff-AfterTool"] } },
      }),
      "user",
    );
    expect(findings).toMatchObject([
      { ok: false, what: expect.stringContaining("switched off in") },
      { ok: false, what: expect.stringMatching(/settings\.json: handoff-AfterTool$/u) },
    ]);
    expect(await examine(() => ({ "home/.gemini/settings.json": "no JSON" }), "user")).toEqual([]);
  });
});
