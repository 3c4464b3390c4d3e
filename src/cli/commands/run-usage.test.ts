// handoff run: what is not understood is exit 2, says what and what to do, and starts and writes nothing.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runHere } from "../testing/run-here.js";
import { put, sampleWorkbench } from "../testing/sample-workbench.js";
import { expectUsageError, tree } from "../testing/use-cli.js";

let root = "";
beforeEach(() => {
  root = sampleWorkbench();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const COMMAND = ["--agent", "command", "--agent-bin", "/bin/true"];
const JOB = ["--prompt", "mend it"];

describe("R3, P41 handoff run, not understood", () => {
  test.each<[string, string[], string, string]>([
    ["no agent", [...JOB], "run.agent", "codex, or command with --agent-bin"],
    ["an unknown agent", ["--agent", "codexx", ...JOB], "run.agent", "did you mean codex?"],
    ["half a name", ["--agent", "claude", ...JOB], "run.agent", "did you mean claude-code?"],
    [
      "a name far from any",
      ["--agent", "zzz", ...JOB],
      "run.agent",
      "agents are claude-code, codex, command",
    ],
    ["an agent that is only recorded", ["--agent", "gemini", ...JOB], "run.agent", "cannot be run from here"],
    ["an unknown next agent", [...COMMAND, "--next", "cdoex", ...JOB], "run.agent", "did you mean codex?"],
    ["no program", ["--agent", "command", ...JOB], "run.agent", "--agent-bin CMD"],
    [
      "a program that is not there",
      ["--agent", "command", "--agent-bin", "./nothing", ...JOB],
      "run.agent_missing",
      "there is no such file",
    ],
    [
      "a program that is not on PATH",
      ["--agent", "command", "--agent-bin", "no-such-program", ...JOB],
      "run.agent_missing",
      "name it by its path",
    ],
    [
      "a program with its arguments",
      ["--agent", "command", "--agent-bin", "node agent.mjs --fast", ...JOB],
      "run.agent_missing",
      '--agent-bin node --agent-args "agent.mjs --fast"',
    ],
    [
      "a file without ./",
      ["--agent", "command", "--agent-bin", "agent.sh", ...JOB],
      "run.agent_missing",
      "--agent-bin ./agent.sh",
    ],
    [
      "a file that is no program",
      ["--agent", "command", "--agent-bin", "./agent.sh", ...JOB],
      "run.agent_missing",
      "chmod +x ./agent.sh",
    ],
    ["a stray --next-bin", [...COMMAND, "--next-bin", "x", ...JOB], "usage.arguments", "--next-bin"],
    ["an open quote", [...COMMAND, "--agent-args", "--say 'x", ...JOB], "usage.value", "a quote is open"],
    [
      "a variable",
      [...COMMAND, "--agent-args", "--home $HOME", ...JOB],
      "usage.value",
      "a shell would act on",
    ],
    [
      "two headrooms",
      [...COMMAND, "--headroom", "50000", "--at-percent", "70", ...JOB],
      "usage.arguments",
      "--at-percent",
    ],
    [
      "R3 a headroom without room",
      [...COMMAND, "--headroom", "23999", ...JOB],
      "run.headroom",
      "at least 24000",
    ],
    [
      "R3 a percentage without room",
      [...COMMAND, "--window", "200000", "--at-percent", "89", ...JOB],
      "run.headroom",
      "--at-percent 89 of a window of 200000",
    ],
    ["a percentage that is none", [...COMMAND, "--at-percent", "100", ...JOB], "usage.value", "from 1 to 99"],
    ["a window that is none", [...COMMAND, "--window", "200k", ...JOB], "usage.value", "a whole number"],
    ["no generations", [...COMMAND, "--max-generations", "0", ...JOB], "usage.value", "from 1"],
    [
      "a compaction that is none",
      [...COMMAND, "--compact", "never", ...JOB],
      "usage.value",
      "no_summary or auto or off",
    ],
    ["a bad topic", [...COMMAND, "--topic", "a/b", ...JOB], "usage.bad_id", "topic id"],
    [
      "two jobs",
      [...COMMAND, ...JOB, "--prompt-file", "job.md"],
      "usage.arguments",
      "--prompt and --prompt-file both",
    ],
    ["two jobs, one from stdin", [...COMMAND, ...JOB, "-"], "usage.arguments", "--prompt and - both"],
    ["a job in bare words", [...COMMAND, "mend", "it"], "usage.arguments", '--prompt "mend it"'],
    ["an option for a job", [...COMMAND, "--prompt", "--pasue"], "usage.arguments", "looks like an option"],
    [
      "no job before the next option",
      [...COMMAND, "--prompt", "--pause"],
      "usage.arguments",
      "--prompt needs a value",
    ],
    ["a job that says nothing", [...COMMAND, "--prompt", " \n"], "usage.value", "expected a value"],
    [
      "a job file that is not there",
      [...COMMAND, "--prompt-file", "no.md"],
      "run.job",
      "there is no such file",
    ],
    ["a job file that is empty", [...COMMAND, "--prompt-file", "empty.md"], "run.job", "is empty"],
    ["a job file that is no text", [...COMMAND, "--prompt-file", "bytes.md"], "run.job", "not UTF-8"],
    ["a folder for a job", [...COMMAND, "--prompt-file", "folder"], "run.job", "EISDIR"],
    [
      "events in a folder that is not there",
      [...COMMAND, ...JOB, "--events", "no/events.jsonl"],
      "run.events",
      "ENOENT",
    ],
    ["an events file that is a folder", [...COMMAND, ...JOB, "--events", "folder"], "run.events", "EISDIR"],
    ["a run that is not there", ["--resume", "run-000000000000"], "run.missing", "no run run-000000000000"],
    ["a run id that is none", ["--resume", "../x"], "usage.bad_id", "is not allowed"],
    [
      "R27 --resume with a job",
      ["--resume", "run-1", ...JOB],
      "usage.arguments",
      "--prompt is not taken with it",
    ],
    [
      "R27 --resume with an agent",
      ["--resume", "run-1", ...COMMAND],
      "usage.arguments",
      "--agent is not taken",
    ],
    ["R27 --resume with bare words", ["--resume", "run-1", "-"], "usage.arguments", "no job taken with it"],
  ])("%s", async (_, args, code, words) => {
    writeFileSync(path.join(root, "agent.sh"), "#!/bin/sh\n");
    put(root, "job.md", "mend it");
    put(root, "empty.md", "\n\n");
    writeFileSync(path.join(root, "bytes.md"), Buffer.from([0xff, 0xfe, 0x00]));
    mkdirSync(path.join(root, "folder"));
    const before = tree(root);
    const env = { PATH: "/bin", ...(code === "run.nested" ? { HANDOFF_RUN: "run-1" } : {}) };
    expectUsageError(await runHere(["run", ...args], { cwd: root, env }), code, words);
    expect(tree(root)).toEqual(before);
  });

  test("two results on one stdout", async () => {
    const both = await runHere(["run", ...COMMAND, ...JOB, "--events", "-", "--json"], { cwd: root });
    expect(both.code).toBe(2);
    expect(JSON.parse(both.stdout)).toMatchObject({ ok: false, error: { code: "usage.arguments" } });
  });

  test("R3 a configured headroom without room is named as what it is", async () => {
    put(root, "handoff.config.json", { rotation: { headroom: 20_000 } });
    const refused = await runHere(["run", ...COMMAND, ...JOB], { cwd: root });
    expectUsageError(refused, "run.headroom", "rotation.headroom 20000 in the configuration");
    // Another way to say it wins.
    const dry = await runHere(["run", ...COMMAND, "--headroom", "60000", "--dry-run"], { cwd: root });
    expect(dry.code).toBe(0);
  });
});

describe("R30 --dry-run", () => {
  test("policy, window and who says so, line, compaction, the command", async () => {
    const before = tree(root);
    const dry = await runHere(
      ["run", ...COMMAND, "--agent-args", "-x 'a b' --deep", "--window", "200000", "--dry-run", ...JOB],
      { cwd: root },
    );
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout.split("\n")).toEqual([
      "policy        hands over at the line; stops after 8 retired sessions, 2 degraded handoffs in a row, 6 failed tries in a row",
      "job           7 bytes from --prompt: mend it",
      "command every session",
      "  window      200,000 tokens, by --window",
      "  line        hands over at 150,000 tokens (near from 130,000); 50,000 stay free",
      "  compaction  none of ours to turn off",
      "  command     HANDOFF_RUN='<run_id>' HANDOFF_SESSION_ID='<session_id>' HANDOFF_TURN=first /bin/true -x 'a b' --deep",
      "dry run: nothing was started",
      "",
    ]);
    expect(tree(root)).toEqual(before);
  });

  test("needs no job, and names each agent's own line", async () => {
    const args = [
      "--agent",
      "claude-code",
      "--agent-bin",
      "/bin/true",
      "--next",
      "codex",
      "--next-bin",
      "/bin/true",
    ];
    const dry = await runHere(["run", ...args, "--at-percent", "95", "--dry-run", "--json"], {
      cwd: root,
      env: { HANDOFF_WINDOW: "1000000" },
    });
    const result: Record<string, unknown> = JSON.parse(dry.stdout);
    expect(result).toMatchObject({
      ok: true,
      packet: null,
      dry_run: true,
      run_id: null,
      exit: 0,
      plan: {
        policy: { enabled: true, max_generations: 8, window: null, headroom: null, at_percent: 95 },
        job: null,
        agents: [
          {
            agent: "claude-code",
            sessions: "odd",
            window: 1_000_000,
            window_source: "environment",
            at: 950_000,
          },
          // Codex compacts before that, whatever it is told (R8).
          { agent: "codex", sessions: "even", window: 1_000_000, at: 899_999 },
        ],
      },
      warnings: [{ code: "line.lowered" }],
    });
  });

  test("R4 what rests on a name is said to be a guess", async () => {
    const dry = await runHere(["run", "--agent", "claude-code", "--agent-bin", "/bin/true", "--dry-run"], {
      cwd: root,
      env: { ANTHROPIC_MODEL: "claude-haiku-x", HANDOFF_WINDOW: "many" },
    });
    expect(dry.stdout).toContain(
      "200,000 tokens, a guess from its name, model claude-haiku-x; what the agent says",
    );
    expect(dry.stderr).toMatch(/^handoff: window\.env_ignored: .*"many"/u);
  });

  test("R4 the variables of one vendor's agent say nothing of another's", async () => {
    const env = { ANTHROPIC_MODEL: "claude-haiku-x", ANTHROPIC_DEFAULT_OPUS_MODEL: "claude-opus-x" };
    const dry = await runHere(
      ["run", "--agent", "codex", "--agent-bin", "/bin/true", "--dry-run", "--json"],
      {
        cwd: root,
        env,
      },
    );
    expect(JSON.parse(dry.stdout)).toMatchObject({
      plan: { agents: [{ window: null, window_source: "unknown", model: null }] },
    });
  });

  test("S13 secrets in arguments and variables are masked", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    for (const more of [[], ["--json"]]) {
      const args = [
        ...COMMAND,
        "--agent-args",
        `--token ${token} --api-key hunter2hunter2`,
        "--prompt",
        token,
      ];
      const dry = await runHere(["run", ...args, "--dry-run", ...more], { cwd: root });
      expect(dry.stdout).toContain("[redacted:");
      expect(dry.stdout).not.toMatch(/a1B2|hunter2/u);
    }
  });
});
