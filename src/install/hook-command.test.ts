// A2: hook commands survive spaces, run in real shells, do no harm when our program is gone, and are known again.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT_SETTINGS } from "../agents/settings-registry.js";
import { findOwnProgram, hookProgram, isOwnHook, type OwnProgram } from "./hook-command.js";
import { planInstall } from "./plan-settings.js";

/** Agents whose settings hold commands; for the others a file of ours calls us. */
const WITH_HOOKS = AGENT_SETTINGS.filter(({ form }) => form.kind === "hooks");

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-command-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string, mode = 0o755): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const NASTY = 'it\'s a $HOME `id` "q" ; & | folder/handoff-packet/dist/cli';
const ENTRY = "process.stdin.resume(); console.log(JSON.stringify(process.argv.slice(2)));\n";

const guardOf = (name: string): string => {
  const form = AGENT_SETTINGS.find((agent) => agent.name === name)?.form;
  return form?.kind === "hooks" ? form.guard : "";
};
const SHELLS = ["sh", "bash", "dash", "zsh", "fish"].filter(
  (shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0,
);

test("A2 there are shells to try", () => expect(SHELLS).toEqual(expect.arrayContaining(["sh", "bash"])));

test.each(AGENT_SETTINGS.map(({ name }) => name))(
  "A2 %s: a path with spaces, quotes and operators runs as it is in every shell",
  (name) => {
    const main = put(`${NASTY}/main.js`, ENTRY);
    const own: OwnProgram = { kind: "files", node: process.execPath, main };
    const command = `${hookProgram(own, name, "linux")} Stop${guardOf(name)}`;
    expect(isOwnHook(command, name)).toBe(true);
    for (const shell of SHELLS) {
      const run = spawnSync(shell, ["-c", command], { encoding: "utf8", input: "{}" });
      expect([shell, run.status, run.stdout, run.stderr]).toEqual([
        shell,
        0,
        `["hook","${name}","Stop"]\n`,
        "",
      ]);
    }
  },
);

test.each(WITH_HOOKS.map(({ name }) => name))(
  "A2 %s: with our program gone, or failing, the command ends well",
  (name) => {
    const failing = put("bin/handoff", "#!/bin/sh\necho broken >&2\nexit 2\n");
    const gone: OwnProgram = { kind: "files", node: "/nowhere/node", main: "/nowhere/dist/cli/main.js" };
    const noEntry: OwnProgram = { kind: "files", node: process.execPath, main: "/nowhere/dist/cli/main.js" };
    for (const shell of SHELLS)
      for (const [own, PATH] of [
        [gone, "/usr/bin:/bin"],
        [noEntry, "/usr/bin:/bin"],
        [{ kind: "name" }, "/usr/bin:/bin"],
        [{ kind: "name" }, `${path.dirname(failing)}:/usr/bin:/bin`],
      ] as const) {
        const command = `${hookProgram(own, name, "linux")} SessionEnd${guardOf(name)}`;
        const run = spawnSync(shell, ["-c", command], { encoding: "utf8", input: "{}", env: { PATH } });
        expect([shell, own, run.status, run.stdout]).toEqual([shell, own, 0, ""]);
      }
  },
);

test("A2 on Windows: forward slashes, quotes only where they are needed", () => {
  const node = String.raw`C:\Program Files\nodejs\node.exe`;
  const main = String.raw`C:\Users\dev\AppData\npm\node_modules\handoff-packet\dist\cli\main.js`;
  expect(hookProgram({ kind: "files", node, main }, "codex", "win32")).toBe(
    '"C:/Program Files/nodejs/node.exe" C:/Users/dev/AppData/npm/node_modules/handoff-packet/dist/cli/main.js hook codex',
  );
  expect(hookProgram({ kind: "name" }, "codex", "win32")).toBe("handoff hook codex");
});

test("A2 by name only if the handoff on PATH is this very package", async () => {
  const main = put("lib/node_modules/handoff-packet/dist/cli/main.js", ENTRY);
  const other = put("other/handoff", "#!/bin/sh\n");
  mkdirSync(path.join(folder, "bin"));
  symlinkSync(main, path.join(folder, "bin/handoff"));
  mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(main, path.join(folder, "node_modules/.bin/handoff"));
  const find = (...folders: string[]): Promise<OwnProgram> =>
    findOwnProgram(main, "/usr/bin/node", { PATH: folders.join(path.delimiter) });
  const bin = path.join(folder, "bin");
  const byFiles = { kind: "files", node: "/usr/bin/node", main };
  expect(await find(bin)).toEqual({ kind: "name" });
  expect(await find("/nowhere", "relative", bin)).toEqual({ kind: "name" });
  expect(await find(path.dirname(other), bin)).toEqual(byFiles);
  expect(await find("/usr/bin")).toEqual(byFiles);
  // There only while npm runs something.
  expect(await find(path.join(folder, "node_modules/.bin"))).toEqual(byFiles);
  expect(await find(path.join(folder, "node_modules/.bin"), bin)).toEqual({ kind: "name" });
});

test.each([
  "handoff hook claude-code Stop; exit 0",
  "handoff hook claude-code Stop || exit 0",
  "handoff hook claude-code",
  "/usr/local/bin/handoff hook claude-code Stop",
  "'/opt/with space/bin/handoff' hook claude-code Stop; exit 0",
  "handoff.cmd hook claude-code Stop",
  "npx handoff hook claude-code Stop",
  "npx --no-install handoff hook claude-code Stop",
  "HANDOFF_DEBUG=1 handoff hook claude-code Stop",
  "/usr/bin/node /opt/handoff-packet/dist/cli/main.js hook claude-code SessionStart; exit 0",
  "'/a b/node' '/c d/dist/cli/main.js' hook claude-code Stop || exit 0",
  '"C:/Program Files/nodejs/node.exe" "C:/x y/handoff-packet/dist/cli/main.js" hook claude-code Stop',
  String.raw`C:\nodejs\node.exe C:\npm\handoff-packet\dist\cli\main.js hook claude-code Stop`,
])("A1 is ours: %s", (command) => expect(isOwnHook(command, "claude-code")).toBe(true));

test.each([
  "handoff hook codex Stop",
  "handoff hook claude-code-fork Stop",
  "handoff generate",
  "my-handoff hook claude-code Stop",
  "./handoff-wrapper.sh hook claude-code Stop",
  "echo handoff hook claude-code Stop",
  'echo "handoff hook claude-code Stop"',
  "cd /x && handoff hook claude-code Stop",
  "git hook claude-code",
  "node ./scripts/main.js hook claude-code Stop",
  "handoffhook claude-code",
  "",
  "hook claude-code",
])("A1 is not ours: %s", (command) => expect(isOwnHook(command, "claude-code")).toBe(false));

test("A1 every command that is installed is known again", () => {
  for (const agent of WITH_HOOKS)
    for (const own of [
      { kind: "name" },
      { kind: "files", node: "/a b/node", main: "/it's/dist/cli/main.js" },
    ] as const) {
      const { after } = planInstall(
        { agent, path: "/w/s.json", text: null },
        hookProgram(own, agent.name, "linux"),
        {},
      );
      const commands = [...(after ?? "").matchAll(/"command": ("(?:[^"\\]|\\.)*")/gu)].map(
        ([, text = ""]) => JSON.parse(text) as string,
      );
      expect(commands.length).toBeGreaterThan(4);
      for (const command of commands)
        expect([command, isOwnHook(command, agent.name)]).toEqual([command, true]);
    }
});
