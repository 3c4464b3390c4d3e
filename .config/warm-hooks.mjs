// Makes the caches that load-hook.mjs reads: runs every kind of hook once in a workbench of its own, since V8 keeps the code of
// functions that have run. `node warm-hooks.mjs DIST_CLI PLAN`
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { cacheFile, hookLoader } from "./load-hook.mjs";

const [dist, plan] = process.argv.slice(2);
const root = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-warm-")));
const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1" };

function git(...args) {
  const person = ["-c", "user.name=Build", "-c", "user.email=build@example.org"];
  execFileSync("git", [...person, ...args], { cwd: root, env, stdio: "ignore" });
}

function put(name, text) {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const { load, scripts } = hookLoader(dist, JSON.parse(plan), false);
const { runHook } = load("hook.cjs");

/** Runs one hook as an agent would. */
async function hook(owner, name, fields = {}) {
  const payload = { session_id: owner, cwd: root, transcript_path: null, hook_event_name: name, ...fields };
  await runHook(["claude-code", name], {
    stdin: Readable.from([Buffer.from(JSON.stringify(payload))]),
    env,
    cwd: root,
    now: () => new Date(),
    elapsed: () => 0,
    print: async () => {},
    exit: () => {},
  });
}

function command(owner, id, text, output, isError) {
  const fields = { tool_name: "Bash", tool_use_id: id, tool_input: { command: text } };
  return isError
    ? hook(owner, "PostToolUseFailure", { ...fields, error: `Exit code 1\n${output}`, is_interrupt: false })
    : hook(owner, "PostToolUse", {
        ...fields,
        tool_response: { stdout: output, stderr: "", interrupted: false },
      });
}

async function runSession(id, goal) {
  await hook(id, "SessionStart", { source: "startup" });
  await hook(id, "UserPromptSubmit", { prompt: goal });
  put("src/limit.js", `export const limit = "${id}";\n`);
  await hook(id, "PostToolUse", {
    tool_name: "Edit",
    tool_use_id: "e1",
    tool_input: { file_path: path.join(root, "src/limit.js") },
    tool_response: {},
  });
  const frames = "    at check (/home/user/app/src/limit.js:4:7)\n".repeat(20);
  for (let i = 0; i < 12; i += 1) {
    const said = `AssertionError: expected ${i} to be ${i + 1}, token count too high\n${frames}`;
    await command(id, `c${i}`, `npx vitest run test/limit-${i % 4}.test.js`, said, i % 3 === 0);
    if (i % 4 === 0) await hook(id, "Stop", { stop_hook_active: false, last_assistant_message: "Counted." });
  }
  put(
    `.handoff/sessions/${id}/agent_state.json`,
    JSON.stringify({
      next_action: "make `limit()` count per address, see src/limit.js#4 and https://example.org",
      decisions: [{ what: "a sliding window", why: "bursts" }],
      dead_ends: [{ what: "a bucket", why: "it drifts" }],
      questions: ["is five right?"],
    }),
  );
  git("add", "--all");
  git("commit", "--quiet", "--message", "Limit");
  await hook(id, "Stop", { stop_hook_active: false, last_assistant_message: "Done." });
  await hook(id, "SessionEnd", { reason: "other" });
}

try {
  git("init", "--quiet");
  put(".gitignore", "outputs/\n.handoff/\n");
  put("src/limit.js", "export const limit = 0;\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  mkdirSync(path.join(root, ".handoff"));
  await runSession("s-1", "limit attempts per address");
  await runSession("s-2", "and tell the user");
  await hook("s-3", "SessionStart", { source: "startup" });
  for (const [file, script] of scripts) writeFileSync(cacheFile(file), script.createCachedData());
} finally {
  rmSync(root, { recursive: true, force: true });
}
