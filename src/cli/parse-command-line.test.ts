import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { UsageError } from "../model/errors.js";
import { flagOption } from "./arguments.js";
import { COMMANDS } from "./command-table.js";
import { parseCommandLine } from "./parse-command-line.js";

let log: MockInstance<typeof console.log>;
beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterEach(() => {
  log.mockRestore();
});

const parse = (...argv: string[]): ReturnType<typeof parseCommandLine> => parseCommandLine(argv, "9.8.7", 80);

async function usageError(...argv: string[]): Promise<UsageError> {
  const error: unknown = await parse(...argv).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe("P40 options", () => {
  test("a command line is parsed into its command and options, values as text", async () => {
    const line = await parse("generate", "--session", "007", "--last=3", "--dry-run", "--base=-x");
    expect(line?.command.name).toBe("generate");
    expect(line?.args).toMatchObject({ session: "007", last: "3", "dry-run": true, base: "-x" });
  });

  test("a flag may be given twice", async () => {
    const { command, args } = (await parse("generate", "--dry-run", "--dry-run", "--json", "--json")) ?? {};
    expect(command?.name).toBe("generate");
    expect([flagOption(args ?? {}, "dry-run"), flagOption(args ?? {}, "json")]).toEqual([true, true]);
  });

  test.each(["show", "check", "brief", "pr-body"])("%s takes one reference", async (name) => {
    expect((await parse(name, "0123"))?.args["ref"]).toBe("0123");
    expect((await parse(name))?.args["ref"]).toBeUndefined();
    expect((await usageError(name, "a", "b")).code).toBe("usage.arguments");
  });
});

describe("P41 what is not understood is exit 2 and names the nearest thing", () => {
  test.each<[string[], string, string]>([
    [["generate", "--lsat", "3"], "unknown option --lsat", "--last"],
    [["generate", "--dry-rnu"], "unknown option --dry-rnu", "--dry-run"],
    [["generate", "--seesion=x"], "unknown option --seesion", "--session"],
    [["generate", "--max_bytes", "1"], "unknown option --max_bytes", "--max-bytes"],
    [["--jsn", "check"], "unknown option --jsn", "--json"],
    [["--seesion=x"], "unknown option --seesion", "--session"],
  ])("%j", async (argv, what, near) => {
    const error = await usageError(...argv);
    expect([error.code, error.message, error.exitCode]).toEqual(["usage.option", what, 2]);
    expect(error.hint).toContain(`did you mean ${near}?`);
  });

  test.each<[string, string | null]>([
    ["genrate", "generate"],
    ["sho", "show"],
    ["prbody", "pr-body"],
    ["frobnicate", null],
  ])("command %s", async (name, near) => {
    const error = await usageError(name);
    expect([error.code, error.exitCode]).toEqual(["usage.command", 2]);
    expect(error.hint).toBe(
      near === null ? "see handoff --help" : `did you mean ${near}? see handoff --help`,
    );
  });

  test("an option far from any other gets no guess", async () => {
    expect((await usageError("generate", "--frobnicate")).hint).toBe("see handoff generate --help");
  });

  test("no command", async () => {
    const error = await usageError();
    expect([error.message, error.exitCode]).toEqual(["a command is missing", 2]);
  });

  test("an option before the command", async () => {
    expect((await parse("--session", "x", "generate"))?.args["session"]).toBe("x");
    // Only the command knows that this one takes no value.
    const error = await usageError("--json", "check");
    expect([error.code, error.exitCode]).toEqual(["usage.option", 2]);
    expect(error.hint).toBe("options come after the command: handoff <command> --json");
  });

  test("an option without its value", async () => {
    const error = await usageError("generate", "--session");
    expect([error.code, error.message, error.hint]).toEqual([
      "usage.arguments",
      "--session needs a value",
      "--session ID; see handoff generate --help",
    ]);
  });

  const SINGLE = COMMANDS.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, { type }]) =>
      type === "string" ? [[name, option] as const] : [],
    ),
  );
  test.each(SINGLE)("%s --%s takes one value, not two and not none", async (name, option) => {
    for (const words of [
      [`--${option}`, "3", `--${option}`, "4"],
      [`--${option}=3`, `--${option}=3`],
    ]) {
      const twice = await usageError(name, ...words);
      expect([twice.code, twice.message, twice.hint]).toEqual([
        "usage.arguments",
        `--${option} is given more than once`,
        `give it once; see handoff ${name} --help`,
      ]);
    }
    for (const words of [[`--${option}`], [`--${option}`, "--root", "x"]]) {
      if (option === "root" && words.length > 1) continue;
      const none = await usageError(name, ...words);
      expect([none.code, none.message]).toEqual(["usage.arguments", `--${option} needs a value`]);
      expect(none.hint).toMatch(new RegExp(`^--${option} \\S+; see handoff ${name} --help$`, "u"));
    }
  });

  const FLAGS = COMMANDS.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, { type }]) =>
      type === "boolean" ? [[name, option] as const] : [],
    ),
  );
  test.each(FLAGS)("%s --%s takes no value but true and false", async (name, option) => {
    for (const value of ["maybe", "no", "0", "", "TRUE", "true\n"]) {
      const error = await usageError(name, `--${option}=${value}`);
      expect([error.code, error.message, error.hint]).toEqual([
        "usage.value",
        `--${option} ${JSON.stringify(value)}: it takes no value`,
        `--${option}, or leave it out; see handoff ${name} --help`,
      ]);
    }
    for (const value of [true, false])
      expect((await parse(name, `--${option}=${value}`))?.args[option]).toBe(value);
  });

  test("a value that looks like a flag with one is a value", async () => {
    const line = await parse("run", "--prompt=--json=maybe");
    expect(line?.args["prompt"]).toBe("--json=maybe");
  });

  test("an argument where none is taken", async () => {
    expect((await usageError("generate", "now")).message).toBe("unexpected argument now");
  });
});

