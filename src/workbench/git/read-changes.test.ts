import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codes, makeRepository, rowTexts, temporaryFolder, type TestRepository } from "./test-repository.js";

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join("");

/** Makes every tracked file look changed to whoever only compares times. */
function touchAll(repository: TestRepository, seconds: number): void {
  for (const file of repository.git("ls-files", "-z").split("\0")) {
    const full = path.join(repository.root, file);
    if (file !== "" && existsSync(full) && statSync(full).isFile()) utimesSync(full, seconds, seconds);
  }
}

describe("changed files", () => {
  it("P10 one row a path: committed since base, staged, unstaged and untracked, net from base to working tree", async () => {
    const r = makeRepository();
    for (const name of ["committed", "staged", "unstaged", "three-ways", "gone", "reverted"]) {
      r.write(name, lines(1, 10));
    }
    const base = r.commit("one");
    r.write("committed", lines(1, 12));
    r.write("three-ways", lines(1, 11));
    r.write("reverted", "other\n");
    r.write("added-then-deleted", "x\n");
    r.write("added", lines(1, 3));
    r.commit("two");
    r.write("staged", lines(1, 9));
    r.write("three-ways", lines(1, 12));
    r.write("reverted", lines(1, 10));
    r.git("add", "staged", "three-ways");
    r.write("unstaged", lines(0, 10));
    r.write("three-ways", lines(1, 13));
    rmSync(path.join(r.root, "added-then-deleted"));
    rmSync(path.join(r.root, "gone"));
    r.write("new/untracked.txt", "a\nb\nc");
    const facts = await r.facts({ base });
    expect(rowTexts(facts)).toEqual([
      "added* added +3 -0",
      "modified* committed +2 -0",
      "deleted gone +0 -10",
      "untracked new/untracked.txt +3 -0",
      "modified staged +0 -1",
      "modified three-ways +3 -0",
      "modified unstaged +1 -0",
    ]);
    expect(facts.dirty).toBe(true);
    expect(facts.commits.map((c) => c.subject)).toEqual(["two"]);
  });

  it("P10 without a base the rows compare with HEAD, and say nothing of earlier commits", async () => {
    const r = makeRepository();
    r.write("a", "1\n");
    r.commit("one");
    r.write("b", "1\n");
    r.commit("two");
    r.write("a", "2\n");
    const facts = await r.facts();
    expect(facts.base).toBeNull();
    expect(codes(facts)).toEqual(["git.base_unknown"]);
    expect(rowTexts(facts)).toEqual(["modified a +1 -1"]);
  });

  it("P11 rename, copy, type change, mode change, binary, each staged and then committed", async () => {
    const r = makeRepository();
    r.write("old name", lines(1, 50));
    r.write("source", lines(100, 150));
    r.write("becomes-link", "text\n");
    r.write("script.sh", "echo\n");
    r.write("picture", Buffer.from([0, 1, 2, 0]));
    const base = r.commit("one");
    r.git("mv", "old name", "new name");
    r.write("new name", lines(1, 51));
    r.write("copy", lines(100, 150));
    r.write("source", lines(100, 151));
    rmSync(path.join(r.root, "becomes-link"));
    symlinkSync("script.sh", path.join(r.root, "becomes-link"));
    chmodSync(path.join(r.root, "script.sh"), 0o755);
    r.write("picture", Buffer.from([0, 1, 2, 3]));
    const expected = (star: string): string[] => [
      `type_changed${star} becomes-link +1 -1`,
      `copied${star} source -> copy +51 -0`,
      `renamed${star} old name -> new name +1 -0`,
      `modified${star} picture +? -?`,
      `modified${star} script.sh +0 -0`,
      `modified${star} source +1 -0`,
    ];
    r.git("add", "-A");
    expect(rowTexts(await r.facts({ base }))).toEqual(expected(""));
    r.commit("two");
    expect(rowTexts(await r.facts({ base }))).toEqual(expected("*"));
    // Taken out of the index only: git no longer knows it, the file is there.
    r.git("rm", "-q", "--cached", "copy");
    expect(rowTexts(await r.facts({ base }))[1]).toBe("untracked copy +51 -0");
  });

  it("P9 names come back exact: spaces, quotes, newlines, tabs, non-ASCII, leading dashes, backslashes, pathspec magic", async () => {
    const r = makeRepository();
    const names = [
      "-n",
      "--",
      " lead",
      "a b",
      "q\"uo'te",
      "new\nline",
      "tab\tbed",
      "ünï/日本 🎉",
      "back\\slash",
      ":(top)x",
      "*?[a]",
      ":100644 100644",
      "R100",
      "1\t2\tx",
      "\u{feff}bom",
    ];
    for (const name of names) r.write(name, Buffer.from([0, 1]));
    const base = r.commit("one");
    const sorted = (kind: string): string[] =>
      [...names].sort((a, b) => (a < b ? -1 : 1)).map((n) => `${kind} ${n} +? -?`);
    for (const name of names) r.write(name, Buffer.from([0, 2]));
    r.git("config", "core.quotePath", "true");
    expect(rowTexts(await r.facts({ base }))).toEqual(sorted("modified"));
    // Touched binaries must be hashed by name: every one of these names has to reach git whole.
    r.git("checkout", "-q", "--", ".");
    touchAll(r, 1_500_000_000);
    expect(rowTexts(await r.facts({ base }))).toEqual([]);
    const other = makeRepository();
    other.write("base", "");
    other.commit("one");
    for (const name of names) other.write(name, Buffer.from([0, 2]));
    expect(rowTexts(await other.facts())).toEqual(sorted("untracked"));
  });

  it("P11 a name that is not UTF-8 is replaced and diagnosed, and its lines are still counted", async () => {
    const r = makeRepository();
    r.write("plain", "1\n");
    r.commit("one");
    writeFileSync(
      Buffer.concat([Buffer.from(`${r.root}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]),
      "1\n2\n",
    );
    const facts = await r.facts();
    expect(rowTexts(facts)).toEqual(["untracked caf\u{fffd}.txt +2 -0"]);
    expect(facts.diagnostics.find((d) => d.code === "git.path_encoding")).toEqual({
      code: "git.path_encoding",
      severity: "info",
      artifact: "git",
      source: { path: "caf\u{fffd}.txt" },
      args: {},
    });
  });

  it("P9 nothing rewrites .git/index, and file times change no result", async () => {
    const r = makeRepository();
    r.write("text", lines(1, 20));
    r.write("binary", Buffer.from([0, 1, 2]));
    r.write("changed-binary", Buffer.from([0, 1, 2]));
    r.write("changed", lines(1, 20));
    r.write("source", lines(50, 90));
    symlinkSync("text", path.join(r.root, "link"));
    const base = r.commit("one");
    r.write("changed-binary", Buffer.from([0, 9]));
    r.write("changed", lines(1, 21));
    r.write("looks-like-source", lines(50, 90));
    r.commit("two");
    r.write("changed", lines(1, 22));
    const index = path.join(r.root, ".git", "index");
    const seen = new Set<string>();
    for (const seconds of [1_600_000_000, 1_650_000_000, 1_900_000_000]) {
      touchAll(r, seconds);
      const before = { bytes: readFileSync(index), mtime: statSync(index).mtimeMs };
      seen.add(JSON.stringify(await r.facts({ base })));
      expect(readFileSync(index).equals(before.bytes)).toBe(true);
      expect(statSync(index).mtimeMs).toBe(before.mtime);
      expect(existsSync(`${index}.lock`)).toBe(false);
    }
    r.git("status"); // this one does rewrite the index
    const facts = await r.facts({ base });
    seen.add(JSON.stringify(facts));
    expect(seen.size).toBe(1);
    expect(rowTexts(facts)).toEqual([
      "modified changed +2 -0",
      "modified* changed-binary +? -?",
      "added* looks-like-source +41 -0",
    ]);
  });

  it("P9 a user's configuration changes no row", async () => {
    const r = makeRepository();
    r.write("a.txt", lines(1, 30));
    r.write("sub/b.txt", lines(1, 30));
    const base = r.commit("one");
    r.git("mv", "a.txt", "sub/c.txt");
    r.write("sub/b.txt", lines(2, 30));
    r.write("sub/new/x", "x\n");
    r.git("config", "remote.origin.url", "ext::false");
    const plain = await r.facts({ base });
    const settings = {
      "diff.noprefix": "true",
      "diff.renames": "false",
      "diff.relative": "true",
      "diff.external": "false",
      "diff.algorithm": "histogram",
      "diff.ignoreSubmodules": "all",
      "diff.orderFile": "/nonexistent",
      "status.showUntrackedFiles": "no",
      "status.relativePaths": "true",
      "status.renames": "copies",
      "status.branch": "false",
      "status.short": "true",
      "status.aheadBehind": "false",
      "log.showSignature": "true",
      "log.abbrevCommit": "true",
      "format.pretty": "oneline",
      "core.quotePath": "true",
      "core.abbrev": "7",
      "core.pager": "false",
      "color.ui": "always",
      "core.fsmonitor": "touch fsmonitor-ran; false",
    };
    for (const [key, value] of Object.entries(settings)) r.git("config", key, value);
    writeFileSync(path.join(r.root, ".git/info/attributes"), "*.txt diff=odd\n");
    r.git("config", "diff.odd.textconv", "false");
    r.git("config", "diff.odd.command", "false");
    expect(await r.facts({ base })).toEqual(plain);
    expect(rowTexts(plain)).toEqual([
      "modified sub/b.txt +0 -1",
      "renamed a.txt -> sub/c.txt +0 -0",
      "untracked sub/new/x +1 -0",
    ]);
    expect(existsSync(path.join(r.root, "fsmonitor-ran"))).toBe(false);
  });

  it("P10 the workbench's own files are no change and no dirt", async () => {
    const r = makeRepository();
    r.write("sub/app.txt", "1\n");
    r.write("sub/.handoff/x.json", "{}\n");
    r.write("sub/moved.json", lines(1, 30));
    const base = r.commit("one");
    r.write("sub/.handoff/x.json", "{ }\n");
    r.write("sub/.handoff/new.json", "{}\n");
    const isOwnPath = (p: string): boolean => p.startsWith(".handoff/");
    const root = path.join(r.root, "sub");
    const facts = await r.facts({ base, isOwnPath }, root);
    expect([facts.dirty, facts.changes]).toEqual([false, []]);
    renameSync(path.join(root, "moved.json"), path.join(root, ".handoff/moved.json"));
    r.git("add", "-A");
    expect(rowTexts(await r.facts({ base, isOwnPath }, root))).toEqual(["deleted moved.json +? -?"]);
  });

  it("P11 a root below the top level: paths are relative to it, with ../ for what lies outside", async () => {
    const r = makeRepository();
    r.write("top.txt", "1\n");
    r.write("a/b/in.txt", "1\n");
    r.write("a/c/beside.txt", "1\n");
    const base = r.commit("one");
    for (const file of ["top.txt", "a/b/in.txt", "a/c/beside.txt"]) r.write(file, "2\n");
    r.write("a/b/new", "");
    expect(rowTexts(await r.facts({ base }, path.join(r.root, "a/b")))).toEqual([
      "modified ../../top.txt +1 -1",
      "modified ../c/beside.txt +1 -1",
      "modified in.txt +1 -1",
      "untracked new +0 -0",
    ]);
    const link = path.join(temporaryFolder(), "link");
    symlinkSync(path.join(r.root, "a/b"), link);
    expect(rowTexts(await r.facts({ base }, link))[0]).toBe("modified ../../top.txt +1 -1");
  });

  it("P11 a changed submodule is one row; a root inside one is a repository of its own", async () => {
    const inner = makeRepository();
    inner.write("lib.c", "1\n");
    inner.commit("lib one");
    const r = makeRepository();
    r.git("submodule", "--quiet", "add", inner.root, "vendor/lib");
    const base = r.commit("one");
    const row = {
      path: "vendor/lib",
      change: "modified",
      renamed_from: null,
      insertions: null,
      deletions: null,
    };
    r.git("config", "submodule.vendor/lib.ignore", "all");
    writeFileSync(path.join(r.root, "vendor/lib/new"), "x\n");
    expect((await r.facts({ base })).changes).toEqual([{ ...row, committed: false, submodule: true }]);
    rmSync(path.join(r.root, "vendor/lib/new"));
    expect((await r.facts({ base })).changes).toEqual([]);
    writeFileSync(path.join(r.root, "vendor/lib/lib.c"), "2\n");
    r.git("-C", "vendor/lib", "commit", "-qam", "lib two");
    expect((await r.facts({ base })).changes).toEqual([{ ...row, committed: false, submodule: true }]);
    r.commit("two");
    const facts = await r.facts({ base });
    expect(facts.changes).toEqual([{ ...row, committed: true, submodule: true }]);
    expect(facts.dirty).toBe(false);
    const within = await r.facts({}, path.join(r.root, "vendor/lib"));
    expect([within.available, within.head?.subject]).toEqual([true, "lib two"]);
  });

  it("P10 a nested repository is one untracked row; rm --cached stays a deletion; add -N is an addition", async () => {
    const r = makeRepository();
    r.write("kept", "one\ntwo\n");
    const base = r.commit("one");
    makeRepository(path.join(r.root, "nested")).commit("inner");
    r.git("rm", "-q", "--cached", "kept");
    r.write("intended", "1\n");
    r.git("add", "-N", "intended");
    expect(rowTexts(await r.facts({ base }))).toEqual([
      "added intended +1 -0",
      "deleted kept +0 -2",
      "untracked nested +? -?",
    ]);
  });

  it("P10 lists are bounded: the cut is counted and diagnosed, untracked reading stays within its limits", async () => {
    const r = makeRepository();
    r.write("z", "1\n");
    const base = r.commit("one");
    for (let i = 0; i < 5; i += 1) r.commit(`c${i}`);
    for (let i = 0; i < 9; i += 1) r.write(`f${i}`, "x\n");
    const facts = await r.facts({ base, maxChanges: 4, maxCommits: 2 });
    expect(facts.changes.map((c) => c.path)).toEqual(["f0", "f1", "f2", "f3"]);
    expect([facts.changes_omitted, facts.commits_omitted]).toEqual([5, 3]);
    expect(facts.commits.map((c) => c.subject)).toEqual(["c4", "c3"]);
    expect(facts.diagnostics.map((d) => [d.code, d.args])).toEqual([
      ["git.truncated", { list: "commits", omitted: 3 }],
      ["git.truncated", { list: "changed files", omitted: 5 }],
    ]);
    r.write("f0", "x".repeat(1024 * 1024 + 1));
    r.write("f1", "a\0b\n");
    symlinkSync("/dev/zero", path.join(r.root, "f-link"));
    expect(rowTexts(await r.facts({ base })).slice(0, 3)).toEqual([
      "untracked f-link +1 -0",
      "untracked f0 +? -?",
      "untracked f1 +? -?",
    ]);
  });

  it("P10 any sequence of edits, stagings, commits and touches: the rows are what base, index and working tree say", async () => {
    const names = ["a", "b.bin", "d/c"];
    const step = fc.oneof(
      fc.record({
        do: fc.constant("write" as const),
        name: fc.constantFrom(...names),
        content: fc.constantFrom("1\n", "2\n", "1\n2\n", "x\0y", "x\0z"),
      }),
      fc.record({ do: fc.constant("remove" as const), name: fc.constantFrom(...names) }),
      fc.record({ do: fc.constantFrom("stage", "commit", "touch" as const) }),
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const r = makeRepository();
      r.write("a", "1\n");
      r.write("b.bin", "x\0y");
      const base = r.commit("base");
      for (const [i, s] of steps.entries()) {
        if (s.do === "write") r.write(s.name, s.content);
        else if (s.do === "remove") rmSync(path.join(r.root, s.name), { force: true });
        else if (s.do === "stage") r.git("add", "-A");
        else if (s.do === "commit") r.commit(`c${i}`);
        else touchAll(r, 1_400_000_000 + i);
      }
      const facts = await r.facts({ base });
      const disk = (name: string): string | null => {
        const full = path.join(r.root, name);
        return existsSync(full) ? readFileSync(full, "utf8") : null;
      };
      const original: Record<string, string | null> = { a: "1\n", "b.bin": "x\0y" };
      // Out of the index means gone from git's view, whatever lies on disk under that name.
      const tracked = new Set(r.git("ls-files", "-z").split("\0"));
      const differs = (name: string): boolean =>
        disk(name) !== (original[name] ?? null) || (original[name] !== undefined && !tracked.has(name));
      // A rename tells the same as a deletion and an addition; both sides count as changed.
      const told = facts.changes.flatMap((c) => [
        c.path,
        ...(c.change === "renamed" ? [c.renamed_from ?? ""] : []),
      ]);
      expect([...new Set(told)].sort()).toEqual(names.filter(differs).sort());
      expect(new Set(facts.changes.map((c) => c.path)).size).toBe(facts.changes.length);
      expect(facts.dirty).toBe(r.git("status", "--porcelain") !== "");
      expect(facts.dirty || facts.changes.every((c) => c.committed)).toBe(true);
    });
    await fc.assert(property, { numRuns: 20 });
  });
});
