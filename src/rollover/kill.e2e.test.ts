// L11: the executor of the product, killed with SIGKILL at each of its calls of tmux, before it is made and after: what there is
// between two calls are the steps of a roll. A program in front of tmux on the PATH does the killing.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/testing/built-cli.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import { HANDOVER, type Lead, rollOf, until, useLeads } from "../cli/testing/use-leads.js";
import { findExecutable } from "../io/find-program.js";
import { hasEnded } from "./decide-roll.js";
import { STARTED_WITHIN_MS } from "./execute-roll.js";
import type { RollFile } from "./roll-file.js";

const leads = useLeads();
const SETTINGS = {
  handover_path: "handover.md",
  require_operator_confirm: false,
  turn_settle_seconds: 20,
  clear_settle_seconds: 3,
};
/** Kills the executor that calls it at the n-th call of a kind, as the file `plan` beside it says. */
const DEADLY = `#!/bin/sh
here=$(dirname "$0")
case "$(tr '\\0' ' ' </proc/$PPID/cmdline)" in *"rollover execute"*)
  case "$*" in *" -l -- "*) kind=type ;; *Enter) kind=enter ;; *) kind=look ;; esac
  if read -r wanted nth when <"$here/plan" && { [ "$wanted" = "$kind" ] || [ "$wanted" = any ]; }; then
    echo . >>"$here/calls.$PPID"
    if [ "$(wc -l <"$here/calls.$PPID")" -eq "$nth" ]; then
      [ "$when" = after ] && TMUX_REAL "$@"
      kill -9 $PPID
      exit 1
    fi
  fi ;;
esac
exec TMUX_REAL "$@"
`;
/** Holds an executor before its first step, for good. */
const HELD = `if (process.argv.includes("execute"))
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
`;
type Plan = readonly [kind: "type" | "enter" | "any", nth: number, when: "before" | "after"];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function deadlyTmux() {
  const folder = emptyFolder();
  folders.push(folder);
  const program = DEADLY.replaceAll("TMUX_REAL", findExecutable("tmux", process.env) ?? "");
  writeFileSync(path.join(folder, "tmux"), program, { mode: 0o755 });
  return {
    folder,
    plan: (...words: Plan) => writeFileSync(path.join(folder, "plan"), `${words.join(" ")}\n`),
  };
}

const sentTo = (lead: Lead): readonly string[] =>
  lead.log().flatMap(({ sent }) => (typeof sent === "string" ? [sent] : []));
const counts = (lead: Lead): readonly number[] => [
  sentTo(lead).filter((line) => line === "/clear").length,
  sentTo(lead).filter((line) => line.startsWith("Read ")).length,
];

/** Processes that carry a roll of this workbench out. */
function executorsOf(root: string): readonly number[] {
  const words = ["rollover", "execute", "--root", root].join("\0");
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/u.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(words)
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}

const none = (root: string): Promise<boolean> =>
  until("the executor's end", () => executorsOf(root).length === 0);

async function confirmed(lead: Lead): Promise<string> {
  const token = /^token\s+(?<token>\S+)/mu.exec(await lead.handoff("rollover open"))?.groups?.["token"] ?? "";
  put(lead.root, "handover.md", HANDOVER);
  return lead.handoff(`rollover confirm --token ${token}`);
}

/** Where each kill leaves it: what a restart makes of it, how often it was cleared and prompted. */
const POINTS: readonly (readonly [Plan, Partial<RollFile>, readonly number[]])[] = [
  [["type", 1, "before"], { phase: "refused", ending: "CLEAR_NOT_SEEN" }, [0, 0]],
  [["type", 1, "after"], { phase: "refused", ending: "CLEAR_NOT_SEEN" }, [0, 0]],
  [["enter", 1, "before"], { phase: "refused", ending: "CLEAR_NOT_SEEN" }, [0, 0]],
  [["enter", 1, "after"], { phase: "bootstrapped" }, [1, 1]],
  [["type", 2, "before"], { phase: "bootstrapped", tries: 2 }, [1, 1]],
  [["type", 2, "after"], { phase: "bootstrapped", tries: 2 }, [1, 1]],
  [["enter", 2, "before"], { phase: "bootstrapped", tries: 2 }, [1, 1]],
  [["enter", 2, "after"], { phase: "bootstrapped", tries: 1 }, [1, 1]],
];

