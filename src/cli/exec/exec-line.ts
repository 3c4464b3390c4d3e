// `handoff exec [options] -- CMD …`, read without the parser of all the other commands, which takes longer than many a command
// that is run by it. Whatever is not plainly this is left to that parser and its explanations.
import { checkIdOption } from "../../workbench/choose-ids.js";

/** Options and command; the options' values are not judged yet. */
export interface ExecLine {
  readonly options: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Options of exec, each with one value. */
const OPTIONS = ["root", "session", "note", "timeout"];
export const MAX_TIMEOUT_SECONDS = 604_800;

/** The words behind `handoff`, read; null for anything but a call of exec that has all it needs and nothing else. */
export function readExecLine(argv: readonly string[]): ExecLine | null {
  const end = argv.indexOf("--");
  if (argv[0] !== "exec" || end === -1 || end === argv.length - 1) return null;
  const options: Record<string, string> = {};
  const words = argv.slice(1, end);
  for (let i = 0; i < words.length; i += 1) {
    const [, name = "", joined] = /^--([a-z]+)(?:=(.*))?$/su.exec(words[i] ?? "") ?? [];
    const value = joined ?? words[(i += 1)];
    if (!OPTIONS.includes(name) || options[name] !== undefined) return null;
    if (value === undefined || value.trim() === "" || (joined === undefined && value.startsWith("-")))
      return null;
    options[name] = value;
  }
  return isPlain(options) ? { options, command: argv.slice(end + 1) } : null;
}

/** False for values that the other parser has to complain about. */
function isPlain({ session, timeout }: Readonly<Record<string, string>>): boolean {
  try {
    if (session !== undefined) checkIdOption("session", session);
  } catch {
    return false;
  }
  const seconds = timeout === undefined ? 1 : /^\d{1,6}$/u.test(timeout) ? Number(timeout) : 0;
  return seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS;
}
