// handoff exec with real processes (A11): a command that is run by it cannot be told from one that is run alone.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../testing/built-cli.js";
import { git, put } from "../testing/sample-workbench.js";
import { expectUsageError, packetIn, read, tree, useCli } from "../testing/use-cli.js";

const { cli, bench, folder, run, start } = useCli();

interface How {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** Called with the process as soon as its stdout has said something. */
  readonly onOutput?: (child: ChildProcess, said: string) => void;
}
interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a program to its end, its output in two pipes. */
function execute(program: string, args: readonly string[], how: How): Promise<End> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: how.cwd, env: plainEnvironment(how.env), stdio: "pipe" });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk);
      how.onOutput?.(child, chunk.toString());
    });
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin.on("error", () => undefined);
    child.stdin.end(how.input ?? "");
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }),
    );
  });
}

const LOG = ".handoff/sessions/s-1/feedback.jsonl";
const exec = (root: string, command: readonly string[], how: How = {}, options: readonly string[] = []) =>
  execute(process.execPath, [cli().main, "exec", "--session", "s-1", ...options, "--", ...command], {
    cwd: root,
    ...how,
  });
const sh = (root: string, script: string, how: How = {}, options: readonly string[] = []) =>
  exec(root, ["sh", "-c", script], how, options);
