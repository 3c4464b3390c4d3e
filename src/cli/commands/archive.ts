// handoff archive: puts packets away by name, age, number or because their work is merged (S1). They never drive anything again.
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import type { IndexEntry } from "../../model/store-index.js";
import { gatedBranch, type Workbench } from "../../session/open-workbench.js";
import { archivePackets } from "../../store/archive-packets.js";
import { selectForArchive, type ArchiveRule } from "../../store/select-for-archive.js";
import { readStore } from "../../store/read-store.js";
import { readEntry } from "../../store/select-packet.js";
import { readMerged } from "../../workbench/git/read-merged.js";
import { flagOption, idOption, integerOption, textOption, type Arguments } from "../arguments.js";
import { layColumns } from "../lay-out.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { packetCells, packetRow } from "../packet-rows.js";
import { printDiagnostics, printJson } from "../report.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `30d`, `12h`, `2w`, `90m` in milliseconds; null when not given. */
function ageOption(args: Arguments): number | null {
  const text = textOption(args, "older-than");
  if (text === null) return null;
  const [, count, unit] = /^(\d{1,6})([mhdw])$/u.exec(text.trim()) ?? [];
  if (count === undefined || (unit !== "m" && unit !== "h" && unit !== "d" && unit !== "w"))
    throw new UsageError(
      "usage.value",
      `--older-than ${JSON.stringify(text)}: expected an age like 30d`,
      "units: m, h, d, w",
    );
  return Number(count) * UNIT_MS[unit];
}

/** Ids of packets whose commits the default branch has. A packet without commits of its own is not merged. */
async function mergedIds({ root, outDir }: Workbench, terminal: Terminal): Promise<ReadonlySet<string>> {
  const { out, index } = await readStore({ root, outDir });
  const heads = new Map<string, { head: string; branch: string | null }>();
  for (const entry of index.packets) {
    if (out === null || entry.status === "archived") continue;
    const file = await readEntry(out, entry);
    if (file.status !== "packet") continue;
    const { head_commit, git, branch } = file.packet;
    if (head_commit !== null && git.base_commit !== null && head_commit !== git.base_commit)
      heads.set(entry.packet_id, { head: head_commit, branch });
  }
  const answer = await readMerged(
    root,
    [...heads.values()].map(({ head }) => head),
    null,
    terminal.env,
  );
  if (answer === null)
    throw new UsageError(
      "archive.no_default_branch",
      "git names no default branch here, so nothing can be called merged",
      "git remote set-head origin --auto, or name a packet",
    );
  const own = answer.into.replace(/^origin\//u, "");
  const ids = [...heads]
    .filter(([, { head, branch }]) => answer.merged.has(head) && branch !== own)
    .map(([id]) => id);
  return new Set(ids);
}

async function ruleOf(workbench: Workbench, args: Arguments, terminal: Terminal): Promise<ArchiveRule> {
  const ref = textOption(args, "ref");
  const olderThanMs = ageOption(args);
  const keep = integerOption(args, "keep", 0, 1_000_000);
  const wantsMerged = flagOption(args, "merged");
  const byRule = olderThanMs !== null || keep !== null || wantsMerged;
  if ((ref !== null) === byRule)
    throw new UsageError(
      "usage.arguments",
      ref === null ? "nothing says what to archive" : "a packet and a rule exclude each other",
      "name a packet, or use --older-than, --keep or --merged",
    );
  const ids =
    ref === null ? null : new Set([(await locatePacket(workbench, args, terminal)).entry.packet_id]);
  return {
    ids,
    before: olderThanMs === null ? null : Date.now() - olderThanMs,
    keep,
    merged: wantsMerged ? await mergedIds(workbench, terminal) : null,
    branch: gatedBranch(textOption(args, "branch"), terminal),
    topic: idOption(args, "topic"),
  };
}

function printArchived(terminal: Terminal, entries: readonly IndexEntry[], dryRun: boolean): void {
  const rows = entries.map((entry) => packetCells(entry, Date.now()));
  for (const line of layColumns(rows, terminal.outColumns)) terminal.out(`${line}\n`);
  const count = `${entries.length} ${entries.length === 1 ? "packet" : "packets"}`;
  terminal.out(terminal.colors.dim(dryRun ? `dry run: ${count} would be archived\n` : `${count} archived\n`));
}

/** Runs it. Exit 0, also when nothing was to be archived; 1 when there is no such packet. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const { root, outDir, templates } = workbench;
  const rule = await ruleOf(workbench, args, terminal);
  const dryRun = flagOption(args, "dry-run");
  const store = await readStore({ root, outDir });
  let chosen = selectForArchive(
    store.index.packets.filter(({ status }) => status !== "archived"),
    rule,
  );
  if (!dryRun) {
    const { archived, diagnostics } = await archivePackets({
      root,
      outDir,
      templates,
      lock: { onWait: tellWait(terminal) },
      select: (entries) => selectForArchive(entries, rule).map(({ packet_id }) => packet_id),
    });
    terminal.diagnostics.push(...diagnostics);
    printDiagnostics(terminal, diagnostics, false);
    const { index } = await readStore({ root, outDir });
    const put = new Set(archived);
    chosen = index.packets.filter(({ packet_id }) => put.has(packet_id));
  }
  if (flagOption(args, "json")) {
    const packets = chosen.map((entry) =>
      packetRow(terminal.redactor.redactText(store.out ?? "").text, entry),
    );
    printJson(terminal, { ok: true }, { dry_run: dryRun, packets });
  } else printArchived(terminal, chosen, dryRun);
  return EXIT.ok;
}
