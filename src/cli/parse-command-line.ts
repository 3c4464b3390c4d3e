// From argv to a command and its options. Everything not understood is a usage error that names the nearest thing there is.
import yargs from "yargs";
import { UsageError } from "../model/errors.js";
import { REST, type Arguments } from "./arguments.js";
import { COMMANDS } from "./command-table.js";
import { nearest } from "./nearest.js";
import type { Command } from "./table/command.js";

/** The command to run; null when help, the version or a completion was asked for and is already printed. */
export type ParsedLine = { readonly command: Command; readonly args: Arguments } | null;

function seeHelp(command: Command | undefined): string {
  return command === undefined ? "see handoff --help" : `see handoff ${command.name} --help`;
}

const optionName = (word: string): string => word.replace(/^-+/u, "").replace(/=.*$/su, "");

function unknownOption(name: string, command: Command | undefined): UsageError {
  const commands = command === undefined ? COMMANDS : [command];
  const known = [...commands.flatMap(({ options }) => Object.keys(options)), "help", "version"];
  if (command === undefined && known.includes(name))
    return new UsageError(
      "usage.option",
      `--${name} stands before the command`,
      `options come after the command: handoff <command> --${name}`,
    );
  const near = nearest(name, known);
  const dashes = name.length === 1 ? "-" : "--";
  return new UsageError(
    "usage.option",
    `unknown option ${dashes}${name}`,
    near === null ? seeHelp(command) : `did you mean --${near}? ${seeHelp(command)}`,
  );
}

function unknownCommand(name: string): UsageError {
  const near = nearest(name, [...COMMANDS.map((command) => command.name), "completion"]);
  return new UsageError(
    "usage.command",
    `unknown command ${name}`,
    near === null ? "see handoff --help" : `did you mean ${near}? see handoff --help`,
  );
}

/** `[ID]` at the end of an option's description. */
function placeholderOf(command: Command | undefined, name: string): string {
  return /\[([^\]]+)\]$/u.exec(command?.options[name]?.describe ?? "")?.[1] ?? "VALUE";
}

/** An option that takes one value has one: of two, either may be meant. Throws UsageError. */
function refuseRepeated(args: Arguments, command: Command): void {
  for (const [name, { type }] of Object.entries(command.options))
    if (type === "string" && Array.isArray(args[name]))
      throw new UsageError(
        "usage.arguments",
        `--${name} is given more than once`,
        `give it once; ${seeHelp(command)}`,
      );
}

/** A flag is given or not: yargs would read any other word as no. Throws UsageError. */
function refuseFlagValues(argv: readonly string[], command: Command): void {
  for (const word of argv) {
    const { name = "", value = "true" } = /^--(?<name>[^=]+)=(?<value>.*)$/su.exec(word)?.groups ?? {};
    if (command.options[name]?.type === "boolean" && value !== "true" && value !== "false")
      throw new UsageError(
        "usage.value",
        `--${name} ${JSON.stringify(value)}: it takes no value`,
        `--${name}, or leave it out; ${seeHelp(command)}`,
      );
  }
}

/** yargs says what it did not understand in a sentence only. */
function explain(message: string, argv: readonly string[]): UsageError {
  const [first] = argv;
  // An option in front takes the command's name for its value.
  if (first?.startsWith("-") === true) return unknownOption(optionName(first), undefined);
  const command = COMMANDS.find(({ name }) => name === first);
  const empty = /^Not enough arguments following: (\S+)$/u.exec(message.trim())?.[1];
  if (empty !== undefined)
    return new UsageError(
      "usage.arguments",
      `--${empty} needs a value`,
      `--${empty} ${placeholderOf(command, empty)}; ${seeHelp(command)}`,
    );
  const unknown = /^Unknown (?:argument|command)s?: ([^,]*)/u.exec(message)?.[1];
  if (unknown === undefined) return new UsageError("usage.arguments", message.trim(), seeHelp(command));
  if (argv.some((word) => word.startsWith("-") && optionName(word).startsWith(unknown)))
    return unknownOption(unknown, command);
  if (command === undefined) return unknownCommand(unknown);
  return new UsageError("usage.arguments", `unexpected argument ${unknown}`, seeHelp(command));
}

