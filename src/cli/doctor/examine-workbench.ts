// What a workbench holds and lacks, looked at piece by piece. Writes nothing.
import path from "node:path";
import type { Loaded } from "../../model/artifacts.js";
import type { WorkbenchSnapshot } from "../../model/snapshot.js";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { leftAttempts } from "../../operator/left-attempts.js";
import { chooseWindow } from "../../rotation/choose-window.js";
import { modelFromEnvironment } from "../../rotation/default-window.js";
import type { Workbench } from "../../session/open-workbench.js";
import { readPacketFile } from "../../store/read-packet.js";
import { storePath } from "../../store/store-folder.js";
import { fillPattern, placesOf } from "../../workbench/artifacts/places.js";
import { openGit } from "../../workbench/git/run-git.js";
import { CONFIG_FILE } from "../../workbench/load-config.js";
import { textOption, type Arguments } from "../arguments.js";
import { packetSchemaFile } from "../own-files.js";
import { ownVersion } from "../own-version.js";
import type { Terminal } from "../terminal.js";

/** The context window as far as it is known before an agent starts (R4), in tokens; null: unknown. */
export function knownWindow(env: Terminal["env"], configured: number | undefined) {
  const { window: tokens, source, model } = chooseWindow({ env, config: configured });
  if (source === "environment") return { tokens, model: null, from: "HANDOFF_WINDOW" };
  if (source === "config") return { tokens, model: null, from: CONFIG_FILE };
  return { tokens, model, from: modelFromEnvironment(env)?.from ?? null };
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

/** Everything `doctor` tells of a workbench, as `--json` gives it. */
export async function examineWorkbench(
  workbench: Workbench,
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
    /** The schema of every handoff.json. */
    schema: packetSchemaFile(),
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
    /** What runs in worktrees have left, and nobody has put in order. */
    left: await leftAttempts({ root, outDir }),
  };
}
export type Examination = Awaited<ReturnType<typeof examineWorkbench>>;