const records = (root: string, log = LOG) =>
  read(root, log)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("A11 exec passes everything through", () => {
  test("A11 both streams, the exit code, and a record of it", async () => {
    const [root, TMPDIR] = [folder(), folder()];
    const note = ["--note", "why it is run"];
    const end = await sh(root, "echo out; echo err >&2; exit 3", { env: { TMPDIR } }, note);
    expect([end.code, end.stdout.toString(), end.stderr]).toEqual([3, "out\n", "err\n"]);
    const [record] = records(root);
    expect(record).toMatchObject({
      command: ["sh", "-c", "echo out; echo err >&2; exit 3"],
      exit_code: 3,
      stdout_tail: "out\n",
      stderr_tail: "err\n",
      agent_note: "why it is run",
      session_id: "s-1",
      agent: "unknown",
      tool: "handoff exec",
      source: "exec",
      cwd: ".",
    });
    expect(Number(record?.["duration_ms"])).toBeGreaterThanOrEqual(0);
    expect(Date.parse(String(record?.["started_at"]))).toBeLessThanOrEqual(Date.now());
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.each([0, 1, 2, 70, 126, 127, 128, 255])("A11 exit code %i", async (code) => {
    const root = folder();
    expect((await sh(root, `exit ${code}`)).code).toBe(code);
    expect(records(root)[0]?.["exit_code"]).toBe(code);
  });

  test("A11 every byte of a binary output, and of a binary input", async () => {
    const root = folder();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
    const end = await exec(root, ["tee", "/dev/stderr"], { input: bytes });
    expect(end.stdout.equals(bytes)).toBe(true);
    expect(end.code).toBe(0);
    expect(records(root)).toHaveLength(1);
  });

  test("A11 words as they are: empty ones, spaces, quotes, options of ours", async () => {
    const root = folder();
    const words = ["", " a  b ", "'\"$HOME`*", "--session", "--", "--json", "-h", "línea\nnueva"];
    const print = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
    const end = await exec(root, [process.execPath, "-e", print, "--", ...words]);
    expect(JSON.parse(end.stdout.toString())).toEqual(words);
    expect(records(root)[0]?.["command"]).toEqual([process.execPath, "-e", print, "--", ...words]);
  });

  test("A11 the order of two streams that go to one place", async () => {
    const root = folder();
    const script = "i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done";
    const file = path.join(root, "both.txt");
    const fd = openSync(file, "w");
    const args = [cli().main, "exec", "--session", "s-1", "--", "sh", "-c", script];
    const end = spawnSync(process.execPath, args, {
      cwd: root,
      env: plainEnvironment(),
      stdio: ["ignore", fd, fd],
    });
    closeSync(fd);
    expect(end.status).toBe(0);
    const expected = Array.from({ length: 300 }, (_, i) => `o${i}\ne${i}\n`).join("");
    expect(readFileSync(file, "utf8")).toBe(expected);
    expect(records(root)[0]?.["stderr_tail"]).toBe(undefined);
    expect(records(root)[0]?.["stdout_tail"]).toMatch(/o299\ne299\n?$/u);
  });

  test("A11 a program that opens /dev/stdout and /dev/stderr can", async () => {
    const root = folder();
    const end = await sh(root, "echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr");
    expect([end.stdout.toString(), end.stderr, end.code]).toEqual(["a\nc\n", "b\nc\n", 0]);
  });

  test("A11 the folder, the environment and nothing more", async () => {
    const root = folder();
    mkdirSync(path.join(root, "deep"));
    const how = { cwd: path.join(root, "deep"), env: { MINE: "x" } };
    const alone = await execute("sh", ["-c", "pwd; env | sort | grep -v '^_='"], how);
    const end = await exec(root, ["sh", "-c", "pwd; env | sort | grep -v '^_='"], how, ["--root", ".."]);
    expect(end.stdout.toString()).toBe(alone.stdout.toString());
    expect(records(root)[0]?.["cwd"]).toBe("deep");
  });

  test("A11 100 MB, in bounded memory, no faster than they are taken", async () => {
    const root = folder();
    const megabytes = 100;
    const script = `
      const line = Buffer.from("0123456789abcdef".repeat(4095) + "0123456789abcde\\n");
      const { writeSync } = require("node:fs");
      for (let i = 0; i < ${megabytes * 16}; i += 1)
        for (let left = line; left.length > 0; ) left = left.subarray(writeSync(1, left));
    `;
    const args = [cli().main, "exec", "--session", "s-1", "--", process.execPath, "-e", script];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: plainEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let bytes = 0;
    let peak = 0;
    const hash = createHash("sha256");
    for await (const chunk of child.stdout) {
      const piece = chunk as Buffer;
      hash.update(piece);
      bytes += piece.length;
      const status = existsSync(`/proc/${child.pid}/status`)
        ? readFileSync(`/proc/${child.pid}/status`, "utf8")
        : "";
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1] ?? 0));
    }
    const line = `${"0123456789abcdef".repeat(4095)}0123456789abcde\n`;
    const expected = createHash("sha256");
    for (let i = 0; i < megabytes * 16; i += 1) expected.update(line);
    expect(bytes).toBe(megabytes * 1024 * 1024);
    expect(hash.digest("hex")).toBe(expected.digest("hex"));
    expect(peak).toBeLessThan(160 * 1024);
    expect(records(root)[0]).toMatchObject({ exit_code: 0 });
    expect(read(root, LOG).length).toBeLessThan(20_000);
  });

  test("A11 a reader that goes away ends the command, not us first", async () => {
    const root = folder();
    const line = `"${process.execPath}" "${cli().main}" exec --session s-1 -- yes | head -n 1; echo \${PIPESTATUS[0]}`;
    const end = await execute("bash", ["-c", line], { cwd: root });
    expect(end.stdout.toString()).toBe("y\n141\n");
    expect(records(root)[0]).toMatchObject({ exit_code: null, error: "ended by SIGPIPE" });
  });

  test.runIf(existsSync("/dev/full"))(
    "A11 output that finds no room is told, and is no success",
    async () => {
      const root = folder();
      const line = (script: string): string =>
        `"${process.execPath}" "${cli().main}" exec --session s-1 -- sh -c '${script}' > /dev/full; echo $?`;
      for (const [script, code] of [
        ["echo x", 1],
        ["echo x; exit 3", 3],
      ] as const) {
        const end = await execute("bash", ["-c", line(script)], { cwd: root });
        expect(end.stdout.toString()).toBe(`${code}\n`);
        expect(end.stderr).toMatch(/^handoff: exec\.output_lost: .*ENOSPC/u);
      }
      expect(records(root).map(({ exit_code }) => exit_code)).toEqual([0, 3]);
    },
  );

  test("A11 what a command leaves behind keeps its output, and keeps nobody waiting", async () => {
    const root = folder();
    // Ends when it is told to, by a file: nothing here depends on how long anything takes.
    const later = "(while [ ! -e go ]; do sleep 0.05; done; echo late; echo done > done) & echo early";
    const file = path.join(root, "out.txt");
    const fd = openSync(file, "w");
    const args = [cli().main, "exec", "--session", "s-1", "--", "sh", "-c", later];
    const end = spawnSync(process.execPath, args, {
      cwd: root,
      env: plainEnvironment(),
      stdio: ["ignore", fd, "inherit"],
    });
    closeSync(fd);
    expect([end.status, readFileSync(file, "utf8")]).toEqual([0, "early\n"]);
    expect(records(root)[0]).toMatchObject({ exit_code: 0, stdout_tail: "early\n" });
    put(root, "go", "");
    await expect.poll(() => readFileSync(file, "utf8"), { timeout: 20_000 }).toBe("early\nlate\n");
    await expect.poll(() => existsSync(path.join(root, "done")), { timeout: 20_000 }).toBe(true);
  });

  test("A11 what goes on writing behind the command's back does not keep us either", async () => {
    const root = folder();
    const file = path.join(root, "out.txt");
    const fd = openSync(file, "w");
    const script = "(while [ ! -e stop ]; do echo more; done; echo over > over) & exit 8";
    const args = [cli().main, "exec", "--session", "s-1", "--", "sh", "-c", script];
    const end = spawnSync(process.execPath, args, {
      cwd: root,
      env: plainEnvironment(),
      stdio: ["ignore", fd, "inherit"],
    });
    closeSync(fd);
    put(root, "stop", "");
    expect(end.status).toBe(8);
    await expect.poll(() => existsSync(path.join(root, "over")), { timeout: 20_000 }).toBe(true);
  });

  test("A11 where the system has no pipes to give, Node's own do", async () => {
    const root = folder();
    const end = await exec(root, ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], {
      env: { PATH: root },
    });
    expect([end.code, end.stdout.toString(), end.stderr]).toEqual([3, "out\n", "err\n"]);
    expect(records(root)[0]).toMatchObject({ exit_code: 3, stdout_tail: "out\n", stderr_tail: "err\n" });
  });

  test("A11 on a terminal the command has the terminal", async () => {
    const root = folder();
    const line = (script: string) =>
      `${process.execPath} ${cli().main} exec --session s-1 -- sh -c '${script}'`;
    const all = line("test -t 0 && test -t 1 && test -t 2 && echo all three; exit 4");
    const end = await execute("script", ["-qec", all, "/dev/null"], { cwd: root });
    expect(end.stdout.toString()).toContain("all three\r\n");
    expect(end.code).toBe(4);
    expect(records(root)[0]).toMatchObject({ exit_code: 4 });
    expect(records(root)[0]?.["stdout_tail"]).toBe(undefined);
    const piped = `${line("test -t 1 || echo no terminal; test -t 2 && echo still one >&2")} | cat`;
    const half = await execute("script", ["-qec", piped, "/dev/null"], { cwd: root });
    expect(half.stdout.toString()).toContain("no terminal");
    expect(half.stdout.toString()).toContain("still one");
    expect(records(root)[1]).toMatchObject({ stdout_tail: "no terminal\n" });
    expect(records(root)[1]?.["stderr_tail"]).toBe(undefined);
  });
});

