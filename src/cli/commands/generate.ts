// handoff generate: load, generate, publish, say where (P40).
import path from "node:path";
import { unresolvedFailures } from "../../model/count-unresolved.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import type { Diagnostic } from "../../model/diagnostic.js";
import type { HandoffPacket } from "../../model/packet.js";
import type { WorkbenchSnapshot } from "../../model/snapshot.js";
import {
  generateHandoff,
  type GeneratedHandoff,
  type GenerateOptions,
} from "../../generate/generate-handoff.js";
import { loadTemplate, TEMPLATE_NAMES } from "../../render/templates.js";
import { findOutdatedEdits } from "../../packet/take-over-edits.js";
import { previewPublication } from "../../store/place-packet.js";
import { publishPacket, type Published } from "../../store/publish-packet.js";
import { readPredecessor, type Predecessor } from "../../store/read-predecessor.js";
import { prepareEdits, type PreparedEdits } from "../../store/session-edits.js";
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
import { CACHE_FOLDER, gatedBranch, isSecret, openWorkbench, type OpenWorkbench } from "../open-workbench.js";
import { progressBar } from "../progress.js";
import { printDiagnostics, printJson, shown, shownPath } from "../report.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

/** Bounds of `--last` and `--max-bytes`, the same as in handoff.config.json. */
const MAX_LAST = 30;
const MAX_BYTES = { from: 4096, to: 16_777_216 };

/** A snapshot and the packet that the one made from it follows. */
interface Taken {
  readonly snapshot: WorkbenchSnapshot;
  /** Its id, or null: none. */
  readonly against: string | null;
}

async function takeSnapshot(
  { root, config, outDir }: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
): Promise<Taken> {
  const base = textOption(args, "base");
  const bar = progressBar(terminal);
  let predecessor: Predecessor = { entry: null, packet: null, diagnostics: [] };
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
      isSecret: (id) => isSecret(id, terminal),
      onProgress: bar.update,
      predecessor: async (line) => {
        predecessor = await readPredecessor(
          { root, outDir },
          { ...line, branch: gatedBranch(line.branch, terminal) },
        );
        return predecessor.packet;
      },
    });
    const found = [...snapshot.diagnostics, ...predecessor.diagnostics];
    // Taken again, because another session published meanwhile: what was said before is not said twice.
    const before = new Set(terminal.diagnostics.map((one) => JSON.stringify(one)));
    const added = found.filter((one) => !before.has(JSON.stringify(one)));
    terminal.diagnostics.push(...added);
    printDiagnostics(terminal, added, flagOption(args, "verbose"));
    if (base !== null && snapshot.git.base?.from !== "option")
      throw new UsageError(
        "usage.base",
        `--base ${JSON.stringify(base)} does not name a commit here`,
        snapshot.git.available ? "see git log --oneline" : "there is no git repository to look in",
      );
    return { snapshot, against: predecessor.entry?.packet_id ?? null };
  } finally {
    bar.done();
  }
}

