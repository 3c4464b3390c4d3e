// handoff note as agents run it (A11): where a note goes, what is never written over, and that many at once lose nothing.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { OWN_IGNORE_TEXT } from "../../io/handoff-folder.js";
import { put } from "../testing/sample-workbench.js";
import { expectUsageError, packetIn, read, tree, useCli } from "../testing/use-cli.js";

const { bench, folder, run, start } = useCli();

const OWN = ".handoff/sessions/s-9/agent_state.json";
const AS_S9 = { CLAUDE_CODE_SESSION_ID: "s-9" };
const json = (root: string, file: string) => JSON.parse(read(root, file)) as Record<string, unknown>;

/** A workbench with these files and no repository. */
function workbench(files: Readonly<Record<string, unknown>>): string {
  const root = folder();
  put(root, ".handoff/.gitignore", OWN_IGNORE_TEXT);
  put(root, ".handoff/sessions/.gitignore", "*\n");
  for (const [name, content] of Object.entries(files)) put(root, name, content);
  return root;
}

describe("A11 where a note goes", () => {
  test("A11 into the workbench's state, and from there into the packet", async () => {
    const root = bench();
    const before = json(root, "agent_state.json");
    const noted = await run(root, "note", "next", "run", "the", "whole suite");
    expect(noted).toEqual({
      code: 0,
      stdout: "noted next action: run the whole suite (agent_state.json)\n",
      stderr: "",
    });
    expect(json(root, "agent_state.json")).toEqual({ ...before, next_action: "run the whole suite" });
    expect((await run(root, "generate")).code).toBe(0);
    expect(packetIn(root)["next_action"]).toBe("run the whole suite");
  });

  test("A11 into the session's own, where the workbench's state is another session's", async () => {
    const root = bench();
    const before = read(root, "agent_state.json");
    const noted = await start(["note", "next", "mine"], { cwd: path.join(root, "app"), env: AS_S9 });
    expect(noted.stdout).toBe(`noted next action: mine (${root}/${OWN})\n`);
    expect(read(root, "agent_state.json")).toBe(before);
    expect(json(root, OWN)).toMatchObject({ schema_version: 1, session_id: "s-9", next_action: "mine" });
    expect(read(root, ".handoff/sessions/.gitignore")).toBe("*\n");
    await run(root, "generate", "--session", "s-9");
    expect(packetIn(root, "outputs/handoff/s-9")).toMatchObject({
      next_action: "mine",
      next_action_source: { source: { path: OWN, pointer: "/next_action" } },
    });
  });

  test.each<[string, Record<string, unknown>, Record<string, string>, string]>([
    [
      "the state that names this session",
      { "agent_state.json": { session_id: "s-9", doing: "x" } },
      AS_S9,
      "agent_state.json",
    ],
    ["the state that names none", { "agent_state.json": { doing: "x" } }, AS_S9, "agent_state.json"],
    [
      "a placeholder is no name",
      { "agent_state.json": { session_id: "current", doing: "x" } },
      AS_S9,
      "agent_state.json",
    ],
    [
      "the session's own before both",
      { [OWN]: { doing: "x" }, "agent_state.json": { doing: "x" } },
      AS_S9,
      OWN,
    ],
    ["no state at all", {}, AS_S9, OWN],
    ["no state and no session", {}, {}, ".handoff/agent_state.json"],
    [
      "something else of that name",
      { "agent_state.json": { messages: [] } },
      {},
      ".handoff/agent_state.json",
    ],
    [
      "the own one of the session that the state names",
      { [OWN]: { doing: "x" }, "agent_state.json": { session_id: "s-9", doing: "x" } },
      {},
      OWN,
    ],
    [
      "a configured place",
      { "handoff.config.json": { artifacts: { state: ["work/<session_id>.json", "state.json"] } } },
      AS_S9,
      "work/s-9.json",
    ],
    [
      "a configured pattern's file",
      { "handoff.config.json": { artifacts: { state: ["work/*.json"] } }, "work/a.json": { doing: "x" } },
      {},
      "work/a.json",
    ],
  ])("A11 %s", async (_what, files, env, expected) => {
    const root = workbench(files);
    const before = tree(root);
    const noted = await start(["note", "question", "how many?", "--json"], { cwd: root, env });
    expect(JSON.parse(noted.stdout)).toMatchObject({
      ok: true,
      file: path.join(root, expected),
      session_id: env["CLAUDE_CODE_SESSION_ID"] ?? null,
      field: "questions",
      text: "how many?",
      changed: true,
      error: null,
    });
    expect(json(root, expected)["questions"]).toEqual(["how many?"]);
    const after = tree(root);
    const touched = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(touched).toEqual([expected]);
  });

  test("A11 a configuration that names no free place says so", async () => {
    const root = workbench({ "handoff.config.json": { artifacts: { state: ["work/*.json"] } } });
    const before = tree(root);
    expectUsageError(await run(root, "note", "next", "x"), "note.no_place", "none of the places");
    expect(tree(root)).toEqual(before);
  });

  test("A11 the session by option, by our own variable, by the record of the one at work", async () => {
    const root = workbench({
      ".handoff/sessions/s-7/session.json": {
        session_id: "s-7",
        agent: "codex",
        started_at: new Date().toISOString(),
      },
    });
    const env = { HANDOFF_SESSION_ID: "s-8", ...AS_S9 };
    await start(["note", "doing", "a", "--session", "s-6"], { cwd: root, env });
    await start(["note", "doing", "b"], { cwd: root, env });
    await run(root, "note", "doing", "c");
    for (const [id, doing] of [
      ["s-6", "a"],
      ["s-8", "b"],
      ["s-7", "c"],
    ] as const)
      expect(json(root, `.handoff/sessions/${id}/agent_state.json`)["doing"]).toBe(doing);
    const odd = await start(["note", "doing", "d"], { cwd: root, env: { HANDOFF_SESSION_ID: "../x" } });
    expect(odd.stderr).toContain("handoff: id.invalid: session id");
    expect(json(root, ".handoff/sessions/s-7/agent_state.json")["doing"]).toBe("d");
  });
});

