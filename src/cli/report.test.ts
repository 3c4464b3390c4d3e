import { readFileSync } from "node:fs";
import fc from "fast-check";
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import type { Diagnostic, DiagnosticCode } from "../model/diagnostic.js";
import { RefusalError, UsageError } from "../model/errors.js";
import { diagnosticRows, printDiagnostics, reportFailure, shownPath } from "./report.js";
import { wantsColors, type Terminal } from "./terminal.js";
import { createRedactor } from "../redact/create-redactor.js";
import { describeDiagnostic, hintFor } from "../text/diagnostic-text.js";

function recorder(env: Record<string, string> = {}): Terminal & { written: { out: string; err: string } } {
  const written = { out: "", err: "" };
  const colors = pc.createColors(false);
  return {
    cwd: "/w",
    env,
    colors,
    errorColors: colors,
    out: (text) => {
      written.out += text;
    },
    content: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isInteractive: false,
    columns: 80,
    outColumns: null,
    redactor: createRedactor(),
    diagnostics: [],
    written,
  };
}
const diagnostic = (extra: Partial<Diagnostic> = {}): Diagnostic => ({
  code: "feedback.skipped_line",
  severity: "warn",
  artifact: "feedback",
  source: { path: "feedback.jsonl", line: 7 },
  args: { reason: "glued objects" },
  ...extra,
});

const HINT = "a record is one JSON object on one line; the other lines were read";

describe("P41 diagnostics", () => {
  test("every code there is has a sentence and a short hint that says what to do", () => {
    const source = readFileSync(new URL("../model/diagnostic.ts", import.meta.url), "utf8");
    const codes = [...source.matchAll(/^ {2}\| "([a-z_]+\.[a-z_]+)"/gmu)].map(
      ([, code]) => code as DiagnosticCode,
    );
    expect(codes.length).toBeGreaterThan(50);
    const bad = codes.filter(
      (code) =>
        describeDiagnostic(diagnostic({ code, args: {} })) === "" ||
        !/^\S.{8,110}[^.\s]$/u.test(hintFor(code)),
    );
    expect(bad).toEqual([]);
  });

  test("three of one code and file are told, the others counted where they begin", () => {
    const many = (path: string, count: number): Diagnostic[] =>
      Array.from({ length: count }, (_, i) => diagnostic({ source: { path, line: i + 1 } }));
    const all = [
      ...many("a.jsonl", 20),
      ...many("b.jsonl", 4),
      ...many("c.jsonl", 3),
      diagnostic({ code: "feedback.encoding", source: { path: "a.jsonl" }, args: {} }),
    ];
    const lines = (...how: [boolean, (string | null)?]): string[] => {
      const terminal = recorder();
      printDiagnostics(terminal, all, ...how);
      return terminal.written.err.split("\n").filter((line) => line.startsWith("handoff: "));
    };
    const rest = lines(false);
    expect(rest).toHaveLength(12);
    expect(rest[3]).toBe("handoff: feedback.skipped_line: 17 more like this (a.jsonl)");
    expect(rest[7]).toBe("handoff: feedback.skipped_line: 1 more like this (b.jsonl)");
    expect(rest[11]).toContain("feedback.encoding");
    expect(lines(true)).toHaveLength(28);
    expect(lines(true, "elsewhere")).toEqual(rest);
    const terminal = recorder();
    printDiagnostics(terminal, all, false);
    expect(terminal.written.err).toContain("(a.jsonl)\n  see --verbose or the packet's gaps\n");
  });

  test("what is told and what is counted together are all there are", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4)), (paths) => {
        const found = paths.map((n, i) => diagnostic({ source: { path: `${n}.jsonl`, line: i + 1 } }));
        const terminal = recorder();
        printDiagnostics(terminal, found, false);
        const told = terminal.written.err.split("\n").filter((line) => line.startsWith("handoff: "));
        const more = told.reduce(
          (sum, line) => sum + Number(/(\d+) more like this/u.exec(line)?.[1] ?? 1),
          0,
        );
        expect(more).toBe(found.length);
      }),
    );
  });

  test("one line with code, what and place, then a hint", () => {
    const terminal = recorder();
    printDiagnostics(
      terminal,
      [diagnostic(), diagnostic({ code: "git.no_repository", source: null, args: {} })],
      false,
    );
    expect(terminal.written).toEqual({
      out: "",
      err:
        `handoff: feedback.skipped_line: could not be read: glued objects (feedback.jsonl:7)\n  ${HINT}\n` +
        "handoff: git.no_repository: not a git repository\n  run inside a repository, or git init\n",
    });
  });

  test("info only when asked for", () => {
    const terminal = recorder();
    printDiagnostics(terminal, [diagnostic({ severity: "info" })], false);
    expect(terminal.written.err).toBe("");
    printDiagnostics(terminal, [diagnostic({ severity: "info" })], true);
    expect(terminal.written.err).toContain("feedback.skipped_line");
  });

  const HOSTILE = "a\u001b[31m\u001b]0;title\u0007\u009b2J\r\nhandoff: fake: line\u202e";
  test("nothing from outside brings an escape sequence or a line of its own", () => {
    const terminal = recorder();
    printDiagnostics(terminal, [diagnostic({ args: { reason: HOSTILE }, source: { path: HOSTILE } })], false);
    reportFailure(terminal, new UsageError("x.y", HOSTILE, HOSTILE, { path: HOSTILE }), true);
    // Escapes in JSON text are harmless, raw ones would not be.
    for (const text of [terminal.written.err, terminal.written.out])
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
    expect(terminal.written.err.split("\n").filter((line) => line !== "")).toHaveLength(4);
  });

  test("a very long text is cut", () => {
    const terminal = recorder();
    printDiagnostics(terminal, [diagnostic({ args: { reason: "x".repeat(100_000) } })], false);
    expect(terminal.written.err.length).toBeLessThan(2500);
  });

  test("rows for --json", () => {
    expect(diagnosticRows({ redactor: createRedactor() }, [diagnostic()])).toEqual([
      {
        code: "feedback.skipped_line",
        severity: "warn",
        what: "could not be read: glued objects",
        hint: HINT,
        source: { path: "feedback.jsonl", line: 7 },
      },
    ]);
  });
});

