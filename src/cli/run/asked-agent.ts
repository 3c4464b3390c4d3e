// The agents that `run` is asked for: names that are known, arguments split as a shell would, programs that are there.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { driverOf, DRIVERS } from "../../agents/drivers.js";
import type { AgentDriver } from "../../agents/driver.js";
import { HOOK_SPEECHES } from "../../agents/registry.js";
import { findPrograms } from "../../io/find-program.js";
import { UsageError } from "../../model/errors.js";
import type { RunAgent } from "../../rotation/run-options.js";
import { splitPlainWords } from "../../text/shell-words.js";
import { textOption, type Arguments } from "../arguments.js";
import { nearest } from "../nearest.js";
import type { Terminal } from "../terminal.js";

/** Which of the two: `--agent` or `--next`, and the options that speak for it. */
type Which = "agent" | "next";

export interface AskedAgent {
  readonly which: Which;
  readonly driver: AgentDriver;
  /** As it was given. */
  readonly bin: string | null;
  readonly args: readonly string[];
}

function unknownAgent(which: Which, name: string): UsageError {
  const known = DRIVERS.map((driver) => driver.name);
  const near = known.find((one) => one.startsWith(name) || name.startsWith(one)) ?? nearest(name, known);
  const isRecorded = HOOK_SPEECHES.some((speech) => speech.name === name);
  return new UsageError(
    "run.agent",
    isRecorded
      ? `--${which} ${name}: its sessions are recorded, but it cannot be run from here`
      : `--${which} ${JSON.stringify(name)} is no agent that can be run`,
    `${near === null ? "" : `did you mean ${near}? `}agents are ${known.join(", ")}`,
  );
}

/** A dummy in front: which word comes first means nothing here. */
function splitArguments(which: Which, text: string | null): readonly string[] {
  if (text === null) return [];
  const words = splitPlainWords(`x ${text}`);
  if (words !== null) return words.slice(1);
  throw new UsageError(
    "usage.value",
    `--${which}-args ${JSON.stringify(text)} is not plain words: a quote is open, or a shell would act on a character in it`,
    `quote such words within it: --${which}-args "--append-system-prompt 'be brief!'"`,
  );
}

/** The agent that `--agent` or `--next` names; null when it is not given. Throws UsageError. */
export function askedAgent(args: Arguments, which: Which): AskedAgent | null {
  const name = textOption(args, which);
  const bin = textOption(args, `${which}-bin`);
  const words = textOption(args, `${which}-args`);
  if (name === null) {
    const stray = [bin === null ? null : "bin", words === null ? null : "args"].find((one) => one !== null);
    if (stray === undefined || which === "agent") return null;
    throw new UsageError(
      "usage.arguments",
      `--next-${stray} speaks of the agent that --next names, and there is none`,
      "handoff run --agent … --next …",
    );
  }
  const driver = driverOf(name);
  if (driver === null) throw unknownAgent(which, name);
  if (driver.bin === "" && bin === null)
    throw new UsageError(
      "run.agent",
      `--${which} ${name} drives any program, and none is named`,
      `--${which} ${name} --${which}-bin CMD; its arguments go into --${which}-args`,
    );
  return { which, driver, bin, args: splitArguments(which, words) };
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => isFile(file),
    () => false,
  );
}

function missing({ which, driver, bin }: AskedAgent, hint: string): UsageError {
  const what =
    bin === null
      ? `${driver.title} is not installed: ${driver.bin} is not on PATH`
      : `--${which}-bin ${JSON.stringify(bin)} is no program that can be run`;
  return new UsageError("run.agent_missing", what, hint);
}

/**
 * The agent as the run starts it, its program found: a path is meant from where the person is, a name is looked for on
 * PATH. Throws UsageError when there is none.
 */
export async function findAgent(
  asked: AskedAgent,
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
): Promise<RunAgent> {
  const { which, driver, bin, args } = asked;
  const name = bin ?? driver.bin;
  if (name.includes("/") || name.includes(path.sep)) {
    const file = path.resolve(cwd, name);
    if (await isProgram(file)) return { driver, bin: file, args };
    const isThere = await isFile(file);
    const program = name.split(" ", 1)[0] ?? name;
    const hint = isThere
      ? `make it executable: chmod +x ${name}`
      : name.includes(" ")
        ? `arguments go into --${which}-args: --${which}-bin ${program} --${which}-args "${name.slice(program.length + 1)}"`
        : "there is no such file";
    throw missing(asked, hint);
  }
  if (findPrograms(name, env).length > 0) return { driver, bin, args };
  if (bin === null) throw missing(asked, `install it, or say where it is: --${which}-bin PATH`);
  if (await isFile(path.resolve(cwd, bin)))
    throw missing(asked, `for the file here: --${which}-bin ./${bin}`);
  throw missing(
    asked,
    bin.includes(" ")
      ? `arguments go into --${which}-args: --${which}-bin ${bin.split(" ", 1)[0]} --${which}-args "${bin.slice(bin.indexOf(" ") + 1)}"`
      : "it is not on PATH; name it by its path",
  );
}
