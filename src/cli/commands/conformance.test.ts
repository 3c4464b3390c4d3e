// handoff conformance (O12, O13): the built command line against executors that are real processes, our own among them.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findByVariable } from "../../io/process-tree.js";
import { useCli } from "../testing/use-cli.js";

const FIXTURES = path.join(import.meta.dirname, "../../../fixtures/executors");
const { cli, folder: emptyFolder, run: runHere, start } = useCli();
const run = (folder: string, args: readonly string[]) => runHere(folder, ...args);
const executor = (file: string, ...args: string[]): string[] => [
  "--executor",
  [process.execPath, path.join(FIXTURES, file), ...args].map((word) => `'${word}'`).join(" "),
];

describe("O12 what is told", () => {
  test("O12 a table and exit 0, for one scenario with its variants", async () => {
    const end = await run(emptyFolder(), [
      "conformance",
      ...executor("honest.mjs"),
      "--scenario",
      "handoff-crash",
    ]);
    expect([end.code, end.stderr]).toEqual([0, ""]);
    const lines = end.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/ {2,}/u).slice(0, 2).join(" "))).toEqual([
      "passed handoff-crash (accepted)",
      "passed handoff-crash (delivered)",
      "passed handoff-crash (begun)",
      "passed handoff-crash (published)",
      "reference: 4 passed, 0 failed, 0 not run",
    ]);
  });

  test("O12 a failure is exit 1, in JSON and in JUnit XML, with what was seen in it as text", async () => {
    const folder = emptyFolder();
    const end = await run(folder, [
      "conformance",
      ...executor("mutants.mjs", "takes-any-note"),
      "--scenario",
      "handoff-invalid-note",
      "--json",
      "--junit",
      "results.xml",
    ]);
    expect(end.code).toBe(1);
    const { ok, results } = JSON.parse(end.stdout);
    expect(ok).toBe(false);
    expect(results).toEqual([
      expect.objectContaining({
        scenario: "handoff-invalid-note",
        status: "failed",
        detail: "req-1 is completed, not not_fulfilled (packet_invalid)",
      }),
    ]);
    const xml = readFileSync(path.join(folder, "results.xml"), "utf8");
    expect(xml).toContain('<testsuites tests="1" failures="1" errors="0" skipped="0"');
    expect(xml).toContain("<failure message=");
  });

  test("O12 a scenario whose capability is not declared is not run, and never passed", async () => {
    const end = await run(emptyFolder(), [
      "conformance",
      ...executor("honest.mjs"),
      "--capabilities",
      "requests,errors",
      "--json",
    ]);
    const { results }: { results: { scenario: string; status: string; detail: string | null }[] } =
      JSON.parse(end.stdout);
    expect(end.code).toBe(0);
    const ran = results.filter(({ status }) => status !== "not-run").map(({ scenario }) => scenario);
    expect(ran).toEqual(["handoff", "handoff-superseded", "errors-reset"]);
    expect(results.find(({ scenario }) => scenario === "handoff-late")).toMatchObject({
      status: "not-run",
      detail: "needs stops",
    });
  });

  test.each([
    ["no executor", [], "conformance.executor", "no executor is named"],
    [
      "a program that is not there",
      ["--executor", "/no/such/thing"],
      "conformance.executor",
      "no such program",
    ],
    [
      "a program that says nothing",
      ["--executor", "true"],
      "conformance.executor",
      "ended instead of answering hello",
    ],
    ["a program that says something else", ["--executor", "echo hello"], "conformance.executor", "no JSON"],
    ["a shell's line", ["--executor", "a | b"], "usage.value", "a shell would act"],
    [
      "an unknown scenario",
      ["--executor", "true", "--scenario", "handof"],
      "usage.value",
      "did you mean handoff?",
    ],
    ["an unknown capability", ["--executor", "true", "--capabilities", "flying"], "usage.value", "flying"],
    [
      "a report nowhere",
      ["--executor", "true", "--junit", "no/such/folder.xml"],
      "conformance.junit",
      "not there",
    ],
  ])("O12 %s: exit 2", async (_, args, code, words) => {
    const end = await run(emptyFolder(), ["conformance", ...args]);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(code);
    expect(end.stderr).toContain(words);
  });

  test("O12 an executor that does not answer fails within its time, and is ended", async () => {
    const folder = emptyFolder();
    const file = path.join(folder, "silent.mjs");
    writeFileSync(
      file,
      `import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, op } = JSON.parse(line);
  if (op === "hello") console.log(JSON.stringify({ id, ok: true, protocol: 1, name: "<silent> & \\u0007", capabilities: ["requests", "errors"] }));
});
`,
    );
    const words = `'${process.execPath}' '${file}'`;
    const end = await run(folder, [
      "conformance",
      "--executor",
      words,
      "--scenario",
      "errors-reset",
      "--timeout",
      "8",
      "--junit",
      "r.xml",
    ]);
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining("did not answer open within 8 s")]);
    const xml = readFileSync(path.join(folder, "r.xml"), "utf8");
    expect(xml).toContain('classname="&lt;silent&gt; &amp; \uFFFD"');
  });
});

