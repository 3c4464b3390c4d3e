// P39 handoff edit: editors that are real scripts, real files; where it matters the built command line.
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainEnvironment, type CliRun } from "../testing/built-cli.js";
import { runHere } from "../testing/run-here.js";
import { git, put } from "../testing/sample-workbench.js";
import { SESSION, expectUsageError, packetIn, read, tree, useCli } from "../testing/use-cli.js";

const { bench, cli, folder, start } = useCli();
const run = (cwd: string, ...args: string[]): Promise<CliRun> => runHere(args, { cwd });

/** An editor: a shell script that gets the file as its last argument. */
function editor(body: string, name = "editor.sh", where = folder()): string {
  mkdirSync(where, { recursive: true });
  const file = path.join(where, name);
  writeFileSync(file, `#!/bin/sh\nfor file; do :; done\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}
const sed = (expression: string): string => editor(`sed -i -e ${JSON.stringify(expression)} "$file"`);
const edit = (root: string, EDITOR: string, ...args: string[]): Promise<CliRun> =>
  runHere(["edit", ...args], { cwd: root, env: { EDITOR } });
const edits = (root: string, session = SESSION): Record<string, unknown> =>
  JSON.parse(read(root, `${session}/edits.json`)) as Record<string, unknown>;
const rejected = (root: string): string[] =>
  readdirSync(path.join(root, SESSION)).filter((name) => name.startsWith("rejected-edit-"));
const NEXT = "s/^next_action:.*/next_action: ask the owner first/";

describe("P39 handoff edit", () => {
  test("changes both files, names edits.json as the source, gives a new id, and check agrees", async () => {
    const root = bench();
    await run(root, "generate");
    const before = packetIn(root)["packet_id"];
    const { code, stdout, stderr } = await edit(root, sed(NEXT));
    const packet = packetIn(root);
    expect([code, stdout, stderr]).toEqual([
      0,
      `${SESSION}/handoff.md\nedited: next_action; now ${String(packet["packet_id"])}\n`,
      "",
    ]);
    expect(packet["packet_id"]).not.toBe(before);
    expect(packet).toMatchObject({
      next_action: "ask the owner first",
      next_action_source: {
        derived: false,
        source: { path: `${SESSION}/edits.json`, pointer: "/next_action" },
      },
      status: "active",
      supersedes: null,
    });
    expect(read(root, `${SESSION}/handoff.md`)).toContain("ask the owner first");
    expect(edits(root)).toMatchObject({
      next_action: { from: "mend what ruff says about app/signup.py", to: "ask the owner first" },
    });
    expect(await run(root, "check")).toMatchObject({ code: 0 });
    expect((await run(root, "brief")).stdout).toContain("ask the owner first");
  });

  test("is applied again whenever the session's packet is generated, and told when something newer stands behind it", async () => {
    const root = bench();
    await run(root, "generate");
    await edit(root, sed(NEXT));
    const edited = tree(root);
    expect((await run(root, "generate")).stdout).toContain("unchanged: the packet was already there");
    expect(tree(root)).toEqual(edited);
    put(root, "feedback_record.jsonl", '{"command": "make", "exit_code": 3}\n');
    expect((await run(root, "generate")).stderr).toBe("");
    expect(packetIn(root)).toMatchObject({ next_action: "ask the owner first", feedback: { total: 1 } });
    put(root, "agent_state.json", {
      session_id: "s-2041",
      active_task_id: "T-001",
      next_action: "open a pull request",
    });
    const { code, stderr } = await run(root, "generate");
    expect(code).toBe(0);
    expect(stderr).toContain(
      `handoff: edit.outdated: an edit stands in front of what was recorded after it: next_action (${SESSION}/edits.json)`,
    );
    expect(packetIn(root)["next_action"]).toBe("ask the owner first");
  });

  test("a second edit joins the first", async () => {
    const root = bench();
    await run(root, "generate");
    await edit(root, sed(NEXT));
    await edit(
      root,
      editor(
        `sed -i -e 's/sending from the request/sending inside the request/' -e 's/^scene: .*/scene: [docs, app]/' "$file"`,
      ),
    );
    expect(packetIn(root)).toMatchObject({
      next_action: "ask the owner first",
      scene: ["docs", "app"],
      failed_attempts: expect.arrayContaining([
        expect.objectContaining({
          kind: "dead_end",
          what: "sending inside the request",
          why: "it times out",
          source: { path: `${SESSION}/edits.json`, pointer: "/dead_ends/items/0" },
        }),
      ]),
    });
    const before = tree(root);
    await run(root, "generate");
    expect(tree(root)).toEqual(before);
  });

  test("left as it was says so and writes nothing; emptied refuses", async () => {
    const root = bench();
    await run(root, "generate");
    const before = tree(root);
    expect(await edit(root, "true")).toEqual({
      code: 0,
      stdout: `unchanged: ${SESSION}/handoff.md\n`,
      stderr: "",
    });
    expect((await edit(root, sed("s/^# Change.*/# a comment/"))).stdout).toMatch(/^unchanged/u);
    for (const body of [': > "$file"', 'rm "$file"', 'echo "# nothing" > "$file"'])
      expect(await edit(root, editor(body))).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("handoff: edit.empty: "),
      });
    expect(tree(root)).toEqual(before);
  });

  test("an edit that cannot be used is kept beside the packet, told with its lines, and used once it is mended", async () => {
    const root = bench();
    await run(root, "generate");
    const packet = read(root, `${SESSION}/handoff.json`);
    const result = await edit(root, sed("s/^doing:.*/doings: x/; s/^next_action:.*/next_action: TBD/"));
    expect([result.code, result.stdout]).toEqual([2, ""]);
    const [name] = rejected(root);
    expect(result.stderr).toContain(
      `handoff: edit.invalid: unknown field "doings"; did you mean doing?; nothing was changed (${SESSION}/${name}:9)\n`,
    );
    expect(result.stderr).toContain(
      `handoff: edit.invalid: doing is missing; leave it as it was (${SESSION}/${name}:6)\n`,
    );
    expect(result.stderr).toContain(`  mend it there, then: handoff edit --from ${SESSION}/${name}\n`);
    expect(read(root, `${SESSION}/handoff.json`)).toBe(packet);
    const kept = read(root, `${SESSION}/${name}`);
    expect(kept).toContain("next_action: TBD");
    put(
      root,
      `${SESSION}/${name}`,
      kept.replace("doings: x", "doing: x").replace("TBD", "ask the owner first"),
    );
    expect(await run(root, "edit", "--from", `${SESSION}/${name}`)).toMatchObject({ code: 0, stderr: "" });
    expect(packetIn(root)).toMatchObject({ next_action: "ask the owner first", doing: "x" });
    expect(rejected(root)).toEqual([]);
  });

  test("an editor that fails changes nothing, and what was written in it is kept", async () => {
    const root = bench();
    await run(root, "generate");
    const before = tree(root);
    expect(await edit(root, "false")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        "handoff: editor.failed: the editor failed (it ended with 1), nothing was changed\n",
      ),
    });
    expect(await edit(root, "/no/such/editor")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no such program"),
    });
    expect(await edit(root, editor("kill -9 $$"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it ended with 137"),
    });
    expect(tree(root)).toEqual(before);
    const { code, stderr } = await edit(root, editor('echo "my words" >> "$file"; exit 7'));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("it ended with 7), what was written is kept"),
    ]);
    expect(read(root, `${SESSION}/${rejected(root)[0]}`)).toContain("my words");
    expect(packetIn(root)["next_action"]).toBe("mend what ruff says about app/signup.py");
  });

  test("EDITOR with arguments, quotes and spaces; VISUAL goes first; none is a clear error", async () => {
    const root = bench();
    await run(root, "generate");
    const spaced = editor(
      `[ "$1" = "--wait" ] && [ "$2" = "two words" ] && sed -i -e 's/^doing:.*/doing: quoted/' "$file"`,
      "my editor.sh",
      path.join(folder(), "a b"),
    );
    expect((await edit(root, `"${spaced}" --wait 'two words'`)).stdout).toContain("edited: doing");
    const bare = editor(
      `sed -i -e 's/^doing:.*/doing: bare/' "$file"`,
      "my editor.sh",
      path.join(folder(), "c d"),
    );
    expect((await edit(root, bare)).stdout).toContain("edited: doing");
    const visual = await runHere(["edit"], {
      cwd: root,
      env: { EDITOR: "false", VISUAL: sed("s/^doing:.*/doing: visual/") },
    });
    expect(visual.stdout).toContain("edited: doing");
    expect(packetIn(root)["doing"]).toBe("visual");
    for (const env of [{}, { EDITOR: "", VISUAL: "  " }])
      expectUsageError(await runHere(["edit"], { cwd: root, env }), "editor.missing", "--from FILE");
  });

  test("a workbench with spaces and a quote in its path, and an editor that prints to stdout", async () => {
    const root = path.join(folder(), 'it\'s a "bench" $HOME');
    mkdirSync(root);
    put(root, "agent_state.json", { session_id: "s-1", next_action: "x the y" });
    await run(root, "generate");
    const loud = editor(`echo noise; sed -i -e '${NEXT}' "$file"`);
    const { code, stdout, stderr } = await start(["edit", "--json"], { cwd: root, env: { EDITOR: loud } });
    expect([code, stderr]).toEqual([0, "noise\n"]);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      changed: ["next_action"],
      packet: { next_action: "ask the owner first" },
    });
  });

  test("only an active packet can be edited, and none that was changed by hand", async () => {
    const root = bench();
    await run(root, "generate");
    const old = String(packetIn(root)["packet_id"]);
    put(
      root,
      `${SESSION}/handoff.json`,
      read(root, `${SESSION}/handoff.json`).replace("mend what", "see what"),
    );
    expect(await edit(root, sed(NEXT))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("edit.changed_by_hand"),
    });
    await run(root, "generate");
    put(root, "agent_state.json", { session_id: "s-2042", active_task_id: "T-001", next_action: "go on" });
    await run(root, "generate");
    expect(await edit(root, sed(NEXT), "s-2041")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is superseded"),
    });
    expect((await edit(root, sed(NEXT), old)).code).toBe(1);
    expect((await edit(root, sed(NEXT), "nobody")).code).toBe(1);
  });

  test("a packet that was generated again while it was being edited gets the edit; one that was taken over does not, and the edit is kept", async () => {
    const root = bench();
    await run(root, "generate");
    const meanwhile = `cd ${JSON.stringify(root)} && ${process.execPath} ${cli().main} generate >/dev/null 2>&1`;
    const busy = editor(
      `echo '{"command": "make", "exit_code": 0}' >> ${root}/feedback_record.jsonl; ${meanwhile}; sed -i -e '${NEXT}' "$file"`,
    );
    expect((await edit(root, busy)).code).toBe(0);
    expect(packetIn(root)).toMatchObject({ next_action: "ask the owner first", feedback: { total: 4 } });
    put(root, "next.json", { session_id: "s-2042", active_task_id: "T-001", next_action: "go on" });
    const thief = editor(
      `cp ${root}/next.json ${root}/agent_state.json; ${meanwhile}; sed -i -e 's/^doing:.*/doing: late/' "$file"`,
    );
    const { code, stderr } = await edit(root, thief);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/edit\.outrun: packet hp_[0-9a-f]{16} of session s-2042 took over/u),
    ]);
    expect(read(root, `${SESSION}/${rejected(root)[0]}`)).toContain("doing: late");
    expect(packetIn(root, "outputs/handoff/s-2042")["doing"]).toBeNull();
  });

  test("S8 editing a packet that somebody took leaves it as it was taken and follows it", async () => {
    const root = bench();
    await run(root, "generate");
    const taken = String(packetIn(root)["packet_id"]);
    await run(root, "brief", "--consume", "--by", "s-2042");
    const { code } = await edit(root, sed(NEXT));
    expect(code).toBe(0);
    expect(packetIn(root)).toMatchObject({
      packet_id: taken,
      status: "superseded",
      next_action: "mend what ruff says about app/signup.py",
    });
    const now = JSON.parse((await run(root, "show", "--json")).stdout) as Record<string, unknown>;
    expect(now).toMatchObject({
      supersedes: taken,
      next_action: "ask the owner first",
      session_id: "s-2041",
    });
    const source = (now["next_action_source"] as { source: { path: string } }).source.path;
    expect(JSON.parse(read(root, source))).toMatchObject({ next_action: { to: "ask the owner first" } });
    const before = tree(root);
    await run(root, "generate");
    expect(tree(root)).toEqual(before);
  });

  test("an edits.json that cannot be read is told and never written over", async () => {
    const root = bench();
    await run(root, "generate");
    await edit(root, sed(NEXT));
    put(root, `${SESSION}/edits.json`, '{"next_action": "half');
    const { code, stderr } = await run(root, "generate");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("handoff: packet.edits_unusable: edits cannot be applied: "),
    ]);
    expect(await edit(root, sed("s/^doing:.*/doing: x/"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("edit.edits_unusable"),
    });
    expect(read(root, `${SESSION}/edits.json`)).toBe('{"next_action": "half');
    expect(rejected(root)).toHaveLength(1);
  });

  test("where nothing can be written the edit is kept among temporary files", async () => {
    const root = bench();
    await run(root, "generate");
    const before = tree(root);
    const temporary = folder();
    chmodSync(temporary, 0o777);
    chmodSync(root, 0o755);
    // Another user: permissions do not stop root.
    const env = {
      EDITOR: sed(NEXT),
      TMPDIR: temporary,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    };
    chmodSync(path.dirname(env.EDITOR), 0o755);
    const { code, stderr } = await start(["edit"], { cwd: root, env, uid: 65_534 });
    expect([code, stderr]).toEqual([2, expect.stringContaining("handoff: write.denied: ")]);
    const kept = /^handoff: the edit is kept: (\S+)$/mu.exec(stderr)?.[1] ?? "";
    expect(kept.startsWith(`${temporary}/handoff-edit-`)).toBe(true);
    expect(readFileSync(kept, "utf8")).toContain("ask the owner first");
    expect(tree(root)).toEqual(before);
    expect(await run(root, "edit", "--from", kept)).toMatchObject({ code: 0 });
    expect(packetIn(root)["next_action"]).toBe("ask the owner first");
  });

  test("an edits.json that is a link to elsewhere is not read", async () => {
    const root = bench();
    await run(root, "generate");
    const outside = put(folder(), "edits.json", "{}");
    symlinkSync(outside, path.join(root, SESSION, "edits.json"));
    expect((await run(root, "generate")).stderr).toContain("packet.edits_unusable");
  });

  test("in a terminal the editor has the terminal", async () => {
    const root = bench();
    await run(root, "generate");
    const checks = editor(`[ -t 0 ] && [ -t 1 ] && sed -i -e '${NEXT}' "$file"`);
    // util-linux's script runs it on a terminal of its own.
    const command = [process.execPath, cli().main, "edit"].map((word) => JSON.stringify(word)).join(" ");
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: root,
      env: plainEnvironment({ TERM: "xterm", EDITOR: checks }),
      stdio: ["ignore", "ignore", "ignore"],
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(packetIn(root)["next_action"]).toBe("ask the owner first");
  });
});

describe("P39 changed by hand", () => {
  test("changes of editable fields in handoff.json are taken over as edits, the changed file is kept, and both are said", async () => {
    const root = bench();
    await run(root, "generate");
    const changed = read(root, `${SESSION}/handoff.json`)
      .replace("mend what ruff says about app/signup.py", "ask the owner first")
      .replace("it times out", "it times out after 30 s");
    put(root, `${SESSION}/handoff.json`, changed);
    expect((await run(root, "check")).stderr).toContain(
      "handoff: drift.packet_edited: handoff.json was changed by hand",
    );
    const { code, stderr } = await run(root, "generate");
    expect(code).toBe(0);
    expect(stderr).toContain(
      `handoff: edit.taken_over: changes made by hand are kept as edits: next_action, dead_ends (`,
    );
    expect(stderr).toContain("handoff: packet.edited: ");
    const kept = readdirSync(path.join(root, "outputs/handoff/archive/edited"));
    expect(kept.map((name) => read(root, `outputs/handoff/archive/edited/${name}`))).toEqual([changed]);
    expect(packetIn(root)).toMatchObject({
      next_action: "ask the owner first",
      next_action_source: { source: { path: `${SESSION}/edits.json` } },
      failed_attempts: expect.arrayContaining([
        expect.objectContaining({ kind: "dead_end", why: "it times out after 30 s" }),
      ]),
    });
    expect((await run(root, "check")).code).toBe(0);
    const before = tree(root);
    expect((await run(root, "generate")).stderr).toBe("");
    expect(tree(root)).toEqual(before);
  });

  test("--dry-run and --stdout show what would be taken over and write nothing", async () => {
    const root = bench();
    await run(root, "generate");
    put(
      root,
      `${SESSION}/handoff.json`,
      read(root, `${SESSION}/handoff.json`).replace("mend what", "my own words about what"),
    );
    const before = tree(root);
    expect((await run(root, "generate", "--dry-run")).stdout).toContain("my own words");
    expect((await run(root, "generate", "--stdout", "json")).stdout).toContain("my own words");
    expect(tree(root)).toEqual(before);
  });

  test("other branches of the same session keep edits of their own", async () => {
    const root = bench();
    await run(root, "generate");
    await edit(root, sed(NEXT));
    git(root, "checkout", "--quiet", "main");
    await run(root, "generate");
    const other = JSON.parse((await run(root, "show", "--json")).stdout) as Record<string, unknown>;
    expect(other["next_action"]).toBe("mend what ruff says about app/signup.py");
    expect(existsSync(path.join(root, SESSION, "edits.json"))).toBe(true);
    expect(readFileSync(path.join(root, SESSION, "handoff.json"), "utf8")).toContain("ask the owner first");
  });
});
