// L4: every refusal by a real call of the tool, in a server that runs below a lead in a real pane; and of a pane that is gone, by
// the command, too.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../cli/testing/built-cli.js";
import { put } from "../cli/testing/sample-workbench.js";
import { HANDOVER, type Lead, rollOf, until, useLeads } from "../cli/testing/use-leads.js";
import { REFUSALS, type Refused } from "./answer.js";
import { GATES_OF } from "./gates.js";

const leads = useLeads();
const CALL_TOOL = path.join(import.meta.dirname, "../../fixtures/agents/call-tool.mjs");
const PLAIN = {
  handover_path: "handover.md",
  require_operator_confirm: false,
  turn_settle_seconds: 20,
  clear_settle_seconds: 20,
};

type Call = Readonly<Record<string, unknown>> | `sh:${string}`;
interface Said {
  readonly isError?: boolean;
  readonly structuredContent: Refused & { readonly token?: string };
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
let files = 0;

/** Calls the tool below the lead; `around` starts the server otherwise. The answers. */
async function call(
  lead: Lead,
  calls: readonly Call[],
  around = "",
): Promise<readonly Said["structuredContent"][]> {
  files += 1;
  const file = path.join(lead.root, `.handoff/said-${files}`);
  const words = calls.map((one) => quoted(typeof one === "string" ? one : JSON.stringify(one)));
  const asked = `${around} node ${quoted(CALL_TOOL)} ${words.join(" ")} >${file} 2>&1; echo end >>${file}`;
  lead.submit(`run ${around === "" ? asked : `${around} sh -c ${quoted(asked.slice(around.length))}`}`);
  const text = await until("the answers", () => {
    const said = existsSync(file) ? readFileSync(file, "utf8") : "";
    return said.endsWith("end\n") ? said : null;
  });
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => {
      const said: Said = JSON.parse(line);
      expect(said.isError ?? false).toBe(!said.structuredContent.ok);
      return said.structuredContent;
    });
}

const OPEN = { action: "open" } as const;
const confirm = (token: string) => ({ action: "confirm", token });

function folderOf(root: string): string {
  const [key = ""] = readdirSync(path.join(root, ".handoff/rollover")).filter((name) => name.length === 16);
  return path.join(root, ".handoff/rollover", key);
}

function executorOf(root: string): number {
  const { pid }: { pid: number } = JSON.parse(
    readFileSync(path.join(folderOf(root), "executor.json"), "utf8"),
  );
  return pid;
}

/** A lead that has opened and written, and its token. */
async function opened(settings: Readonly<Record<string, unknown>> = PLAIN) {
  const root = leads.project(settings);
  const lead = await leads.open(root);
  const [said] = await call(lead, [OPEN]);
  put(root, "handover.md", HANDOVER);
  return { root, lead, token: said?.token ?? "" };
}

/** What was refused, with an answer that an agent can go by: every gate in its order, words, and what to do. */
function expectRefusal(said: Refused | undefined, code: Refused["refusal"]): void {
  expect(said).toMatchObject({ ok: false, refusal: code });
  expect(said?.message.length).toBeGreaterThan(10);
  expect(said?.hint.length).toBeGreaterThan(10);
  const order = REFUSALS.filter(
    (one) => said?.action === "confirm" || GATES_OF.open.some((own) => own === one),
  );
  expect(said?.gates.map((gate) => gate.code)).toEqual(order);
  expect(said?.gates.find(({ passed }) => passed === false)?.code).toBe(code);
}