describe("A11 signals", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "A11 %s reaches the command, whose own end counts",
    async (signal) => {
      const root = folder();
      const name = signal.slice(3);
      const script = `trap 'echo got ${name}; exit 7' ${name}; echo ready; while :; do sleep 0.05; done`;
      const onOutput = (child: ChildProcess, said: string): void => {
        if (said.includes("ready")) child.kill(signal);
      };
      const end = await sh(root, script, { onOutput });
      expect([end.code, end.signal, end.stdout.toString()]).toEqual([7, null, `ready\ngot ${name}\n`]);
      expect(records(root)[0]).toMatchObject({ exit_code: 7, stdout_tail: `ready\ngot ${name}\n` });
    },
  );

  test("A11 Ctrl-C on a terminal reaches the command once: the terminal sends it to everybody", async () => {
    const root = folder();
    const script = put(
      root,
      "count.cjs",
      `let n = 0;
      process.on("SIGINT", () => { n += 1; console.log("interrupted"); });
      process.stdin.once("data", () => { console.log("times: " + n); process.exit(3); });
      console.log("ready");`,
    );
    const line = `exec ${process.execPath} ${cli().main} exec --session s-1 -- ${process.execPath} ${script}`;
    const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: root, env: plainEnvironment() });
    let said = "";
    const answers = new Map([
      ["ready", "\u0003"],
      ["interrupted", "go\n"],
    ]);
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      for (const [word, answer] of answers)
        if (said.includes(word) && answers.delete(word)) child.stdin.write(answer);
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(said).toContain("times: 1\r\n");
    expect(code).toBe(3);
  });

  test("A11 a command that a signal ends lets us end by it, recorded", async () => {
    const root = folder();
    const onOutput = (child: ChildProcess): void => void child.kill("SIGTERM");
    const end = await sh(root, "echo ready; exec sleep 60", { onOutput });
    expect([end.code, end.signal]).toEqual([null, "SIGTERM"]);
    expect(records(root)[0]).toMatchObject({
      exit_code: null,
      error: "ended by SIGTERM",
      stdout_tail: "ready\n",
    });
  });

  test.each([
    ["KILL", null, "SIGKILL"],
    ["HUP", null, "SIGHUP"],
    ["ALRM", null, "SIGALRM"],
    // Told by the code: a core file of ours would help nobody.
    ["SEGV", 139, null],
    ["ABRT", 134, null],
    ["USR1", 138, null],
  ])("A11 ended by SIG%s", async (name, code, signal) => {
    const root = folder();
    const end = await sh(root, `kill -${name} $$`);
    expect([end.code, end.signal]).toEqual([code, signal]);
    expect(records(root)[0]).toMatchObject({ exit_code: null, error: `ended by SIG${name}` });
  });

  test("A11 --timeout ends it and all it started", async () => {
    const root = folder();
    const script =
      "sh -c 'echo $$ >> pids; exec sleep 600' & echo $$ >> pids; trap '' TERM; echo begun; while :; do sleep 0.1; done";
    const end = await sh(root, script, {}, ["--timeout", "8"]);
    expect([end.code, end.stdout.toString()]).toEqual([124, "begun\n"]);
    expect(end.stderr).toBe(
      "handoff: exec.timed_out: sh was stopped after 8 s\n  --timeout gives it longer\n",
    );
    expect(records(root)[0]).toMatchObject({ exit_code: null, error: "timed out after 8 s" });
    const pids = read(root, "pids").trim().split("\n");
    expect(pids).toHaveLength(2);
    const isRunning = (pid: string): boolean => {
      const file = `/proc/${pid}/stat`;
      return existsSync(file) && !/\) [ZX] /u.test(readFileSync(file, "utf8"));
    };
    await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  });
});

