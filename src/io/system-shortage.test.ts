// S5: which of the system's refusals are shortages, and that nothing takes one for an answer about a file or a program.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../model/errors.js";
import { openGit } from "../workbench/git/run-git.js";
import { asShortage, shortageInWords, shortageOf, throwShortage } from "./system-shortage.js";

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: "open", path: "/a" });

describe("S5 shortages", () => {
  test.each([
    ["EMFILE", "system.too_many_files"],
    ["ENFILE", "system.too_many_files"],
    ["ENOMEM", "system.short_of_resources"],
    ["ENOBUFS", "system.short_of_resources"],
    ["EAGAIN", "system.short_of_resources"],
  ])("%s ends the run with exit 2", (code, ours) => {
    expect(shortageOf(code)).toMatchObject({ code: ours, exitCode: 2 });
    expect(shortageOf(code)?.hint).toContain("ulimit");
    expect(asShortage(systemError(code))).toMatchObject({ code: ours, place: { path: "/a" } });
    expect(() => throwShortage(systemError(code))).toThrow(UsageError);
  });

  test.each(["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ENOSPC", "EIO", ""])("%s is none", (code) => {
    const error = systemError(code);
    expect(shortageOf(code)).toBe(null);
    expect(asShortage(error)).toBe(error);
    expect(() => throwShortage(error)).not.toThrow();
  });

  test("an error that is not the system's comes back as it is", () => {
    for (const error of [new Error("EMFILE"), "EMFILE", null, { code: "EMFILE" }])
      expect(asShortage(error)).toBe(error);
  });
});

describe("S5 git that runs short itself", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "handoff-short-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  /** Runs a git of our own that says these words. */
  const say = async (words: string) => {
    const file = path.join(folder, "git");
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "${words}" >&2\nexit 128\n`);
    chmodSync(file, 0o755);
    const git = await openGit({ PATH: `${folder}:/usr/bin:/bin` }, 60_000);
    return git?.run(folder, ["status"]);
  };

  test.each([
    ["fatal: unable to create pipe: Too many open files", "system.too_many_files"],
    ["error: open(src/a.ts): Too many open files in system", "system.too_many_files"],
    ["fatal: mmap failed: Cannot allocate memory", "system.short_of_resources"],
    ["error: cannot fork() for git-remote: Resource temporarily unavailable", "system.short_of_resources"],
  ])("%s", async (words, code) => {
    await expect(say(words)).rejects.toMatchObject({ code, exitCode: 2 });
    expect(shortageInWords(words)?.code).toBe(code);
  });

  test.each(["fatal: not a git repository", "fatal: Permission denied", "error: file too-many-open.ts: bad"])(
    "%s is an answer",
    async (words) => {
      expect(await say(words)).toMatchObject({ status: "exit", exitCode: 128 });
    },
  );

  test("an executable that may not be run is no shortage", async () => {
    writeFileSync(path.join(folder, "git"), "#!/bin/sh\n");
    chmodSync(path.join(folder, "git"), 0o644);
    expect(await openGit({ PATH: folder }, 60_000)).toBe(null);
  });
});