/** What stands behind `--` is not looked into, for commands that take it as it is. */
function splitRest(line: readonly string[]): { argv: readonly string[]; rest: readonly string[] | null } {
  const at = line.indexOf(REST);
  const takes = COMMANDS.find(({ name }) => name === line[0])?.takesRest === true;
  return takes && at !== -1
    ? { argv: line.slice(0, at), rest: line.slice(at + 1) }
    : { argv: line, rest: null };
}

/** What yargs would not see: a value that starts with a dash, which it takes for an option, and a lone dash, which it loses. */
function keepDashes(argv: readonly string[]): readonly string[] {
  const command = COMMANDS.find(({ name }) => name === argv[0]);
  if (command?.dashes === undefined) return argv;
  const { exact, alone } = command.dashes;
  const kept: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? "";
    const name = word.startsWith("--") ? word.slice(2) : "";
    const value = argv[i + 1];
    const isOption = value?.startsWith("--") === true && Object.hasOwn(command.options, optionName(value));
    // Two options in a row: the first lacks its value.
    if (command.options[name]?.type !== "string" || value === undefined || isOption)
      kept.push(word === "-" ? `--${alone}` : word);
    else {
      kept.push(...(exact.includes(name) ? [`${word}=${value}`] : [word, value]));
      i += 1;
    }
  }
  return kept;
}

/**
 * Parses the words after `handoff`. Throws UsageError (exit 2).
 * @param columns width of the terminal, for help
 */
export async function parseCommandLine(
  words: readonly string[],
  version: string,
  columns: number,
): Promise<ParsedLine> {
  let parsed: ParsedLine = null;
  const { argv, rest } = splitRest(words);
  const kept = keepDashes(argv);
  const parser = yargs([...kept])
    .scriptName("handoff")
    .usage("$0 <command>\n\nOne packet from what a coding agent's workbench already holds.")
    .example("$0 generate", "write outputs/handoff/<session>/handoff.{md,json}")
    .example("$0 doctor", "what is found here, and what is missing")
    .example("$0 completion >> ~/.bashrc", "complete commands and options with the Tab key")
    // The text is the same everywhere, and no locale files are looked for.
    .detectLocale(false)
    .parserConfiguration({
      "camel-case-expansion": false,
      "dot-notation": false,
      "duplicate-arguments-array": true,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "boolean-negation": false,
    })
    .exitProcess(false)
    .version(version)
    .help()
    .alias("help", "h")
    .wrap(Math.min(100, columns))
    .demandCommand(1, "a command is missing")
    .strict()
    .fail((message, error) => {
      // yargs hands over both its own complaints and whatever our code threw.
      throw error instanceof Error && error.name !== "YError"
        ? error
        : explain(message ?? error?.message, argv);
    });
  for (const command of COMMANDS)
    parser.command(
      `${command.name} ${command.positionals}`.trim(),
      command.describe,
      (builder) => {
        builder.usage(`$0 ${command.name} ${command.positionals}\n\n${command.describe}`);
        if (command.positionals.includes("[ref]"))
          builder.positional("ref", { type: "string", describe: "packet id or session id" });
        return builder.options(command.options).example(command.examples.map(([line, what]) => [line, what]));
      },
      (args) => {
        refuseRepeated(args, command);
        refuseFlagValues(kept, command);
        parsed = { command, args: rest === null ? args : { ...args, [REST]: rest } };
      },
    );
  // Last, so that help names it last.
  parser.completion("completion", "print a completion script for bash or zsh");
  await parser.parseAsync();
  return parsed;
}
