import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../model/errors.js";
import { asWriteError, ensureFolder, stageFile, writeAtomic } from "./write-atomic.js";

let base = "";
let outside = "";
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "write-base-")));
  outside = await realpath(await mkdtemp(path.join(tmpdir(), "write-outside-")));
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

async function failure(work: Promise<unknown>): Promise<UsageError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe("a write that works", () => {
  test("replaces the file whole, keeps its mode and leaves no temporary file", async () => {
    const target = path.join(base, "a.json");
    await writeFile(target, "old old old old");
    await chmod(target, 0o640);
    await writeAtomic(target, "new", { base });
    expect(await readFile(target, "utf8")).toBe("new");
    expect((await stat(target)).mode & 0o777).toBe(0o640);
    expect(await readdir(base)).toEqual(["a.json"]);
  });

  test("a new file can be its owner's alone from its first byte; one that is there keeps its mode", async () => {
    const target = path.join(base, "private");
    await writeAtomic(target, "one", { base, mode: 0o600 });
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    await writeAtomic(target, "two", { base });
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    await chmod(target, 0o640);
    await writeAtomic(target, "three", { base, mode: 0o600 });
    expect((await stat(target)).mode & 0o777).toBe(0o640);
  });

  test("a new file gets the mode the umask leaves", async () => {
    await writeAtomic(path.join(base, "a"), "x", { base });
    expect((await stat(path.join(base, "a"))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test("any bytes come back exact", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        const target = path.join(base, "bytes");
        await writeAtomic(target, bytes, { base });
        expect(Uint8Array.from(await readFile(target))).toEqual(bytes);
      }),
      { numRuns: 20 },
    );
  });

  test("a symlink at the target is replaced, not followed", async () => {
    const victim = path.join(outside, "victim");
    await writeFile(victim, "precious");
    const target = path.join(base, "a.json");
    await symlink(victim, target);
    await writeAtomic(target, "new", { base });
    expect(await readFile(victim, "utf8")).toBe("precious");
    expect((await lstat(target)).isFile()).toBe(true);
    expect(await readFile(target, "utf8")).toBe("new");
  });

  test("a reader never sees half a file while two writers replace it over and over", async () => {
    const target = path.join(base, "a");
    const texts = ["a".repeat(70_000), "b".repeat(90_000)];
    await writeAtomic(target, texts[0] ?? "", { base });
    const writers = texts.map(async (text) => {
      for (let i = 0; i < 15; i += 1) await writeAtomic(target, text, { base });
    });
    const writing = { done: false };
    const reader = (async () => {
      const seen = new Set<string>();
      while (!writing.done) seen.add(await readFile(target, "utf8"));
      return seen;
    })();
    await Promise.all(writers);
    writing.done = true;
    for (const text of await reader) expect(texts).toContain(text);
    expect(await readdir(base)).toEqual(["a"]);
  });

  test("a staged file shows only once it is committed, and a discarded one never", async () => {
    const target = path.join(base, "a");
    await writeFile(target, "old");
    const kept = await stageFile(target, "new", { base });
    expect(await readFile(target, "utf8")).toBe("old");
    await kept.commit();
    expect(await readFile(target, "utf8")).toBe("new");
    const dropped = await stageFile(target, "newer", { base });
    await dropped.discard();
    expect(await readFile(target, "utf8")).toBe("new");
    expect(await readdir(base)).toEqual(["a"]);
  });
});

describe("P43 writes stay under the base", () => {
  test.each(["plain", "nested"])("a symlinked folder that leads outside is refused (%s)", async (kind) => {
    await symlink(outside, path.join(base, "link"));
    const folder = kind === "plain" ? path.join(base, "link") : path.join(base, "link", "deep", "er");
    const made = await failure(ensureFolder(folder, { base }));
    expect(made.code).toBe("write.outside");
    expect(made.exitCode).toBe(2);
    const written = await failure(writeAtomic(path.join(base, "link", "a"), "x", { base }));
    expect(written.code).toBe("write.outside");
    expect(await readdir(outside)).toEqual([]);
  });

  test("a symlink that stays inside is fine", async () => {
    await mkdir(path.join(base, "real"));
    await symlink(path.join(base, "real"), path.join(base, "link"));
    await ensureFolder(path.join(base, "link", "sub"), { base });
    await writeAtomic(path.join(base, "link", "sub", "a"), "x", { base });
    expect(await readFile(path.join(base, "real", "sub", "a"), "utf8")).toBe("x");
  });

  test("a path that climbs out is refused", async () => {
    const target = path.join(base, "..", path.basename(outside), "a");
    expect((await failure(writeAtomic(target, "x", { base }))).code).toBe("write.outside");
    const sibling = `${base}-sibling`;
    expect((await failure(ensureFolder(sibling, { base }))).code).toBe("write.outside");
    await expect(stat(sibling)).rejects.toThrow("ENOENT");
  });

  test("a dangling symlink on the way makes nothing outside", async () => {
    await symlink(path.join(outside, "not-there"), path.join(base, "link"));
    expect((await failure(ensureFolder(path.join(base, "link", "x"), { base }))).exitCode).toBe(2);
    expect(await readdir(outside)).toEqual([]);
  });

  test("a symlink loop is an error, not a hang", async () => {
    await symlink(path.join(base, "b"), path.join(base, "a"));
    await symlink(path.join(base, "a"), path.join(base, "b"));
    expect((await failure(ensureFolder(path.join(base, "a", "x"), { base }))).code).toBe("write.failed");
  });
});

