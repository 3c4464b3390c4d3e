// handoff pr-body: the packet as the body of a pull request, printed or put into a file that people write in too.
import { isUtf8 } from "node:buffer";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { writeAtomic } from "../../io/write-atomic.js";
import { EXIT, UsageError, type ExitCode } from "../../model/errors.js";
import { mergePrBody, PR_BODY_MAX_CHARS } from "../../render/merge-pr-body.js";
import { renderPrBody } from "../../render/render-pr-body.js";
import { readTemplate } from "../../session/open-workbench.js";
import { packetOf } from "../../session/locate-packet.js";
import { flagOption, textOption, type Arguments } from "../arguments.js";
import { locatePacket } from "../locate-packet.js";
import { openWorkbench } from "../open-workbench.js";
import { printJson, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

/** Far more than a body may have: what is longer is no body. */
const MAX_STDIN_BYTES = 1024 * 1024;

function unreadable(reason: string, file: string, cause?: unknown): UsageError {
  return new UsageError(
    "pr_body.unreadable",
    `the body cannot be read: ${reason}`,
    "name a text file with --into, or - for one on stdin",
    { path: file },
    { cause },
  );
}

/** Bytes as text. Decoding would replace what is not UTF-8, and so change what is not ours. */
function asText(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) throw unreadable("it is not UTF-8", file);
  return bytes.toString("utf8");
}

/** The text of a file a person named, byte order mark and line ends included; null when there is no such file. */
async function readBody(file: string): Promise<string | null> {
  try {
    if (!(await stat(file)).isFile()) throw unreadable("it is not a file", file);
    return asText(await readFile(file), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (reason === "ENOENT") return null;
    throw unreadable(reason, file, error);
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_STDIN_BYTES) throw unreadable("it is too large", "-");
    chunks.push(bytes);
  }
  return asText(Buffer.concat(chunks), "-");
}

/**
 * The body from stdin with the block in it. Its end is one line end, however many there were: tools that print a body add
 * one, and a body that goes to and fro must not grow.
 */
async function mergeStdin(block: string): Promise<string> {
  const existing = await readStdin();
  const eol = existing.includes("\r\n") ? "\r\n" : "\n";
  const merged = mergePrBody(existing.replace(/[\r\n]+$/u, ""), block, PR_BODY_MAX_CHARS - eol.length);
  return merged.replace(/[\r\n]+$/u, "") + eol;
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
  // What is printed ends its last line: that is part of the body, too.
  const block = renderPrBody(packet, { overrides, maxChars: PR_BODY_MAX_CHARS - 1 });
  const file = into === null || into === "-" ? null : path.resolve(terminal.cwd, into);
  const body = into === "-" ? await mergeStdin(block) : `${block}\n`;
  const changed = file !== null && (await putInto(file, block));
  if (flagOption(args, "json")) {
    const own = { body: into === "-" ? body : block, into: file ?? into, changed };
    printJson(terminal, { ok: true, packet, path: found.json_path }, own);
  } else if (file === null) terminal.content(body);
  else
    terminal.out(`${shownPath(file, terminal.cwd)}${changed ? "" : terminal.colors.dim(" (unchanged)")}\n`);
  return EXIT.ok;
}