function printSummary(terminal: Terminal, packet: HandoffPacket, file: string): void {
  const { bold, cyan, dim, green, red, yellow } = terminal.colors;
  const blocking = packet.open_risks.filter(({ severity }) => severity === "block").length;
  const failures = unresolvedFailures(packet);
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

interface Result {
  readonly packet: HandoffPacket;
  readonly dir: string;
  readonly changed: boolean;
}

function printResult(args: Arguments, terminal: Terminal, { packet, dir, changed }: Result): void {
  if (!flagOption(args, "json")) {
    printSummary(terminal, packet, shownPath(path.join(dir, "handoff.md"), terminal.cwd));
    return;
  }
  const file = path.join(dir, "handoff.json");
  printJson(terminal, { ok: true, packet, path: file }, { changed, dry_run: flagOption(args, "dry-run") });
}

function printSizes(terminal: Terminal, { markdown, json }: GeneratedHandoff): void {
  const sizes = `handoff.md ${Buffer.byteLength(markdown)} bytes, handoff.json ${Buffer.byteLength(json)} bytes`;
  terminal.out(`${terminal.colors.dim(`dry run: nothing was written (${sizes})`)}\n`);
}

/**
 * Publishes what a snapshot gives. Another session may have published in between: then everything is read again, since
 * its open items come along; should that happen twice, only the packet is made again, with the store locked.
 */
async function publish(
  workbench: OpenWorkbench,
  args: Arguments,
  terminal: Terminal,
  options: GenerateOptions,
  first: Taken & { readonly generated: GeneratedHandoff },
): Promise<Published> {
  const { root, outDir, templates } = workbench;
  const place = { root, outDir, templates, lock: { onWait: tellWait(terminal) } };
  const published = await publishPacket({ ...place, ...first.generated, against: first.against });
  if (published.status === "published") return published;
  const { snapshot, against } = await takeSnapshot(workbench, args, terminal);
  return publishPacket({
    ...place,
    ...generateHandoff(snapshot, options),
    against,
    rebase: (predecessor) => generateHandoff({ ...snapshot, predecessor }, options),
  });
}

/** What people changed in this session's packet (P39), and what of it stands in front of something newer. */
async function takeEdits(
  { root, outDir }: OpenWorkbench,
  terminal: Terminal,
  snapshot: WorkbenchSnapshot,
  options: GenerateOptions,
): Promise<PreparedEdits> {
  const { session, topic, git } = snapshot;
  const generate = (edits: GenerateOptions["edits"]): HandoffPacket =>
    generateHandoff(snapshot, { ...options, allowDegraded: true, edits: edits ?? null }).packet;
  const line = { session: session.id, branch: gatedBranch(git.branch, terminal), topic };
  const prepared = await prepareEdits({ root, outDir }, line, generate, terminal.redactor);
  const outdated = prepared.kept === null ? [] : findOutdatedEdits(prepared.kept.edits, generate(null));
  const said: Diagnostic[] = [...prepared.diagnostics];
  if (prepared.kept !== null && outdated.length > 0)
    said.push({
      code: "edit.outdated",
      severity: "warn",
      artifact: "packet",
      source: { path: prepared.kept.path },
      args: { fields: outdated.join(", ") },
    });
  terminal.diagnostics.push(...said);
  printDiagnostics(terminal, said, false);
  return prepared;
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
  // All of them, also those that only another command uses: a broken one is told now (U8).
  for (const name of TEMPLATE_NAMES) loadTemplate(name, templates);
  const last = lastOption ?? config.last;
  const maxBytes = maxBytesOption ?? config.max_bytes;
  const plain: GenerateOptions = {
    ...(last === undefined ? {} : { last }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    allowDegraded: flagOption(args, "allow-degraded"),
    templates,
    redactor: terminal.redactor,
  };
  const taken = await takeSnapshot(workbench, args, terminal);
  const edits = await takeEdits(workbench, terminal, taken.snapshot, plain);
  const options: GenerateOptions = { ...plain, edits: edits.kept };
  const generated = generateHandoff(taken.snapshot, options);
  if (stdout !== null || dryRun) {
    const preview = await previewPublication({ root, outDir }, generated, templates);
    assertPacketBytes(preview.json);
    if (stdout === null) printResult(args, terminal, { ...preview, changed: false });
    else terminal.content(stdout === "md" ? preview.markdown : preview.json);
    if (stdout === null && !json) printSizes(terminal, preview);
    return EXIT.ok;
  }
  await edits.save();
  const published = await publish(workbench, args, terminal, options, { ...taken, generated });
  terminal.diagnostics.push(...published.diagnostics);
  printDiagnostics(terminal, published.diagnostics, flagOption(args, "verbose"));
  printResult(args, terminal, published);
  if (!published.changed && !json)
    terminal.out(`${terminal.colors.dim("unchanged: the packet was already there")}\n`);
  return EXIT.ok;
}