describe("a write that fails leaves the old file and no litter", () => {
  test("a file where a folder should be", async () => {
    await writeFile(path.join(base, "file"), "x");
    const made = await failure(ensureFolder(path.join(base, "file", "sub"), { base }));
    expect([made.code, made.exitCode]).toEqual(["write.not_a_folder", 2]);
    expect(made.place).toEqual({ path: path.join(base, "file", "sub") });
    const same = await failure(ensureFolder(path.join(base, "file"), { base }));
    expect(same.code).toBe("write.not_a_folder");
  });

  test("a folder where the file should be", async () => {
    const target = path.join(base, "a");
    await mkdir(target);
    const error = await failure(writeAtomic(target, "x", { base }));
    expect(error.code).toBe("write.not_a_file");
    expect(error.hint).toContain("move it away");
    expect(await readdir(base)).toEqual(["a"]);
    expect(await readdir(target)).toEqual([]);
  });

  test("a folder that is gone", async () => {
    const error = await failure(writeAtomic(path.join(base, "no", "a"), "x", { base }));
    expect([error.code, error.place?.path]).toEqual(["write.failed", path.join(base, "no", "a")]);
  });

  test.each([
    ["ENOSPC", "write.no_space"],
    ["EDQUOT", "write.no_space"],
    ["EFBIG", "write.no_space"],
    ["EROFS", "write.read_only"],
    ["EACCES", "write.denied"],
    ["EMFILE", "write.too_many_files"],
    ["ENAMETOOLONG", "write.failed"],
  ])("%s is %s with a hint and the path", (reason, code) => {
    const system = Object.assign(new Error(reason), { code: reason, syscall: "open" });
    const error = asWriteError(system, "/x/a") as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect([error.code, error.place, error.exitCode]).toEqual([code, { path: "/x/a" }, 2]);
    expect(error.hint).not.toBe("");
    expect(error.cause).toBe(system);
  });

  test("an error that is no system error comes back as it is", () => {
    const bug = new TypeError("bug");
    expect(asWriteError(bug, "/x")).toBe(bug);
    const usage = new UsageError("write.outside", "no", "hint");
    expect(asWriteError(usage, "/x")).toBe(usage);
  });

  test("a name too long for the file system", async () => {
    const error = await failure(writeAtomic(path.join(base, "n".repeat(300)), "x", { base }));
    expect(error.code).toBe("write.failed");
    expect(error.message).toContain("ENAMETOOLONG");
    expect(await readdir(base)).toEqual([]);
  });
});

// A process of its own, so that a user without rights and a resource limit are real.
describe("S5 in a process that may not or cannot write", () => {
  test("EACCES, EFBIG: exit is clean, the old file stays", async () => {
    const bundle = path.join(outside, "write.mjs");
    const source = path.join(import.meta.dirname, "write-atomic.ts");
    execFileSync(path.resolve("node_modules/.bin/esbuild"), [
      source,
      "--bundle",
      "--platform=node",
      "--format=esm",
      `--outfile=${bundle}`,
      "--log-level=error",
    ]);
    await chmod(outside, 0o755);
    const target = path.join(base, "a.json");
    await writeFile(target, "old");
    const script = `import(${JSON.stringify(bundle)}).then((m) => m.writeAtomic(${JSON.stringify(target)}, "x".repeat(200_000), { base: ${JSON.stringify(base)} })).catch((e) => console.log(e.code))`;

    await chmod(base, 0o555);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const denied = execFileSync(process.execPath, ["-e", script], { ...user, cwd: "/", encoding: "utf8" });
    expect(denied.trim()).toBe("write.denied");
    await chmod(base, 0o755);
    if (process.getuid?.() === 0) await chown(base, 0, 0);

    const limited = execFileSync(
      "bash",
      ["-c", 'ulimit -f 16 && exec "$0" -e "$1"', process.execPath, script],
      { encoding: "utf8" },
    );
    expect(limited.trim()).toBe("write.no_space");
    expect(await readFile(target, "utf8")).toBe("old");
    expect(await readdir(base)).toEqual(["a.json"]);
  });
});
