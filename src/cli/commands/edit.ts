// handoff edit: the packet's human-editable fields in a person's editor (P39). What is written there is never lost: it is in
// the packet and in edits.json, or, when it cannot be used, in a file beside the packet.
import { mkdtemp, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isInside } from "../../io/read-artifact-file.js";
import { writeAtomic } from "../../io/write-atomic.js";
import { EXIT, RefusalError, UsageError, type ExitCode } from "../../model/errors.js";
import type { HandoffPacket } from "../../model/packet.js";
import { editedFields } from "../../model/packet-edits.js";
import { DEFAULT_MAX_BYTES } from "../../packet/build-packet.js";
import { deriveEdits, editableFields, type EditableFields } from "../../packet/derive-edits.js";
import type { Workbench } from "../../session/open-workbench.js";
import { packetOf } from "../../session/locate-packet.js";
import type { FoundPacket } from "../../store/locate-packet.js";
import { publishEdits } from "../../store/publish-edits.js";
import { sha256Hex } from "../../text/digest.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { parseEditFile, type EditProblem } from "../edit/parse-edit-file.js";
import { renderEditFile } from "../edit/render-edit-file.js";
import { editorCommand, runEditor } from "../edit/run-editor.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { printDiagnostics, printFault, printJson, shownPath } from "../report.js";
import { tellWait } from "../tell-wait.js";
import type { Terminal } from "../terminal.js";

/** Beside a packet: an edit that could not be used. */
const REJECTED = /^rejected-edit-[0-9a-f]{12}\.yaml$/u;

/** Keeps a text, without its secrets (S13), beside the packet, named by its content, or, where nothing can be written, among temporary files. */
async function keepRejected(
  { json_path, out }: FoundPacket,
  rejected: string,
  { redactor }: Terminal,
): Promise<string> {
  const { text } = redactor.redactText(rejected);
  const name = `rejected-edit-${sha256Hex(text).slice(0, 12)}.yaml`;
  const file = path.join(path.dirname(json_path), name);
  try {
    await writeAtomic(file, text, { base: out });
    return file;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const elsewhere = path.join(await mkdtemp(path.join(tmpdir(), "handoff-edit-")), name);
    await writeFile(elsewhere, text, { mode: 0o600 });
    return elsewhere;
  }
}