describe("A11 exec records", () => {
  test("A11 a command that is not there: 127, and a record without an exit status", async () => {
    const root = folder();
    const end = await exec(root, ["no-such-command", "x"]);
    expect([end.code, end.stdout.length]).toEqual([127, 0]);
    expect(end.stderr).toBe(
      "handoff: exec.missing: no such command: no-such-command\n  is it installed, and on the PATH?\n",
    );
    expect(records(root)[0]).toMatchObject({
      command: ["no-such-command", "x"],
      exit_code: null,
      error: "no such command",
    });
    const file = put(root, "not-a-program", "x");
    chmodSync(file, 0o644);
    const denied = await exec(root, [file]);
    expect(denied.code).toBe(126);
    expect(records(root)[1]).toMatchObject({ exit_code: null, error: "it could not be started (EACCES)" });
  });

  test("A11 no failure to record changes how the command ends", async () => {
    const root = folder();
    put(root, ".handoff/sessions", "a file in the way");
    const end = await sh(root, "echo out; exit 5");
    expect([end.code, end.stdout.toString()]).toEqual([5, "out\n"]);
    expect(end.stderr).toMatch(/^handoff: exec\.not_recorded: the command ran, but was not recorded: .+\n$/u);
    const nowhere = await exec(folder(), ["sh", "-c", "exit 6"], {}, ["--root", "nowhere"]);
    expect([nowhere.code, nowhere.stderr.includes("exec.not_recorded")]).toEqual([6, true]);
    const home = folder();
    const atHome = await sh(home, "exit 7", { env: { HOME: home } });
    expect([atHome.code, atHome.stderr.includes("are no workbench"), tree(home)]).toEqual([7, true, {}]);
    const signalled = await sh(root, "kill -TERM $$");
    expect(signalled.signal).toBe("SIGTERM");
  });

  test("S13 a session's id that holds a secret names no folder; the command runs all the same", async () => {
    const root = folder();
    const secret = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    const end = await start(["exec", "--session", secret, "--", "sh", "-c", "exit 3"], { cwd: root });
    expect(end.code).toBe(3);
    expect(end.stderr).toMatch(/^handoff: exec\.not_recorded: .* holds a secret/u);
    expect(end.stderr).not.toContain(secret);
    expect(existsSync(path.join(root, ".handoff"))).toBe(false);
  });

  test("S13 no secret of output, command or environment reaches the log", async () => {
    const root = folder();
    put(root, "handoff.config.json", { redaction: { patterns: { customer: String.raw`customer-\d+` } } });
    const token = `ghp_${"Ab1".repeat(12)}`;
    const env = { API_TOKEN: "hunter22hunter22" };
    const end = await sh(root, `echo ${token} hunter22hunter22; echo customer-77 >&2`, { env });
    // What the command says is its own.
    expect(end.stdout.toString()).toBe(`${token} hunter22hunter22\n`);
    const log = read(root, LOG);
    for (const secret of [token, "hunter22", "customer-77"]) expect(log).not.toContain(secret);
    expect(log).toContain("[redacted:github-token]");
  });

  test("A11 many at once: a line each", async () => {
    const root = folder();
    await Promise.all(Array.from({ length: 12 }, (_, i) => sh(root, `echo ${i}; exit ${i}`)));
    const codes = records(root).map((record) => Number(record["exit_code"]));
    expect(codes.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  });

  test.each<[string, (root: string) => void, Record<string, string>, string]>([
    ["the variable of its agent", () => undefined, { CODEX_THREAD_ID: "s-codex" }, "s-codex"],
    [
      "the session at work",
      (root) =>
        put(root, ".handoff/sessions/s-7/session.json", {
          agent: "codex",
          started_at: new Date().toISOString(),
        }),
      {},
      "s-7",
    ],
    [
      "the state",
      (root) => put(root, "agent_state.json", { session_id: "s-2041", doing: "x" }),
      {},
      "s-2041",
    ],
    ["the CI job", () => undefined, { GITHUB_RUN_ID: "7" }, "ci-7-1"],
    [
      "the branch",
      (root) => void git(root, "init", "--quiet", "--initial-branch=feat/x"),
      {},
      "local-feat-x",
    ],
  ])("A11 P43 the session's id is that of %s", async (_what, prepare, env, id) => {
    const root = folder();
    prepare(root);
    const end = await start(["exec", "--", "true"], { cwd: root, env });
    expect([end.code, end.stderr]).toEqual([0, ""]);
    expect(records(root, `.handoff/sessions/${id}/feedback.jsonl`)[0]).toMatchObject({
      session_id: id,
      // By the record, or by whose variable it was.
      agent: id === "s-7" || id === "s-codex" ? "codex" : "unknown",
    });
  });

  test("A11 what it recorded is in the packet", async () => {
    const root = bench();
    await start(["exec", "--", "sh", "-c", "echo 'no such table' >&2; exit 9"], { cwd: root });
    await run(root, "generate");
    const failed = packetIn(root)["failed_attempts"] as { what: string; why: string; exit_code: number }[];
    expect(failed.find(({ exit_code }) => exit_code === 9)).toMatchObject({ why: "no such table" });
  });

  test.each<[string[], string, string]>([
    [["exec"], "usage.arguments", "a command is missing"],
    [["exec", "--"], "usage.arguments", "a command is missing"],
    [["exec", "npm", "test"], "usage.arguments", "unexpected argument"],
    [["exec", "--session", "../x", "--", "touch", "ran"], "usage.bad_id", "is not allowed"],
    [["exec", "--timeout", "soon", "--", "touch", "ran"], "usage.value", "a whole number"],
    [["exec", "--tiemout", "5", "--", "touch", "ran"], "usage.option", "unknown option --tiemout"],
  ])("A11 what is not understood is not run: %j", async (args, code, words) => {
    const root = folder();
    const before = tree(root);
    expectUsageError(await run(root, ...args), code, words);
    expect(tree(root)).toEqual(before);
  });

  test("A11 by the long way, with options that the short one leaves alone, it is the same", async () => {
    const root = folder();
    const help = await run(root, "exec", "--help");
    expect([help.code, help.stdout.includes("run the command behind --")]).toEqual([0, true]);
    writeFileSync(path.join(root, "x"), "");
    const end = await execute(
      process.execPath,
      [cli().main, "exec", "--session", "s-1", "--note=-1", "--", "sh", "-c", "ls; exit 4"],
      { cwd: root },
    );
    expect([end.code, end.stdout.toString()]).toEqual([4, "x\n"]);
  });
});
