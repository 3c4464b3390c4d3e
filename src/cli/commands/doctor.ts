// handoff doctor: what is found here, where, and what is missing. Writes nothing, unless it is asked to repair the store.
import path from "node:path";
import type { Loaded } from "../../model/artifacts.js";
import { EXIT, type ExitCode } from "../../model/errors.js";
import type { WorkbenchSnapshot } from "../../model/snapshot.js";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { defaultWindow, modelFromEnvironment } from "../../rotation/default-window.js";
import { readPacketFile } from "../../store/read-packet.js";
import { repairStore } from "../../store/repair-store.js";
import { storePath } from "../../store/store-folder.js";
import { fillPattern, placesOf } from "../../workbench/artifacts/places.js";
import { openGit } from "../../workbench/git/run-git.js";
import { CONFIG_FILE } from "../../workbench/load-config.js";
import { loadSnapshot } from "../../workbench/load-snapshot.js";
import { flagOption, idOption, textOption, type Arguments } from "../arguments.js";
import { isSecret, openWorkbench, type OpenWorkbench } from "../open-workbench.js";
import { ownVersion } from "../own-version.js";
import { progressBar } from "../progress.js";
import { printDiagnostics, printJson, shown, shownPath } from "../report.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

/** The context window as far as it is known before an agent starts (R4), in tokens; null: unknown. */
export function knownWindow(env: Terminal["env"], configured: number | undefined) {
  const told = /^[1-9]\d*$/u.test(env["HANDOFF_WINDOW"] ?? "") ? Number(env["HANDOFF_WINDOW"]) : null;
  if (told !== null) return { tokens: told, model: null, from: "HANDOFF_WINDOW" };
  if (configured !== undefined) return { tokens: configured, model: null, from: CONFIG_FILE };
  const named = modelFromEnvironment(env);
  if (named === null) return { tokens: null, model: null, from: null };
  return { tokens: defaultWindow(named.model), model: named.model, from: named.from };
}

async function readGitVersion(cwd: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const git = await openGit(env, 10_000);
  const result = await git?.run(cwd, ["--version"]);
  return result?.status === "ok"
    ? result.stdout
        .toString("utf8")
        .replace(/^git version /u, "")
        .trim()
    : null;
}

function artifactsOf(snapshot: WorkbenchSnapshot): readonly Loaded<unknown>[] {
  return [
    snapshot.state,
    snapshot.board,
    snapshot.verification,
    snapshot.review,
    snapshot.scope_contract,
    snapshot.scope_report,
    snapshot.rule_report,
    snapshot.last_known_good,
    snapshot.overrides,
    snapshot.session_record,
  ];
}

async function examine(
  workbench: OpenWorkbench,
  snapshot: WorkbenchSnapshot,
  args: Arguments,
  env: Terminal["env"],
) {
  const { root, config, outDir } = workbench;
  const { git, feedback, session, task, topic } = snapshot;
  const places = placesOf(config.artifacts);
  const ids = { task_id: task.id, session_id: session.id };
  const placesFor = (artifact: string): string[] =>
    (Object.entries(places).find(([name]) => name === artifact)?.[1] ?? []).map(
      (place) => fillPattern(place, ids) ?? place,
    );
  const out = storePath(root, outDir);
  const packetPath = path.join(out, session.id, "handoff.json");
  const packetFile = await readPacketFile(out, packetPath).catch(() => null);
  const configPath = textOption(args, "config") ?? CONFIG_FILE;
  const hasConfig = (await readArtifactFile(null, path.resolve(root, configPath))).status === "read";
  return {
    versions: { handoff: ownVersion(), node: process.versions.node, git: await readGitVersion(root, env) },
    root,
    config: hasConfig ? configPath : null,
    session,
    task,
    topic,
    git: {
      available: git.available,
      branch: git.branch,
      head_commit: git.head?.sha ?? null,
      base: git.base,
      commits: git.commits.length + git.commits_omitted,
      changed_files: git.changes.length + git.changes_omitted,
      dirty: git.dirty,
      operation: git.operation,
    },
    artifacts: artifactsOf(snapshot).map(({ artifact, status, path: file }) => ({
      artifact,
      status,
      path: file,
      places: placesFor(artifact),
    })),
    feedback: {
      places: placesFor("feedback"),
      files: feedback.files.map((file) => file.path),
      total: feedback.total,
      nonzero: feedback.nonzero,
      skipped_lines: feedback.skipped_lines,
    },
    packet: packetFile?.status === "packet" ? packetFile.packet : null,
    packet_file: { path: packetPath, status: packetFile?.status ?? "missing" },
    window: knownWindow(env, config.rotation?.window),
  };
}
type Examination = Awaited<ReturnType<typeof examine>>;

