// handoff conformance: does an executor keep the rules of an operator's handoff (O12)? Or, with --serve: be one (O13).
import { stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXIT, type ExitCode, UsageError } from "../../model/errors.js";
import { CAPABILITIES } from "../../model/executor-messages.js";
import { type ExecutorCommand, NotStarted } from "../../operator/conformance/executor-process.js";
import { junitReport, resultName } from "../../operator/conformance/junit-report.js";
import { serveOwnExecutor } from "../../operator/conformance/own/own-executor.js";
import { playPuppet, PUPPET_VARIABLE } from "../../operator/conformance/own/puppet.js";
import {
  type ConformanceReport,
  runConformance,
  type ScenarioResult,
  SCENARIOS,
} from "../../operator/conformance/run-conformance.js";
import { ScenarioFailure } from "../../operator/conformance/scenario-failure.js";
import { splitPlainWords } from "../../text/shell-words.js";
import { flagOption, integerOption, textOption, type Arguments } from "../arguments.js";
import { cutColumns, hanging } from "../lay-out.js";
import { nearest } from "../nearest.js";
import { printJson, shown } from "../report.js";
import type { Terminal } from "../terminal.js";

const STEP_SECONDS = 30;
const MOST_SECONDS = 3600;
const NAMES: readonly string[] = [...new Set(SCENARIOS.map(({ name }) => name))];
/** Of the longest name, and a space. */
const WIDTH =
  Math.max(...SCENARIOS.map((one) => resultName({ scenario: one.name, variant: one.variant }).length)) + 2;

function wordsOf(command: string): readonly string[] {
  const words = splitPlainWords(command);
  if (words !== null && words.length > 0) return words;
  throw new UsageError(
    "usage.value",
    `--executor ${JSON.stringify(command)} is not plain words: a shell would act on a character in it`,
    "name a program and its arguments; for more, a script",
  );
}

function scenarioOf(args: Arguments): string | null {
  const name = textOption(args, "scenario");
  if (name === null || NAMES.includes(name)) return name;
  const near = nearest(name, NAMES);
  throw new UsageError(
    "usage.value",
    `there is no scenario ${JSON.stringify(name)}`,
    `${near === null ? "" : `did you mean ${near}? `}scenarios are ${NAMES.join(", ")}`,
  );
}

function capabilitiesOf(args: Arguments): readonly string[] | null {
  const list = textOption(args, "capabilities");
  if (list === null) return null;
  const named = list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const unknown = named.find((one) => !CAPABILITIES.some((known) => known === one));
  if (unknown === undefined) return named;
  throw new UsageError(
    "usage.value",
    `there is no capability ${JSON.stringify(unknown)}`,
    `capabilities are ${CAPABILITIES.join(", ")}`,
  );
}

/** Refused before anything is played: the report would be lost. */
async function junitFile(args: Arguments, { cwd }: Terminal): Promise<string | null> {
  const name = textOption(args, "junit");
  if (name === null) return null;
  const file = path.resolve(cwd, name);
  const isThere = await stat(path.dirname(file)).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  const isFolder = await stat(file).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (isThere && !isFolder) return file;
  throw new UsageError(
    "conformance.junit",
    isFolder ? "--junit names a folder" : "--junit names a file in a folder that is not there",
    "name a file in a folder that is there",
    { path: file },
  );
}

const LOOKS = { passed: "green", failed: "red", "not-run": "yellow" } as const;

function resultLine(
  result: ScenarioResult,
  { colors, outColumns }: Pick<Terminal, "colors" | "outColumns">,
): string {
  const { status, detail, proves } = result;
  const head = `${status.padEnd(8)} ${resultName(result).padEnd(WIDTH)}`;
  const text = shown(detail ?? proves);
  const laid = outColumns === null ? `${head}${text}` : hanging(head, text, outColumns);
  const rest = laid.slice(status.length);
  return `${colors[LOOKS[status]](status)}${status === "passed" ? colors.dim(rest) : rest}\n`;
}

const of = ({ results }: ConformanceReport, status: ScenarioResult["status"]): number =>
  results.filter((one) => one.status === status).length;

function summaryLine(report: ConformanceReport, { outColumns }: Pick<Terminal, "outColumns">): string {
  const name = report.executor === "" ? "the executor" : shown(report.executor);
  const text = `${name}: ${of(report, "passed")} passed, ${of(report, "failed")} failed, ${of(report, "not-run")} not run`;
  return `${outColumns === null ? text : cutColumns(text, outColumns - 1)}\n`;
}

/** Our own runner as an executor; or, started by it, the agent that it plays with. */
async function serve({ env }: Terminal): Promise<ExitCode> {
  const own = { ...env };
  if (own[PUPPET_VARIABLE] !== undefined) process.exit(await playPuppet(own));
  const puppetWords = [process.execPath, process.argv[1] ?? "", "conformance", "--serve"];
  await serveOwnExecutor({ env: own, puppetWords });
  // Agents of attempts that nobody ends are ended with us.
  process.exit(EXIT.ok);
}

/** Runs it. Exit 0 everything that was run has passed, 1 something failed or nothing could be run, 2 usage, or an executor that cannot be talked to. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (flagOption(args, "serve")) return serve(terminal);
  const words = textOption(args, "executor");
  if (words === null)
    throw new UsageError(
      "conformance.executor",
      "no executor is named",
      'handoff conformance --executor CMD; our own runner: --executor "handoff conformance --serve"',
    );
  const json = flagOption(args, "json");
  const junit = await junitFile(args, terminal);
  const command: ExecutorCommand = {
    words: wordsOf(words),
    cwd: terminal.cwd,
    env: { ...terminal.env },
    stepMs: (integerOption(args, "timeout", 1, MOST_SECONDS) ?? STEP_SECONDS) * 1000,
  };
  let report: ConformanceReport;
  try {
    report = await runConformance({
      command,
      capabilities: capabilitiesOf(args),
      scenario: scenarioOf(args),
      onResult: (result) => {
        if (!json) terminal.out(resultLine(result, terminal));
      },
    });
  } catch (error) {
    if (!(error instanceof NotStarted) && !(error instanceof ScenarioFailure)) throw error;
    throw new UsageError(
      "conformance.executor",
      `--executor cannot be used: ${error.message}`,
      "it must speak the protocol on stdin and stdout; see schemas/executor-request.schema.json",
    );
  }
  if (junit !== null) await writeFile(junit, junitReport(report));
  // Nothing was shown by an executor that nothing could be asked of.
  const ok = of(report, "failed") === 0 && of(report, "passed") > 0;
  if (json) printJson(terminal, { ok, path: junit }, { ...report });
  else terminal.out(summaryLine(report, terminal));
  return ok ? EXIT.ok : EXIT.refused;
}
