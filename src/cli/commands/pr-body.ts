// handoff pr-body: the packet as the body of a pull request, printed or put into a file that people write in too.
import { isUtf8 } from "node:buffer";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { writeAtomic } from "../../io/write-atomic.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { mergePrBody } from "../../render/merge-pr-body.js";
import { renderPrBody } from "../../render/render-pr-body.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { locatePacket, packetOf } from "../locate-packet.js";
import { openWorkbench, readTemplate } from "../open-workbench.js";
import { printJson, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** The text of a file a person named, byte order mark and line ends included; null when there is no such file. */
async function readBody(file: string): Promise<string | null> {
  const refuse = (reason: string, cause?: unknown): UsageError =>
    new UsageError(
      "pr_body.unreadable",
      `the body cannot be read: ${reason}`,
      "name a text file with --into",
      { path: file },
      { cause },
    );
  try {
    if (!(await stat(file)).isFile()) throw refuse("it is not a file");
    const bytes = await readFile(file);
    // Decoding would replace what is not UTF-8, and so change what is not ours.
    if (!isUtf8(bytes)) throw refuse("it is not UTF-8");
    return bytes.toString("utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (reason === "ENOENT") return null;
    throw refuse(reason, error);
  }
}

/** Puts the block into the file. A symlink stays, the file it names is replaced. */
async function putInto(file: string, block: string): Promise<boolean> {
  const existing = await readBody(file);
  const merged = mergePrBody(existing ?? "", block);
  if (merged === existing) return false;
  const target = existing === null ? file : await realpath(file);
  await writeAtomic(target, merged, { base: path.dirname(target) });
  return true;
}

/** Runs it. Exit 1 when there is no such packet or no room for it, 2 when something cannot be read or written. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const into = textOption(args, "into");
  const template = textOption(args, "template");
  const workbench = await openWorkbench(args, terminal);
  const overrides =
    template === null
      ? workbench.templates
      : { ...workbench.templates, pr_body: await readTemplate(null, path.resolve(terminal.cwd, template)) };
  const found = await locatePacket(workbench, args, terminal);
  const packet = packetOf(found);
  const block = renderPrBody(packet, { overrides });
  const file = into === null ? null : path.resolve(terminal.cwd, into);
  const changed = file !== null && (await putInto(file, block));
  if (flagOption(args, "json"))
    printJson(terminal, { ok: true, packet, path: found.json_path }, { body: block, into: file, changed });
  else if (file === null) terminal.content(`${block}\n`);
  else
    terminal.out(`${shownPath(file, terminal.cwd)}${changed ? "" : terminal.colors.dim(" (unchanged)")}\n`);
  return EXIT.ok;
}