describe("P41 failures", () => {
  test.each([
    [new RefusalError("next_action.unknown", "nothing", "hint"), 1, "next_action.unknown"],
    [new UsageError("usage.value", "bad", "hint"), 2, "usage.value"],
    [new TypeError("x is undefined"), 70, "bug"],
    ["thrown text", 70, "bug"],
  ])("%s ends with %d", (error, exit, code) => {
    const terminal = recorder();
    terminal.diagnostics.push(diagnostic());
    expect(reportFailure(terminal, error, true)).toBe(exit);
    const result = JSON.parse(terminal.written.out) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(["ok", "packet", "path", "error", "diagnostics"]);
    expect(result).toMatchObject({
      ok: false,
      packet: null,
      path: null,
      error: { code, path: null, line: null },
    });
    expect(result["diagnostics"]).toEqual(diagnosticRows({ redactor: createRedactor() }, [diagnostic()]));
    expect(terminal.written.err).toMatch(new RegExp(`^handoff: ${code}: .+\\n  .+\\n$`, "u"));
  });

  test("a stack trace, with causes, only with HANDOFF_DEBUG", () => {
    const error = new UsageError(
      "write.denied",
      "no",
      "hint",
      { path: "/w/a" },
      { cause: new Error("EACCES here") },
    );
    const quiet = recorder();
    reportFailure(quiet, error, false);
    expect(quiet.written.err).toBe("handoff: write.denied: no (a)\n  hint\n");
    const loud = recorder({ HANDOFF_DEBUG: "1" });
    reportFailure(loud, error, false);
    expect(loud.written.err).toContain("report.test.ts");
    expect(loud.written.err).toContain("EACCES here");
    expect(loud.written.out).toBe("");
  });
});

test.each([
  ["/w/a/b", "a/b"],
  ["/other/a", "/other/a"],
  ["/w", "/w"],
  ["rel/a", "rel/a"],
])("a path %s is shown as %s", (file, expected) => {
  expect(shownPath(file, "/w")).toBe(expected);
});

test.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ TERM: "dumb" }, true, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [{ CI: "true" }, false, false],
])("P44 colours with %j on a terminal=%s: %s", (env, isTTY, expected) => {
  expect(wantsColors(env, { isTTY })).toBe(expected);
});
