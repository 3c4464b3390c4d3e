import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeFolders } from "./make-folders.js";

const root = mkdtempSync(path.join(tmpdir(), "handoff-folders-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("makeFolders", () => {
  it("makes what is missing and tells the topmost", async () => {
    expect(await makeFolders(path.join(root, "a/b/c"))).toBe(path.join(root, "a"));
    expect(existsSync(path.join(root, "a/b/c"))).toBe(true);
    expect(await makeFolders(path.join(root, "a/b"))).toBeUndefined();
    expect(await makeFolders(path.join(root, "a/b/d"))).toBe(path.join(root, "a/b/d"));
  });
  it("is made by many at once", async () => {
    const made = Array.from({ length: 16 }, () => makeFolders(path.join(root, "x/y/z")));
    await expect(Promise.all(made)).resolves.toHaveLength(16);
  });
  it.skipIf(!existsSync("/proc/self"))("P41 ends where the system never makes one", async () => {
    await expect(makeFolders("/proc/handoff/x/y")).rejects.toMatchObject({ code: "ENOENT" });
  });
  it("throws below a file", async () => {
    writeFileSync(path.join(root, "file"), "");
    await expect(makeFolders(path.join(root, "file/x"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});