describe("P44 help", () => {
  test.each(COMMANDS.map(({ name }) => name))("%s --help lists every option and an example", async (name) => {
    expect(await parse(name, "--help")).toBeNull();
    const help = log.mock.calls.flat().join("\n");
    const command = COMMANDS.find((known) => known.name === name);
    for (const option of Object.keys(command?.options ?? {})) expect(help).toContain(`--${option}`);
    expect(help).toContain("Examples:");
    expect(help).toContain(`handoff ${name}`);
  });

  test("--help lists every command", async () => {
    expect(await parse("--help")).toBeNull();
    const help = log.mock.calls.flat().join("\n");
    for (const { name, describe: what } of COMMANDS) {
      expect(help).toContain(name);
      expect(help.replace(/\s+/gu, " ")).toContain(what);
    }
  });

  test("--help names completion last, and how to use it", async () => {
    await parse("--help");
    const help = log.mock.calls.flat().join("\n");
    const named = [...help.matchAll(/^ {2}handoff ([a-z-]+)/gmu)].map(([, name]) => name);
    expect(named.slice(0, COMMANDS.length + 1)).toEqual([...COMMANDS.map(({ name }) => name), "completion"]);
    expect(help).toMatch(/handoff completion >> ~\/\.bashrc/u);
  });

  test("--version", async () => {
    expect(await parse("--version")).toBeNull();
    expect(log.mock.calls).toEqual([["9.8.7"]]);
  });

  test("completion prints a script for the shell", async () => {
    expect(await parse("completion")).toBeNull();
    expect(log.mock.calls.flat().join("\n")).toContain("handoff --get-yargs-completions");
  });
});

describe("run takes values with dashes in front", () => {
  test.each<[string[], Record<string, unknown>]>([
    [["--agent-args", "--model opus"], { "agent-args": "--model opus" }],
    [["--agent-args", "-x"], { "agent-args": "-x" }],
    [["--agent-args=--json"], { "agent-args": "--json" }],
    [["--agent-args", `'a b' "c"`], { "agent-args": `'a b' "c"` }],
    [["--agent-args", `"all of it"`], { "agent-args": `"all of it"` }],
    [["--prompt", "- [ ] one\n- [ ] two"], { prompt: "- [ ] one\n- [ ] two" }],
    [["--prompt", "a=b --root x"], { prompt: "a=b --root x" }],
    [["-"], { stdin: true }],
    [["-", "--pause"], { stdin: true, pause: true }],
    [["--events", "-"], { events: "-" }],
    [["--prompt-file", "-", "--events", "-"], { "prompt-file": "-", events: "-" }],
    [["--prompt", "-"], { prompt: "-" }],
  ])("%j", async (words, args) => {
    expect((await parse("run", ...words))?.args).toMatchObject(args);
  });

  test("a lone dash is not taken from another option", async () => {
    expect((await parse("run", "--events", "-"))?.args["stdin"]).toBeUndefined();
  });
});
