// For tests: scripted leads in panes of a real tmux, with the built command line, in repositories of their own. Every wait has an end.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { buildCli, plainEnvironment, runCli, type BuiltCli, type CliRun } from "./built-cli.js";
import { emptyFolder, git, put } from "./sample-workbench.js";
import type { Payload } from "./use-hooks.js";
import type { RollFile } from "../../rollover/roll-file.js";

const SCRIPT = path.join(import.meta.dirname, "../../../fixtures/agents/scripted-lead.mjs");
const WITHIN_MS = 90_000;
const POLL_MS = 30;

/** A handover with everything in it. */
export const HANDOVER =
  "## Doing\nthe limit\n\n## Decided\n- ten\n\n## Dead ends\nNone\n\n## Next\nraise the limit to ten\n\n## Scene\nREADME.md\n";

export interface Lead {
  readonly socket: string;
  /** tmux's name of its pane. */
  readonly pane: string;
  readonly root: string;
  /** Types a line, and sends it off. */
  readonly submit: (line: string) => void;
  readonly keys: (...keys: readonly string[]) => void;
  readonly screen: () => string;
  /** What it was sent and did. */
  readonly log: () => readonly Payload[];
  /** Waits until the log has what `wanted` accepts. */
  readonly waitFor: (what: string, wanted: (line: Payload) => boolean) => Promise<Payload>;
  /** Runs `handoff …` as the lead's own child, in a turn of its; how it ended. */
  readonly handoff: (line: string) => Promise<CliRun["stdout"]>;
  readonly quirks: (quirks: Payload) => void;
  /** Ends tmux with all its panes. */
  readonly killServer: () => void;
}

/** How a lead is unlike the others. */
export interface LeadKind {
  /** Which agent it is like. Default: `claude`. */
  readonly agent?: "claude" | "codex";
  /** A folder in front of its PATH. */
  readonly programs?: string;
}

export interface Leads {
  readonly cli: () => BuiltCli;
  /** A repository with `rollover` in its configuration, or without when null. */
  readonly project: (rollover?: Payload | null) => string;
  readonly open: (root: string, beside?: Lead, as?: LeadKind) => Promise<Lead>;
  /** `handoff …` from outside of every pane. */
  readonly outside: (root: string, ...args: string[]) => Promise<CliRun>;
}

/** Waits for it. Throws with `what` when it does not come. */
export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + WITHIN_MS;
  for (;;) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The records of a workbench's panes. */
export function rollOf(root: string, key?: string): RollFile | null {
  const folder = path.join(root, ".handoff/rollover");
  if (!existsSync(folder)) return null;
  const found = execFileSync("ls", [folder], { encoding: "utf8" })
    .split("\n")
    .filter((name) => /^[0-9a-f]{16}$/u.test(name) && (key === undefined || name === key));
  for (const name of found) {
    const file = path.join(folder, name, "roll.json");
    if (!existsSync(file)) continue;
    const roll: RollFile = JSON.parse(readFileSync(file, "utf8"));
    return roll;
  }
  return null;
}

/** What a lead's log holds so far: it is written to all the time, and a line without its end is not there yet. */
function wholeLines(file: string): readonly Payload[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line): Payload => JSON.parse(line));
}

/** Replaces a file at once: whoever reads it meanwhile finds the old text or the new one. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function removed(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Call once at the top of a test file. */
export function useLeads(): Leads {
  let built: BuiltCli | null = null;
  const folders: string[] = [];
  const sockets = new Set<string>();
  const cli = (): BuiltCli => {
    if (built === null) throw new Error("not built yet");
    return built;
  };
  const killServer = (socket: string): void => {
    sockets.delete(socket);
    try {
      execFileSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
    } catch {
      // It is gone already.
    }
  };
  beforeAll(() => {
    built = buildCli();
  });
  afterEach(async () => {
    for (const socket of sockets) killServer(socket);
    // Executors and last hooks write until they notice.
    for (const folder of folders.splice(0)) await until(`${folder} is removed`, () => removed(folder));
  });
  afterAll(() => built?.remove());

  const open: Leads["open"] = async (root, beside, { agent = "claude", programs } = {}) => {
    const folder = emptyFolder();
    folders.push(folder);
    const script = path.join(folder, `${agent}.mjs`);
    copyFileSync(SCRIPT, script);
    const log = path.join(folder, "lead.jsonl");
    const quirksFile = path.join(folder, "quirks.json");
    replaceFile(quirksFile, "{}");
    const socket = beside?.socket ?? path.join(folder, "s.tmux");
    sockets.add(socket);
    const env = {
      ...plainEnvironment(),
      HANDOFF_MAIN: cli().main,
      LEAD_LOG: log,
      LEAD_QUIRKS: quirksFile,
      CLAUDE_PROJECT_DIR: root,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ...(programs === undefined ? {} : { PATH: `${programs}:${process.env["PATH"] ?? ""}` }),
    };
    const tmux = (...words: readonly string[]): string =>
      execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...words], { encoding: "utf8", env });
    const vars = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const shape =
      beside === undefined ? ["new-session", "-d", "-x", "120", "-y", "40"] : ["new-window", "-d"];
    const pane = tmux(
      ...shape,
      "-P",
      "-F",
      "#{pane_id}",
      ...vars,
      "-c",
      root,
      "--",
      process.execPath,
      script,
    ).trim();
    const read = (): readonly Payload[] => wholeLines(log);
    const keys = (...words: readonly string[]): void => void tmux("send-keys", "-t", pane, ...words);
    const submit = (line: string): void => {
      keys("-l", "--", line);
      keys("Enter");
    };
    const waitFor: Lead["waitFor"] = (what, wanted) => until(what, () => read().find(wanted));
    let runs = 0;
    await waitFor("the lead's start", ({ began, opened }) => (began ?? opened) === "startup");
    return {
      socket,
      pane,
      root,
      keys,
      submit,
      screen: () => tmux("capture-pane", "-p", "-t", pane),
      log: read,
      waitFor,
      handoff: async (line) => {
        runs += 1;
        const file = path.join(folder, `run-${runs}`);
        submit(`run node "$HANDOFF_MAIN" ${line} >${file} 2>&1; echo "exit $?" >>${file}`);
        await until(`handoff ${line}`, () => {
          const at = read().findIndex(({ prompt }) => String(prompt).includes(file));
          return at !== -1 && read().some(({ stopped }, place) => place > at && stopped === true);
        });
        return readFileSync(file, "utf8");
      },
      quirks: (quirks) => replaceFile(quirksFile, JSON.stringify(quirks)),
      killServer: () => killServer(socket),
    };
  };
  return {
    cli,
    open,
    project: (rollover = { handover_path: "handover.md", require_operator_confirm: false }) => {
      const root = emptyFolder();
      folders.push(root);
      git(root, "init", "--quiet", "--initial-branch=main");
      put(root, "README.md", "# a project\n");
      git(root, "add", ".");
      git(root, "commit", "--quiet", "-m", "first");
      mkdirSync(path.join(root, ".handoff"));
      if (rollover !== null) put(root, "handoff.config.json", { rollover });
      return root;
    },
    outside: (root, ...args) => runCli(cli(), args, { cwd: root }),
  };
}
