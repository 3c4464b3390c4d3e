import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { UsageError } from "../model/errors.js";
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

  test("of an option given twice the last counts", async () => {
    expect((await parse("generate", "--last", "3", "--last", "4"))?.args["last"]).toBe("4");
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
    expect(error.message).toContain("session");
    expect(error.exitCode).toBe(2);
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

  test("--version", async () => {
    expect(await parse("--version")).toBeNull();
    expect(log.mock.calls).toEqual([["9.8.7"]]);
  });

  test("completion prints a script for the shell", async () => {
    expect(await parse("completion")).toBeNull();
    expect(log.mock.calls.flat().join("\n")).toContain("handoff --get-yargs-completions");
  });
});