/** What a person wrote in an editor; null when it was left as it was. */
async function askEditor(
  found: FoundPacket,
  packet: HandoffPacket,
  terminal: Terminal,
): Promise<string | null> {
  const command = editorCommand(terminal.env);
  const before = renderEditFile(packet);
  const folder = await mkdtemp(path.join(tmpdir(), "handoff-edit-"));
  try {
    const file = path.join(folder, `${packet.packet_id}.yaml`);
    await writeFile(file, before, { mode: 0o600 });
    const end = await runEditor(command, file, terminal);
    const text = await readFile(file, "utf8").catch(() => "");
    if (end.status === "failed") {
      const kept = text === before || text.trim() === "" ? null : await keepRejected(found, text, terminal);
      const place = kept === null ? null : { path: kept };
      const said = kept === null ? "nothing was changed" : "what was written is kept";
      throw new RefusalError(
        "editor.failed",
        `the editor failed (${end.reason}), ${said}`,
        kept === null
          ? `it was started as: ${command}`
          : `handoff edit --from ${shownPath(kept, terminal.cwd)} uses it`,
        place,
      );
    }
    return text === before ? null : text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readFrom(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(
      "edit.unreadable",
      `the edited text cannot be read: ${reason}`,
      "name a file with --from",
      { path: file },
      { cause: error },
    );
  }
}

/** Tells every fault but the first, which the failure itself tells. */
function refuseInvalid(problems: readonly EditProblem[], kept: string, terminal: Terminal): never {
  const [first, ...others] = problems;
  for (const { what, line } of others.slice(0, 20))
    printFault(terminal, "edit.invalid", what, { path: kept, line });
  throw new UsageError(
    "edit.invalid",
    `${first?.what ?? "it cannot be read"}; nothing was changed`,
    `mend it there, then: handoff edit --from ${shownPath(kept, terminal.cwd)}`,
    { path: kept, line: first?.line ?? 1 },
  );
}

/** The fields a person wants. Throws when the text is none, after keeping it beside the packet. */
async function readFields(
  found: FoundPacket,
  packet: HandoffPacket,
  text: string,
  terminal: Terminal,
): Promise<EditableFields> {
  const parsed = parseEditFile(text, packet);
  if (parsed.status === "fields") return parsed.fields;
  if (parsed.status === "empty")
    throw new RefusalError(
      "edit.empty",
      "the text is empty, so nothing was changed",
      "to empty a list, write []",
    );
  return refuseInvalid(parsed.problems, await keepRejected(found, text, terminal), terminal);
}

function refuseUneditable({ entry, file, json_path }: FoundPacket): void {
  if (entry.status !== "active")
    throw new RefusalError(
      "edit.not_active",
      `packet ${entry.packet_id} is ${entry.status}: it drives nobody any more`,
      "edit the active one: handoff edit without an id",
    );
  if (file.status === "packet" && !file.id_matches)
    throw new RefusalError(
      "edit.changed_by_hand",
      "handoff.json was changed by hand",
      "handoff generate takes the changes over; edit after that",
      { path: json_path },
    );
}

/** A file of ours that was mended and used is no longer needed. */
async function forget(file: string, { out }: FoundPacket): Promise<void> {
  if (isInside(file, out) && REJECTED.test(path.basename(file))) await unlink(file).catch(() => undefined);
}

async function editOpen(workbench: Workbench, args: Arguments, terminal: Terminal) {
  const found = await locatePacket(workbench, args, terminal);
  const packet = packetOf(found);
  refuseUneditable(found);
  const from = textOption(args, "from");
  const file = from === null ? null : path.resolve(terminal.cwd, from);
  const text = file === null ? await askEditor(found, packet, terminal) : await readFrom(file);
  const fields = text === null ? editableFields(packet) : await readFields(found, packet, text, terminal);
  const edits = deriveEdits(packet, editableFields(packet), fields);
  return { found, packet, edits, text, file };
}

/** Runs it. Exit 0 edited or unchanged, 1 a refusal (empty, no such packet, editor failed), 2 an edit that cannot be used. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const workbench = await openWorkbench(args, terminal);
  const { root, outDir, config, templates } = workbench;
  const { found, packet, edits, text, file } = await editOpen(workbench, args, terminal);
  const names = editedFields(edits);
  const json = flagOption(args, "json");
  let result = { packet, path: found.json_path };
  if (names.length > 0) {
    const place = { root, outDir, templates, lock: { onWait: tellWait(terminal) } };
    const maxBytes = config.max_bytes ?? DEFAULT_MAX_BYTES;
    const published = await publishEdits({
      ...place,
      entry: found.entry,
      edits,
      maxBytes,
      redactor: terminal.redactor,
    }).catch(async (error: unknown) => {
      // Whatever stops us, what a person wrote stays.
      if (text !== null && file === null)
        terminal.err(
          `handoff: the edit is kept: ${shownPath(await keepRejected(found, text, terminal), terminal.cwd)}\n`,
        );
      throw error;
    });
    terminal.diagnostics.push(...published.diagnostics);
    printDiagnostics(terminal, published.diagnostics, false);
    result = { packet: published.packet, path: path.join(published.dir, "handoff.json") };
  }
  if (file !== null) await forget(file, found);
  if (json) {
    printJson(terminal, { ok: true, ...result }, { changed: names });
    return EXIT.ok;
  }
  const where = shownPath(path.join(path.dirname(result.path), "handoff.md"), terminal.cwd);
  const { bold, cyan, dim } = terminal.colors;
  if (names.length === 0) terminal.out(`${dim(`unchanged: ${where}`)}\n`);
  else
    terminal.out(
      `${bold(cyan(where))}\n${dim("edited:")} ${names.join(", ")}; now ${result.packet.packet_id}\n`,
    );
  return EXIT.ok;
}
