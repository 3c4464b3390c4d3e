// P43: packets are kept where they cannot ruin the repository. Real folders, real links.
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempBench } from "../../fixtures/artifacts/temp-bench.js";
import { ensureStore, storePath } from "./store-folder.js";

/** A root with a repository's folder in it. */
function repository(): string {
  return tempBench({ ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "0" });
}

describe("P43 git's own folder is no place for packets", () => {
  test.each([
    ".git",
    ".git/refs",
    "./.git/refs/heads",
    "a/../.git/x",
    ".GIT/x",
    "sub/.git/modules",
    ".git./x",
    "git~1/x",
  ])("%s, relative or absolute", async (outDir) => {
    const root = repository();
    for (const given of [outDir, path.join(root, outDir)]) {
      const refused = { name: "UsageError", exitCode: 2, code: "write.git_folder", place: { path: given } };
      expect(() => storePath(root, given)).toThrow("packets cannot be kept inside git's own folder");
      await expect(ensureStore(root, given)).rejects.toMatchObject(refused);
    }
    expect(readdirSync(path.join(root, ".git")).sort()).toEqual(["HEAD", "refs"]);
    expect(readdirSync(root)).toEqual([".git"]);
  });

  test.each(["link", "link/deeper/still"])("%s, a link into it", async (outDir) => {
    const root = repository();
    symlinkSync(".git/refs", path.join(root, "link"));
    await expect(ensureStore(root, outDir)).rejects.toMatchObject({ code: "write.git_folder", exitCode: 2 });
    expect(readdirSync(path.join(root, ".git/refs"))).toEqual(["heads"]);
  });

  test("a link from outside the workbench into it", async () => {
    const root = repository();
    const elsewhere = tempBench();
    symlinkSync(path.join(root, ".git"), path.join(elsewhere, "store"));
    await expect(ensureStore(root, path.join(elsewhere, "store/x"))).rejects.toMatchObject({
      code: "write.git_folder",
    });
    expect(existsSync(path.join(root, ".git/x"))).toBe(false);
  });

  test.each(["outputs/handoff", ".github/handoff", "git/x", ".gitted"])("%s is one", async (outDir) => {
    const root = repository();
    expect(await ensureStore(root, outDir)).toBe(path.join(root, outDir));
  });

  test("a folder outside the workbench that was named", async () => {
    const elsewhere = tempBench();
    mkdirSync(path.join(elsewhere, "store"));
    expect(await ensureStore(repository(), path.join(elsewhere, "store"))).toBe(
      realpathSync(path.join(elsewhere, "store")),
    );
  });

  test("P41 a name no file system can hold is an error of use", () => {
    expect(() => storePath("/", "o\u0000x")).toThrow(
      expect.objectContaining({ code: "usage.bad_path", exitCode: 2 }),
    );
  });
});
