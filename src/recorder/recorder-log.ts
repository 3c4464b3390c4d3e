// .handoff/recorder.log: one line a fault (A6). The only place a hook's faults are told, so it never throws itself, never grows
// without bound and never holds a secret or a line break of anybody's.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { HANDOFF_FOLDER, ignoreOwnFiles } from "../io/handoff-folder.js";
import { hasCode } from "../io/has-code.js";
import { isInside } from "../io/read-artifact-file.js";
import { createRedactor } from "../redact/create-redactor.js";
import { cleanLine } from "../text/clean.js";

const NAME = "recorder.log";
/** From here on the log is put aside as `.1`, in the place of the one before. */
const MAX_BYTES = 1024 * 1024;
const MAX_LINE = 1000;
/** Secrets are looked for in so much: one that the cut would part is found while it is whole. */
const MAX_LOOKED_AT = 16 * MAX_LINE;

/** Who tells what, and when. */
export interface Fault {
  readonly at: Date;
  /** Agent, event and session as far as they are known. */
  readonly hook: readonly string[];
  readonly what: string;
}

function open(file: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  return openSync(file, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o666);
}

function makeFolder(root: string): string {
  const folder = path.join(root, HANDOFF_FOLDER);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  if (!isInside(realpathSync(folder), realpathSync(root)))
    throw new Error("a link leads out of the workbench");
  ignoreOwnFiles(folder);
  return folder;
}

/** One line, fit to show: what somebody else said is cleaned, marked and cut. */
function lineOf({ at, hook, what }: Fault, env: Readonly<Record<string, string | undefined>>): string {
  const said = cleanLine([...hook.filter((part) => part !== ""), what].join(" "));
  const { text } = createRedactor({ env }).redactText(said.slice(0, MAX_LOOKED_AT));
  return `${at.toISOString()} ${text.slice(0, MAX_LINE).toWellFormed()}\n`;
}

/** Writes the fault down, if it can be. Never throws. */
export function logFault(
  root: string,
  fault: Fault,
  env: Readonly<Record<string, string | undefined>>,
): void {
  try {
    const file = path.join(makeFolder(root), NAME);
    let fd = open(file);
    try {
      const facts = fstatSync(fd);
      if (!facts.isFile()) return;
      if (facts.size >= MAX_BYTES) {
        // Unless another hook has done it since: then a new one is in its place.
        if (statSync(file, { throwIfNoEntry: false })?.ino === facts.ino) renameSync(file, `${file}.1`);
        closeSync(fd);
        fd = open(file);
      }
      writeSync(fd, lineOf(fault, env));
    } finally {
      closeSync(fd);
    }
  } catch {
    // Nowhere to tell it: a hook's faults are never the agent's (A6).
  }
}

/** What an error says, in one line. */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  return error.message.startsWith(code) ? error.message : `${code}${error.message}`;
}