function printExamination(terminal: Terminal, found: Examination): void {
  const { bold, dim, green, red, yellow } = terminal.colors;
  const row = (name: string, text: string): void => terminal.out(`${bold(name.padEnd(16))} ${text}\n`);
  const { versions, git, feedback, window, session, task } = found;
  row(
    "versions",
    `handoff ${versions.handoff}, node ${versions.node}, git ${versions.git ?? red("not found")}`,
  );
  row("root", shown(found.root));
  row("configuration", found.config === null ? dim("none") : shown(found.config));
  row("session", `${session.id} ${dim(`(${session.from})`)}`);
  row("task", task.id === null ? dim("none") : `${task.id} ${dim(`(${task.from})`)}`);
  row("topic", found.topic);
  if (!git.available) row("git", yellow("no repository"));
  else {
    const base = git.base === null ? "no base" : `base ${git.base.sha.slice(0, 12)} (${git.base.from})`;
    const dirty = git.dirty ? ", dirty" : "";
    row(
      "git",
      `${shown(git.branch ?? "")}, ${base}, ${git.commits} commits, ${git.changed_files} changed files${dirty}`,
    );
  }
  const missing = ([first, ...others]: readonly string[]): string => {
    if (first === undefined) return dim("missing");
    const more = others.length === 0 ? "" : `, or ${others.length} more`;
    return dim(`missing (${shown(first)}${more})`);
  };
  for (const { artifact, status, path: file, places } of found.artifacts) {
    const where = file === null ? "" : shown(file);
    const text = {
      present: green(where),
      missing: missing(places.length === 0 && file !== null ? [file] : places),
      invalid: red(`not usable: ${where}`),
    };
    row(artifact, text[status]);
  }
  const files = feedback.files.map(shown).join(", ");
  const counts = `${feedback.total} records, ${feedback.nonzero} nonzero, ${feedback.skipped_lines} skipped lines`;
  row("feedback", feedback.files.length === 0 ? missing(feedback.places) : `${green(files)}: ${counts}`);
  row(
    "packet",
    `${found.packet_file.status === "packet" ? "" : `${found.packet_file.status}: `}${shownPath(found.packet_file.path, terminal.cwd)}`,
  );
  const why = window.model === null ? "" : `, guessed from ${shown(window.model)}`;
  if (window.tokens !== null)
    row("window", `${window.tokens.toLocaleString("en-US")} tokens (${window.from ?? ""}${why})`);
  else row("window", dim(window.model === null ? "unknown" : `unknown for ${shown(window.model)}`));
}

/** Repairs the store and says what was done. */
async function repair(
  { root, outDir, templates }: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
): Promise<ExitCode> {
  const lock = { onWait: tellWait(terminal) };
  const { actions, diagnostics } = await repairStore({ root, outDir, templates, lock });
  terminal.diagnostics.push(...diagnostics);
  printDiagnostics(terminal, diagnostics, false);
  if (flagOption(args, "json")) {
    printJson(terminal, { ok: true }, { actions: actions.map(shown) });
    return EXIT.ok;
  }
  const where = shownPath(storePath(root, outDir), terminal.cwd);
  if (actions.length === 0) terminal.out(`${terminal.colors.green("nothing to repair")} in ${where}\n`);
  for (const action of actions) terminal.out(`${shown(action)}\n`);
  return EXIT.ok;
}

/** Runs it. Exit 0; 1 when an input is there but cannot be used. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  if (flagOption(args, "repair")) return repair(workbench, args, terminal);
  const bar = progressBar(terminal);
  const snapshot = await loadSnapshot(workbench.root, {
    sessionId: idOption(args, "session"),
    taskId: idOption(args, "task"),
    topic: idOption(args, "topic"),
    config: workbench.config,
    outDir: workbench.outDir,
    env: terminal.env,
    isSecret: (id) => isSecret(id, terminal),
    onProgress: bar.update,
  }).finally(bar.done);
  terminal.diagnostics.push(...snapshot.diagnostics);
  const found = await examine(workbench, snapshot, args, terminal.env);
  const ok = !snapshot.diagnostics.some(({ severity }) => severity === "error");
  if (flagOption(args, "json")) {
    const { packet, ...own } = found;
    printJson(terminal, { ok, packet, path: packet === null ? null : own.packet_file.path }, own);
  } else printExamination(terminal, found);
  printDiagnostics(terminal, snapshot.diagnostics, true, "handoff doctor --json lists them");
  return ok ? EXIT.ok : EXIT.refused;
}
