// handoff generate: load, generate, publish, say where (P40).
import path from "node:path";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import type { HandoffPacket } from "../../model/packet.js";
import type { WorkbenchSnapshot } from "../../model/snapshot.js";
import { generateHandoff } from "../../generate/generate-handoff.js";
import { publishPacket } from "../../store/publish-packet.js";
import { sessionFolder, storePath } from "../../store/store-folder.js";
import { assertPacketBytes } from "../../store/validate-packet.js";
import { loadSnapshot } from "../../workbench/load-snapshot.js";
import {
  choiceOption,
  flagOption,
  idOption,
  integerOption,
  textOption,
  type Arguments,
} from "../arguments.js";
import { openWorkbench, type OpenWorkbench } from "../open-workbench.js";
import { progressBar } from "../progress.js";
import { diagnosticRows, printDiagnostics, shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Bounds of `--last` and `--max-bytes`, the same as in handoff.config.json. */
const MAX_LAST = 30;
const CACHE_FOLDER = ".handoff/cache";
const MAX_BYTES = { from: 4096, to: 16_777_216 };

async function takeSnapshot(
  { root, config, outDir }: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
): Promise<WorkbenchSnapshot> {
  const base = textOption(args, "base");
  const bar = progressBar(terminal);
  try {
    const snapshot = await loadSnapshot(root, {
      sessionId: idOption(args, "session"),
      taskId: idOption(args, "task"),
      topic: idOption(args, "topic"),
      base,
      config,
      outDir,
      // Where nothing may be written, the scan leaves no cursor either.
      cacheDir: flagOption(args, "dry-run") || args["stdout"] !== undefined ? null : CACHE_FOLDER,
      rescan: flagOption(args, "rescan"),
      env: terminal.env,
      onProgress: bar.update,
    });
    terminal.diagnostics.push(...snapshot.diagnostics);
    if (base !== null && snapshot.git.base?.from !== "option")
      throw new UsageError(
        "usage.base",
        `--base ${JSON.stringify(base)} does not name a commit here`,
        snapshot.git.available ? "see git log --oneline" : "there is no git repository to look in",
      );
    return snapshot;
  } finally {
    bar.done();
  }
}

function printSummary(terminal: Terminal, packet: HandoffPacket, file: string): void {
  const { bold, cyan, dim, green, red, yellow } = terminal.colors;
  const blocking = packet.open_risks.filter(({ severity }) => severity === "block").length;
  const failures = packet.failed_attempts.filter(
    ({ kind, resolved }) => kind !== "dead_end" && !resolved,
  ).length;
  const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
  const risks = packet.open_risks.length;
  const parts = [
    shown(packet.branch ?? "no branch"),
    shown(packet.task_id ?? "no task"),
    risks === 0
      ? green("no risks")
      : `${plural(risks, "risk")}${blocking > 0 ? red(` (${blocking} blocking)`) : ""}`,
    failures === 0 ? green("no unresolved failures") : yellow(plural(failures, "unresolved failure")),
  ];
  terminal.out(
    `${bold(cyan(file))}\n${parts.join(dim(" · "))}\n${dim("next:")} ${shown(packet.next_action)}\n`,
  );
  if (packet.degraded !== null)
    terminal.out(
      `${yellow("degraded:")} ${shown(packet.degraded.reason)}: ${shown(packet.degraded.detail)}\n`,
    );
}

/** Runs it. Exit 0 written (or nothing to change), 1 nothing can be said of the next action, 2 see README. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const stdout = choiceOption(args, "stdout", ["md", "json"]);
  const json = flagOption(args, "json");
  const dryRun = flagOption(args, "dry-run");
  if (stdout !== null && json)
    throw new UsageError("usage.arguments", "--stdout and --json both want stdout", "use one of them");
  const lastOption = integerOption(args, "last", 0, MAX_LAST);
  const maxBytesOption = integerOption(args, "max-bytes", MAX_BYTES.from, MAX_BYTES.to);

  const workbench = await openWorkbench(args, terminal);
  const { root, config, outDir, templates } = workbench;
  const last = lastOption ?? config.last;
  const maxBytes = maxBytesOption ?? config.max_bytes;
  const snapshot = await takeSnapshot(workbench, args, terminal);
  const verbose = flagOption(args, "verbose");
  printDiagnostics(terminal, terminal.diagnostics, verbose);

  const generated = generateHandoff(snapshot, {
    ...(last === undefined ? {} : { last }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    allowDegraded: flagOption(args, "allow-degraded"),
    templates,
  });
  if (stdout !== null) {
    assertPacketBytes(generated.json);
    terminal.content(stdout === "md" ? generated.markdown : generated.json);
    return EXIT.ok;
  }

  const { packet } = generated;
  let dir = path.join(storePath(root, outDir), sessionFolder(packet.session_id));
  let changed = false;
  if (dryRun) assertPacketBytes(generated.json);
  else {
    const published = await publishPacket({ root, outDir, ...generated });
    ({ dir, changed } = published);
    terminal.diagnostics.push(...published.diagnostics);
    printDiagnostics(terminal, published.diagnostics, verbose);
  }
  const file = path.join(dir, "handoff.md");
  if (json) {
    const diagnostics = diagnosticRows(terminal.diagnostics);
    const result = {
      ok: true,
      packet,
      path: path.join(dir, "handoff.json"),
      changed,
      dry_run: dryRun,
      diagnostics,
    };
    terminal.content(`${JSON.stringify(result, null, 2)}\n`);
    return EXIT.ok;
  }
  const name = shownPath(file, terminal.cwd);
  printSummary(terminal, packet, name);
  if (dryRun) {
    const sizes = `handoff.md ${Buffer.byteLength(generated.markdown)} bytes, handoff.json ${Buffer.byteLength(generated.json)} bytes`;
    terminal.out(`${terminal.colors.dim(`dry run: nothing was written (${sizes})`)}\n`);
  } else if (!changed) terminal.out(`${terminal.colors.dim("unchanged: the packet was already there")}\n`);
  return EXIT.ok;
}
