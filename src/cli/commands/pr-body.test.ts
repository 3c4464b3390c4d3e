// A17: the pull request body through pipes, as gh is used with it: `pr-body | gh pr create --body-file -`, and a body that is
// fetched, refreshed and put back.
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { plainEnvironment } from "../testing/built-cli.js";
import { put } from "../testing/sample-workbench.js";
import { expectUsageError, useCli } from "../testing/use-cli.js";

const { cli, bench, run } = useCli();
/** GitHub's limit for a body, in characters. */
const LIMIT = 65_536;

let root = "";

async function published(decisions = 3): Promise<void> {
  root = bench();
  put(root, "agent_state.json", {
    session_id: "s-2041",
    next_action: "go on",
    decisions: Array.from({ length: decisions }, (_, i) => ({ what: `decision ${i}`, why: "w".repeat(80) })),
  });
  expect((await run(root, "generate", "--max-bytes", "2000000")).code).toBe(0);
}

/** The command line with something on stdin. */
function piped(input: string | Buffer, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli().main, "pr-body", ...args], {
    cwd: root,
    env: plainEnvironment(),
    input,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

describe("A17 in pipes", () => {
  test("A17 the whole of what is printed fits, cut at a line that says how many more", async () => {
    await published(2000);
    const { stdout } = piped("");
    expect(stdout.length).toBeLessThanOrEqual(LIMIT);
    expect(stdout.length).toBeGreaterThan(LIMIT - 500);
    expect(stdout).toMatch(/\n- decision \d+: w{80}\n\n… and \d+ more lines\n<!-- handoff:end -->\n$/u);
    const { stdout: whole } = piped(`${"h".repeat(30_000)}\n`, "--into", "-");
    expect(whole.length).toBeLessThanOrEqual(LIMIT);
    expect(whole.length).toBeGreaterThan(LIMIT - 500);
    expect(whole).toMatch(
      /^h{30000}\n\n<!-- handoff:begin [^]*\n… and \d+ more lines\n<!-- handoff:end -->\n$/u,
    );
    expect(piped("h".repeat(LIMIT - 20), "--into", "-")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("handoff: pr_body.no_room: ") as string,
    });
  });

  test.each([
    ["a body", "Ours.\n\n- [ ] tested"],
    ["CRLF", "Ours.\r\n\r\n- [ ] tested\r\n"],
    ["text on both sides", "a\n<!-- handoff:begin -->\n<!-- handoff:end -->\nb\n\n\n"],
    ["nothing", ""],
  ])("A17 to and fro a body does not change or grow: %s", async (_name, body) => {
    await published();
    const first = piped(body, "--into", "-").stdout;
    // Tools that print a body add a line end.
    let now = first;
    for (let round = 0; round < 3; round += 1) now = piped(`${now}\n`, "--into", "-").stdout;
    expect(now).toBe(first);
    const kept = body.split(/\r?\n/u).filter((line) => line !== "" && !line.startsWith("<!--"));
    expect(first.split(/\r?\n/u)).toEqual(expect.arrayContaining(kept));
    expect(first.match(/<!-- handoff:begin hp_/gu)).toHaveLength(1);
    expect(first.replaceAll("\r\n", "").includes("\n")).toBe(!body.includes("\r\n"));
  });

  test("A17 what is no text is refused, and --json has the body", async () => {
    await published();
    expectUsageError(piped(Buffer.from([0x61, 0xff]), "--into", "-"), "pr_body.unreadable", "not UTF-8");
    expectUsageError(piped("x".repeat(2_000_000), "--into", "-"), "pr_body.unreadable", "too large");
    const answer = JSON.parse(piped("Ours.\n", "--into", "-", "--json").stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({ ok: true, into: "-", changed: false });
    expect(answer["body"]).toBe(piped("Ours.\n", "--into", "-").stdout);
  });

  test("A17 one line of shell, as the help shows it", async () => {
    await published();
    put(root, "bin/gh", '#!/bin/sh\ncase "$1" in view) printf "Ours.\\n" ;; *) cat > put.md ;; esac\n');
    const line = `sh bin/gh view | node ${cli().main} pr-body --into - | sh bin/gh edit --body-file -`;
    execFileSync("bash", ["-eo", "pipefail", "-c", line], { cwd: root, env: plainEnvironment() });
    expect(execFileSync("cat", ["put.md"], { cwd: root, encoding: "utf8" })).toBe(
      piped("Ours.", "--into", "-").stdout,
    );
  });
});