describe("A11 what is there is safe", () => {
  test.each<[string, string | Buffer, string]>([
    ["half written", '{"next_action": "o', "is not JSON: it ends too early"],
    ["empty", "", "is not JSON: it is empty"],
    ["another encoding", Buffer.from('\ufeff{"next_action": "old"}', "utf16le"), "is not UTF-8"],
    [
      "broken text",
      Buffer.concat([Buffer.from('{"next_action": "'), Buffer.from([0xff]), Buffer.from('"}')]),
      "is not UTF-8",
    ],
    [
      "a list that is none",
      '{"next_action": "old", "questions": {"a": 1}}',
      "/questions of the state is no list",
    ],
  ])("A11 a state that cannot be used is an error, and stays as it is: %s", async (_what, content, words) => {
    for (const file of [OWN, ".handoff/agent_state.json", "agent_state.json"]) {
      const root = workbench({});
      const absolute = put(root, file, "");
      writeFileSync(absolute, content);
      const before = tree(root);
      const noted = await start(["note", "question", "how many?"], { cwd: root, env: AS_S9 });
      expectUsageError(noted, "note.unusable_state", words);
      expect(tree(root)).toEqual(before);
    }
  });

  test("A11 S18 a FIFO, a folder, a link that leads outside: errors at once, nothing written", async () => {
    const outside = put(folder(), "agent_state.json", { doing: "theirs" });
    const link = workbench({});
    symlinkSync(outside, path.join(link, "agent_state.json"));
    expectUsageError(await run(link, "note", "next", "x"), "note.unusable_state", "outside root");
    expect(JSON.parse(readFileSync(outside, "utf8"))).toEqual({ doing: "theirs" });
    const fifo = workbench({});
    execFileSync("mkfifo", [path.join(fifo, "agent_state.json")]);
    expectUsageError(await run(fifo, "note", "next", "x"), "note.unusable_state", "not regular");
    const sessions = folder();
    const elsewhere = folder();
    put(sessions, ".handoff/x", "");
    symlinkSync(elsewhere, path.join(sessions, ".handoff/sessions"));
    const refused = await start(["note", "next", "x"], { cwd: sessions, env: AS_S9 });
    expectUsageError(refused, "write.outside", "refusing to write outside");
    expect(tree(elsewhere)).toEqual({});
  });

  test("A11 a link to a file inside stays a link; a byte order mark and line ends stay", async () => {
    const root = workbench({ "real/state.json": '\ufeff{\r\n  "doing": "x"\r\n}\r\n' });
    symlinkSync("real/state.json", path.join(root, "agent_state.json"));
    expect((await run(root, "note", "doing", "y")).code).toBe(0);
    expect(lstatSync(path.join(root, "agent_state.json")).isSymbolicLink()).toBe(true);
    expect(read(root, "real/state.json")).toBe('\ufeff{\r\n  "doing": "y"\r\n}\r\n');
  });

  test("A11 many at once lose nothing", async () => {
    const root = workbench({ "agent_state.json": { doing: "x", mine: { kept: true } } });
    const texts = Array.from({ length: 24 }, (_, i) => `what ${i}?`);
    const words = ["question", "assume", "dead-end", "risk"];
    const runs = await Promise.all(
      texts.map((text, i) => run(root, "note", words[i % words.length] ?? "", text)),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(texts.map(() => [0, ""]));
    const state = json(root, "agent_state.json");
    const all = [state["questions"], state["assumptions"], state["dead_ends"], state["risks"]].flat() as (
      | string
      | { what?: string; detail?: string }
    )[];
    const noted = all.map((one) => (typeof one === "string" ? one : (one.what ?? one.detail ?? "")));
    expect(noted.sort()).toEqual([...texts].sort());
    expect([state["doing"], state["mine"]]).toEqual(["x", { kept: true }]);
    expect(Object.keys(tree(root)).filter((name) => name.includes(".tmp") || name.includes(".lock"))).toEqual(
      [],
    );
  });

  test("A11 the same note again writes nothing", async () => {
    const root = bench();
    await run(root, "note", "dead-end", "a global lock", "--why", "it deadlocks");
    const before = tree(root);
    const again = await run(root, "note", "dead-end", "a  global lock", "--why", "it deadlocks");
    expect(again.stdout).toBe("already noted dead end: a global lock (it deadlocks) (agent_state.json)\n");
    expect(tree(root)).toEqual(before);
  });
});

describe("A11 what is noted", () => {
  const SECRET = `ghp_${"Ab1".repeat(12)}`;

  test("S13 no secret reaches the disk or the terminal, whatever part it stands in", async () => {
    const root = workbench({
      "handoff.config.json": { redaction: { patterns: { customer: String.raw`customer-\d+` } } },
    });
    const noted = await start(
      ["note", "decided", `use ${SECRET} of customer-77`, "--why", "hunter22hunter22"],
      {
        cwd: root,
        env: { DB_PASSWORD: "hunter22hunter22" },
      },
    );
    expect(noted.code).toBe(0);
    const kept = read(root, ".handoff/agent_state.json");
    expect(kept).toContain("use [redacted:github-token] of [redacted:customer]");
    for (const text of [kept, noted.stdout, noted.stderr]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("hunter22");
      expect(text).not.toContain("customer-77");
    }
    const before = tree(root);
    const id = await run(root, "note", "next", "x", "--session", SECRET);
    expect([id.code, id.stderr.includes("usage.bad_id"), id.stderr.includes(SECRET)]).toEqual([
      2,
      true,
      false,
    ]);
    expect(tree(root)).toEqual(before);
  });

  test("P36 nothing that commands a terminal is kept", async () => {
    const root = workbench({});
    await run(root, "note", "doing", "\u001b[31mred\u001b[0m \u0007 \u202etxt", "--why", "a\nb");
    expect(json(root, ".handoff/agent_state.json")["doing"]).toBe(String.raw`red  \u202etxt` + " (a\nb)");
  });

  test("A11 a text may begin with a dash, behind --", async () => {
    const root = workbench({});
    await run(root, "note", "next", "--why", "x", "--", "--force", "is", "wrong");
    expect(json(root, ".handoff/agent_state.json")["next_action"]).toBe("--force is wrong (x)");
  });

  test.each<[string[], string, string]>([
    [["note"], "usage.value", "what kind of note is missing"],
    [["note", "later", "x"], "usage.value", 'nothing is noted as "later"'],
    [["note", "next"], "usage.value", "a text is missing"],
    [["note", "next", " "], "usage.value", "a text is missing"],
    [["note", "next", "TBD"], "usage.value", "says nothing"],
    [["note", "question", "x".repeat(601)], "usage.value", "601 bytes is more than the 600"],
    [["note", "next", "é".repeat(2001)], "usage.value", "4002 bytes is more than the 4000"],
    [["note", "decided", "x", "--why", "y".repeat(600)], "usage.value", "604 bytes is more than the 600"],
    [["note", "next", "x", "--waits-for", "human"], "usage.value", "--waits-for is a blocker's"],
    [["note", "next", "x", "--severity", "block"], "usage.value", "--severity is a risk's"],
    [["note", "risk", "x", "--severity", "awful"], "usage.value", "expected block or warn or info"],
    [["note", "next", "x", "--whi", "y"], "usage.option", "unknown option --whi"],
    [["note", "next", "x", "--session", "../y"], "usage.bad_id", "is not allowed"],
    [["note", "next", "x", "--root", "nowhere"], "root.not_a_folder", "does not exist"],
  ])("A11 refuses %j", async (args, code, words) => {
    const root = workbench({});
    expectUsageError(await run(root, ...args), code, words);
    expect(existsSync(path.join(root, ".handoff/agent_state.json"))).toBe(false);
  });

  test("A11 a blocker that waits for a person is a question, a risk has its severity, what is resolved is gone", async () => {
    const root = bench();
    await run(root, "note", "blocker", "which limit?", "--waits-for", "human");
    await run(root, "note", "blocker", "CI is down");
    await run(root, "note", "risk", "the map is never emptied", "--severity", "block");
    await run(root, "generate");
    const risks = () =>
      (packetIn(root)["open_risks"] as { severity: string; detail: string }[]).map(
        (one) => `${one.severity} ${one.detail}`,
      );
    expect(risks().slice(0, 3)).toEqual([
      "block which limit? (waits for human)",
      "block CI is down",
      "block the map is never emptied",
    ]);
    const [question] = packetIn(root)["questions_for_human"] as { id: string; text: string }[];
    expect(question?.text).toBe("which limit?");
    await run(root, "note", "resolved", question?.id ?? "");
    await run(root, "note", "resolved", "the map is never emptied");
    await run(root, "generate");
    expect(risks()[0]).toBe("block CI is down");
    expect(risks().some((risk) => risk.includes("which limit") || risk.includes("the map"))).toBe(false);
    expect(packetIn(root)["questions_for_human"]).toEqual([]);
  });
});