describe("L4 by the tool", () => {
  test("NOT_CONFIGURED: without a block, and with one that came after the server's start", async () => {
    const root = leads.project(null);
    const lead = await leads.open(root);
    writeFileSync(path.join(root, "later.json"), JSON.stringify({ rollover: PLAIN }));
    const [none, later] = await call(lead, [OPEN, `sh:mv later.json handoff.config.json`, OPEN]);
    expectRefusal(none, "NOT_CONFIGURED");
    expectRefusal(later, "NOT_CONFIGURED");
    expect(later?.message).toContain("after this server had started");
  });

  test("NOT_PRIMARY: a server that left its lead, and a helper at work", async () => {
    const { lead, token } = await opened();
    const [far] = await call(lead, [confirm(token)], "env -u TMUX");
    expectRefusal(far, "NOT_PRIMARY");
    lead.submit("helper");
    await lead.waitFor("the helper's turn", ({ prompt }) => prompt === "helper");
    const [helper] = await call(lead, [confirm(token)]);
    expectRefusal(helper, "NOT_PRIMARY");
    expect(helper?.message).toContain("helper");
  });

  test("NO_PENDING, TOKEN_MISMATCH, HANDOVER_MISSING, HANDOVER_INVALID, HANDOVER_STALE", async () => {
    const { root, lead, token } = await opened();
    const file = path.join(root, "handover.md");
    const [mismatch] = await call(lead, [confirm("0".repeat(32))]);
    expectRefusal(mismatch, "TOKEN_MISMATCH");
    put(root, "handover.md", "## Doing\nthis and that\n");
    expectRefusal((await call(lead, [confirm(token)]))[0], "HANDOVER_INVALID");
    rmSync(file);
    expectRefusal((await call(lead, [confirm(token)]))[0], "HANDOVER_MISSING");
    put(root, "handover.md", HANDOVER);
    // Written, and only then opened.
    const [again, stale] = await call(lead, [OPEN, confirm(token)]);
    expectRefusal(stale, "TOKEN_MISMATCH");
    expectRefusal((await call(lead, [confirm(again?.token ?? "")]))[0], "HANDOVER_STALE");
    const [cancelled, gone] = await call(lead, [
      { action: "cancel", token: again?.token },
      confirm(again?.token ?? ""),
    ]);
    expect(cancelled).toMatchObject({ ok: true });
    expectRefusal(gone, "NO_PENDING");
    expect(rollOf(root)).toBeNull();
  });

  test("HANDOVER_MISSING, HANDOVER_INVALID: what lies there is nothing that can be read, or says nothing", async () => {
    const { root, lead, token } = await opened();
    const file = path.join(root, "handover.md");
    const far = put(root, ".handoff/far/handover.md", HANDOVER);
    renameSync(path.dirname(far), `${root}-far`);
    const made: readonly (readonly [Refused["refusal"], () => void])[] = [
      ["HANDOVER_MISSING", () => symlinkSync(`${root}-far/handover.md`, file)],
      ["HANDOVER_MISSING", () => symlinkSync("nowhere.md", file)],
      ["HANDOVER_MISSING", () => mkdirSync(file)],
      // Nobody writes into it: nothing waits for that.
      ["HANDOVER_MISSING", () => execFileSync("mkfifo", [file])],
      ["HANDOVER_MISSING", () => writeFileSync(file, HANDOVER + "x".repeat(50e6))],
      ["HANDOVER_INVALID", () => writeFileSync(file, Buffer.from([0, 255, 254, 1, 2]))],
      ["HANDOVER_INVALID", () => writeFileSync(file, "")],
      ["HANDOVER_INVALID", () => writeFileSync(file, "## Scene\nsrc\n\n## Next\nNone\n")],
    ];
    try {
      for (const [code, make] of made) {
        rmSync(file, { recursive: true, force: true });
        make();
        expectRefusal((await call(lead, [confirm(token)]))[0], code);
      }
    } finally {
      rmSync(`${root}-far`, { recursive: true, force: true });
    }
    expect(rollOf(root)).toBeNull();
  });

  test("OPERATOR_NOT_CONFIRMED, HANDOVER_TOO_OLD, PENDING_EXPIRED", async () => {
    const { root, lead, token } = await opened({ handover_path: "handover.md", max_doc_age_seconds: 1 });
    expectRefusal((await call(lead, [confirm(token)]))[0], "OPERATOR_NOT_CONFIRMED");
    const { mtimeMs } = statSync(path.join(root, "handover.md"));
    await until("its age", () => Date.now() - mtimeMs > 2500);
    const agreed = { ...confirm(token), operator_confirmed: true };
    expectRefusal((await call(lead, [agreed]))[0], "HANDOVER_TOO_OLD");
    const pending = path.join(folderOf(root), "pending.json");
    const text = readFileSync(pending, "utf8");
    writeFileSync(pending, text.replace(/("expires_at":\s*")[^"]*/u, "$12026-01-01T00:00:00.000Z"));
    expectRefusal((await call(lead, [agreed]))[0], "PENDING_EXPIRED");
    expect(rollOf(root)).toBeNull();
  });

  test.each([
    ["while its server goes on", true, "kill-pane"],
    ["with its server", false, "kill-server"],
  ])("PANE_GONE: a call that outlives its pane, %s", async (_what, isShared, end) => {
    const { root, lead, token } = await opened();
    if (isShared) await leads.open(leads.project(null), lead);
    const file = path.join(root, "by-command");
    const line = `node "$HANDOFF_MAIN" rollover confirm --token ${token} >${file} 2>&1; echo "exit $?" >>${file}`;
    const closing = `tmux ${end}; ${line}`;
    const [gone] = await call(lead, [`sh:${closing}`, confirm(token)], "setsid");
    expectRefusal(gone, "PANE_GONE");
    expect(readFileSync(file, "utf8")).toMatch(/PANE_GONE[^]*exit 1\n$/u);
    expect(rollOf(root)).toBeNull();
    expect(readFileSync(path.join(root, ".handoff/recorder.log"), "utf8")).toContain("refused PANE_GONE");
  });

  test("ROLL_IN_PROGRESS: open while a roll waits for the turn's end, and confirm while one is gone on with", async () => {
    const { root, lead, token } = await opened();
    const [accepted, open, later] = await call(lead, [confirm(token), OPEN, confirm(token)]);
    expect(accepted).toMatchObject({ ok: true, action: "confirm" });
    expectRefusal(open, "ROLL_IN_PROGRESS");
    expectRefusal(later, "NO_PENDING");
    await until("the roll's end", () => rollOf(root)?.phase === "bootstrapped");
  });

  test("ROLL_IN_PROGRESS: confirm, when a roll that was interrupted is gone on with after open", async () => {
    const { root, lead, token } = await opened();
    lead.quirks({ hold: true });
    expect((await call(lead, [confirm(token)]))[0]).toMatchObject({ ok: true });
    process.kill(executorOf(root), "SIGKILL");
    lead.quirks({});
    const [again] = await call(lead, [OPEN]);
    expect(again).toMatchObject({ ok: true });
    put(root, "handover.md", HANDOVER);
    // It gets no answer to its first look, and then it is held.
    const slow = path.join(root, ".handoff/slow");
    put(root, ".handoff/slow/tmux", "#!/bin/sh\nexec sleep 60\n");
    chmodSync(path.join(slow, "tmux"), 0o755);
    const PATH = `${slow}:${process.env["PATH"] ?? ""}`;
    await runCli(leads.cli(), ["rollover", "resume"], { cwd: root, env: { PATH } });
    const held = executorOf(root);
    process.kill(held, "SIGSTOP");
    try {
      expectRefusal((await call(lead, [confirm(again?.token ?? "")]))[0], "ROLL_IN_PROGRESS");
    } finally {
      process.kill(held, "SIGKILL");
    }
  });
});