describe("O12 an executor of any make", () => {
  /** Answers `hello`, and does what `then` says with anything else. */
  const program = (folder: string, then: string, before = ""): string => {
    const file = path.join(folder, "own.mjs");
    const hello = `{ ok: true, protocol: 1, name: "own", capabilities: ["requests", "errors"] }`;
    writeFileSync(
      file,
      `import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n");
${before}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, op } = JSON.parse(line);
  if (op === "hello") say({ id, ...${hello} });
  else { ${then} }
});
`,
    );
    return `node ${path.relative(folder, file)}`;
  };
  const played = ["--scenario", "errors-reset", "--timeout", "120"];

  test("O12 is named as in a shell, from where the person is", async () => {
    const folder = emptyFolder();
    for (const file of ["honest.mjs", "reference.mjs"])
      cpSync(path.join(FIXTURES, file), path.join(folder, file));
    const end = await run(folder, ["conformance", "--executor", "node honest.mjs", ...played]);
    expect([end.code, end.stderr]).toEqual([0, ""]);
  });

  test("O12 of which nothing can be asked has shown nothing: exit 1", async () => {
    const end = await run(emptyFolder(), [
      "conformance",
      ...executor("honest.mjs"),
      "--capabilities",
      "errors",
      "--scenario",
      "handoff",
    ]);
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining("0 passed, 0 failed, 1 not run")]);
  });

  test.each([
    [
      "that answers before it is asked",
      `process.stdout.write('{"id":2,"ok":true}\\n{"id":3,"ok":true}\\n');`,
      "nobody has asked",
    ],
    ["that answers another question", "say({ id: id + 1, ok: true });", "the executor answers 3"],
    // In one piece: with the answer there is always more than that.
    [
      "that talks without end",
      String.raw`for (;;) process.stdout.write('{"id":2,"ok":true}\n'.repeat(50));`,
      "nobody has asked",
    ],
    ["that dies", "console.error('no more'); process.exit(3);", "its last words: no more"],
    ["that leaves half an answer", "process.stdout.write('{\"id\":'); process.exit(0);", "no JSON"],
  ])("O12 one %s fails", async (_, then, words) => {
    const folder = emptyFolder();
    const end = await run(folder, ["conformance", "--executor", program(folder, then), ...played]);
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining(words)]);
  });

  test("O12 nothing is left of one that starts others and heeds no signal", async () => {
    const folder = emptyFolder();
    const tmp = path.join(folder, "tmp");
    mkdirSync(tmp);
    const before = `process.on("SIGTERM", () => undefined);
spawn("sleep", ["600"], { detached: true, stdio: "inherit" });`;
    const words = program(folder, "setInterval(() => undefined, 1000);", before);
    const env = { TMPDIR: tmp, MADE_FOR_THIS_TEST: folder };
    const args = ["conformance", "--executor", words, "--scenario", "errors-reset", "--timeout", "8"];
    const end = await start(args, { cwd: folder, env });
    expect([end.code, end.stdout]).toEqual([1, expect.stringContaining("did not answer open within 8 s")]);
    expect(await findByVariable("MADE_FOR_THIS_TEST", folder)).toEqual([]);
    expect(readdirSync(tmp)).toEqual([]);
  });
});

describe("O13 our own", () => {
  test("O13 handoff conformance --serve is an executor, as it is installed", async () => {
    const words = [process.execPath, cli().main, "conformance", "--serve"]
      .map((word) => `'${word}'`)
      .join(" ");
    const end = await run(emptyFolder(), [
      "conformance",
      "--executor",
      words,
      "--scenario",
      "handoff",
      "--timeout",
      "120",
    ]);
    expect(end.stdout).toContain("handoff run: 1 passed, 0 failed, 0 not run");
    expect(end.code).toBe(0);
  });
});