describe.each(["claude", "codex"] as const)("kill -9 of the executor of a lead like %s", (agent) => {
  test.each(POINTS)("L11 %j", async (plan, end, sent) => {
    const deadly = deadlyTmux();
    deadly.plan(...plan);
    // Where a session does begin, or a prompt is picked up: however long it takes.
    const settings = end.ending === "CLEAR_NOT_SEEN" ? SETTINGS : { ...SETTINGS, clear_settle_seconds: 10 };
    const lead = await leads.open(leads.project(settings), undefined, { agent, programs: deadly.folder });
    expect(await confirmed(lead)).toContain("exit 0");
    await none(lead.root);
    const stood = rollOf(lead.root);
    expect(stood === null || hasEnded(stood)).toBe(false);
    expect((await leads.outside(lead.root, "rollover", "status")).stdout).toContain(
      `interrupted (${stood?.phase})`,
    );
    // From here on with the real tmux, and twice at once.
    await Promise.all([1, 2].map(() => leads.outside(lead.root, "rollover", "resume")));
    await none(lead.root);
    expect(rollOf(lead.root)).toMatchObject(end);
    expect(counts(lead)).toEqual(sent);
    expect((await leads.outside(lead.root, "rollover", "resume")).stdout).toContain("no roll is interrupted");
    expect(counts(lead)).toEqual(sent);
  });

  test("L11 at every call, one restart after the other: never cleared twice, never prompted twice", async () => {
    const deadly = deadlyTmux();
    deadly.plan("any", 1, "after");
    const root = leads.project({ ...SETTINGS, clear_settle_seconds: 10 });
    const lead = await leads.open(root, undefined, { agent, programs: deadly.folder });
    const said = confirmed(lead);
    await said;
    await none(root);
    const PATH = `${deadly.folder}:${process.env["PATH"] ?? ""}`;
    const seen = new Set<string>();
    for (let nth = 2; nth <= 30; nth += 2) {
      const roll = rollOf(root);
      if (roll !== null && hasEnded(roll)) break;
      seen.add(roll?.phase ?? "");
      deadly.plan("any", nth, nth % 4 === 0 ? "before" : "after");
      await runCli(leads.cli(), ["rollover", "resume"], { cwd: root, env: { PATH } });
      await none(root);
      for (const count of counts(lead)) expect(count).toBeLessThanOrEqual(1);
    }
    await leads.outside(root, "rollover", "resume");
    await none(root);
    const roll = rollOf(root);
    expect(roll !== null && hasEnded(roll)).toBe(true);
    expect(seen).toContain("settling");
    for (const count of counts(lead)) expect(count).toBeLessThanOrEqual(1);
  });
});

test("L11 killed before it had the roll: what confirm said of it stays true, and nothing is cleared by a restart", async () => {
  const root = leads.project(SETTINGS);
  const lead = await leads.open(root);
  const token = /^token\s+(?<token>\S+)/mu.exec(await lead.handoff("rollover open"))?.groups?.["token"] ?? "";
  put(root, "handover.md", HANDOVER);
  const [key = ""] = readdirSync(path.join(root, ".handoff/rollover")).filter((name) => name.length === 16);
  const [held, said] = [put(root, ".handoff/held.cjs", HELD), path.join(root, ".handoff/said")];
  const confirm = `node "$HANDOFF_MAIN" rollover confirm --token ${token} >${said} 2>&1`;
  lead.submit(`run NODE_OPTIONS=--require=${held} ${confirm}; echo "exit $?" >>${said}`);
  const [pid = 0] = await until("the executor", () => {
    const found = executorsOf(root);
    return found.length > 0 && rollOf(root)?.phase === "accepted" ? found : null;
  });
  // It is on its way, and nobody says that it died.
  expect((await leads.outside(root, "rollover", "status")).stdout).toContain("rolling (accepted)");
  expect((await leads.outside(root, "rollover", "resume")).stdout).toContain("no roll is interrupted");
  process.kill(pid, "SIGKILL");
  await until("the answer", () => readFileSync(said, "utf8").includes("exit "));
  expect(readFileSync(said, "utf8")).toMatch(/rollover\.not_started[^]*exit 2\n$/u);
  expect(existsSync(path.join(root, ".handoff/rollover", key, "executor.json"))).toBe(false);
  const accepted = Date.parse(rollOf(root)?.accepted_at ?? "");
  await until("the time in which it may still come", () => Date.now() - accepted > STARTED_WITHIN_MS);
  await leads.outside(root, "rollover", "resume");
  await none(root);
  expect(rollOf(root)).toMatchObject({ phase: "cancelled", ending: "CANCELLED" });
  expect(counts(lead)).toEqual([0, 0]);
});
