import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { resolveCommits } from "./resolve-commits.js";
import { codes, makeRepository, TEST_ENV } from "./test-repository.js";

const env = TEST_ENV;

describe("commits named by artifacts", () => {
  it("P12 abbreviated, upper-case and full hashes become full ones, with distance and reachability", async () => {
    const r = makeRepository();
    const one = r.commit("one");
    const two = r.commit("two");
    const three = r.commit("three");
    r.git("checkout", "-q", "-b", "side", one);
    const side = r.commit("side");
    r.git("checkout", "-q", "main");
    const names = [three, two.slice(0, 8), one.toUpperCase(), side, "0".repeat(40)];
    const { resolved, diagnostics } = await resolveCommits(r.root, await r.facts(), names, { env });
    expect(resolved).toEqual({
      [three]: { sha: three, reachable_from_head: true, distance: 0 },
      [two.slice(0, 8)]: { sha: two, reachable_from_head: true, distance: 1 },
      [one.toUpperCase()]: { sha: one, reachable_from_head: true, distance: 2 },
      [side]: { sha: side, reachable_from_head: false, distance: null },
      ["0".repeat(40)]: null,
    });
    expect(diagnostics).toEqual([
      {
        code: "git.commit_unresolved",
        severity: "warn",
        artifact: "git",
        source: null,
        args: { rev: "0".repeat(40) },
      },
    ]);
  });

  it("P12 distance through a merge is what rev-list counts", async () => {
    const r = makeRepository();
    const one = r.commit("one");
    r.git("checkout", "-q", "-b", "side");
    r.commit("side one");
    const side = r.commit("side two");
    r.git("checkout", "-q", "main");
    r.commit("two");
    r.git("merge", "-q", "--no-ff", "-m", "merge", "side");
    const { resolved } = await resolveCommits(r.root, await r.facts(), [one, side], { env });
    for (const sha of [one, side]) {
      expect(resolved[sha]?.distance).toBe(Number(r.git("rev-list", "--count", `${sha}..HEAD`)));
    }
  });

  it("P12 a name is never an option, a branch, a tag or an expression; an object that is no commit is none", async () => {
    const r = makeRepository();
    r.write("a", "1\n");
    r.commit("one");
    for (const branch of ["deadbeef", "cafe", "main2"]) r.git("branch", branch);
    r.git("tag", "abcd");
    const blob = r.git("rev-parse", "HEAD:a");
    const names = [
      "deadbeef",
      "cafe",
      "abcd",
      "HEAD",
      "main",
      "--all",
      "-h",
      "--git-dir=/",
      "HEAD~1",
      ":/one",
      "@",
      "abc",
      "",
      "a b",
      "beef\n",
      "__proto__",
      "constructor",
      blob,
      "f".repeat(65),
      "cafe\0",
    ];
    const { resolved, diagnostics } = await resolveCommits(r.root, await r.facts(), names, { env });
    expect(Object.keys(resolved).sort()).toEqual([...names].sort());
    expect(Object.values(resolved).every((commit) => commit === null)).toBe(true);
    expect(diagnostics.map((d) => d.args["rev"])).toEqual(names);
  });

  it("P12 an abbreviation of two commits is none, in full each is itself", async () => {
    const r = makeRepository();
    r.commit("root");
    const tree = r.git("rev-parse", "HEAD^{tree}");
    const body = (i: number): string =>
      `tree ${tree}\nauthor A <a> 1700000000 +0000\ncommitter A <a> 1700000000 +0000\n\nc${i}\n`;
    // Four hex digits: among a few hundred commits two share them. Found by hashing alone; only those two are written.
    const seen = new Map<string, number>();
    let pair: readonly [string, number, number] | null = null;
    for (let i = 0; i < 5000 && pair === null; i += 1) {
      const text = body(i);
      const prefix = createHash("sha1").update(`commit ${text.length}\0${text}`).digest("hex").slice(0, 4);
      const first = seen.get(prefix);
      if (first !== undefined) pair = [prefix, first, i];
      seen.set(prefix, i);
    }
    const [shared, ...indexes] = pair ?? ["", 0, 0];
    const write = (i: number): string =>
      execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
        cwd: r.root,
        env,
        input: body(i),
      })
        .toString("utf8")
        .trim();
    const shas = indexes.map(write);
    expect(shas.map((sha) => sha.slice(0, 4))).toEqual([shared, shared]);
    const full = shas[1] ?? "";
    const { resolved } = await resolveCommits(r.root, await r.facts(), [shared, full], { env });
    expect(resolved[shared]).toBeNull();
    expect(resolved[full]).toEqual({ sha: full, reachable_from_head: false, distance: null });
  });

  it("P12 without a repository, without git, on an unborn branch: null for every name", async () => {
    const r = makeRepository();
    const name = "a".repeat(40);
    const facts = await r.facts();
    expect(await resolveCommits(r.root, { available: false, head: null }, [name], { env })).toEqual({
      resolved: { [name]: null },
      diagnostics: [],
    });
    expect((await resolveCommits(r.root, facts, [name], { env })).resolved).toEqual({ [name]: null });
    expect((await resolveCommits(r.root, facts, [name], { env: { PATH: "" } })).resolved).toEqual({
      [name]: null,
    });
  });

  it("P12 very many names are cut, and the cut is diagnosed", async () => {
    const r = makeRepository();
    const head = r.commit("one");
    const names = [head, ...Array.from({ length: 70 }, (_, i) => `${i}`.padStart(40, "0"))];
    const result = await resolveCommits(r.root, await r.facts(), names, { env });
    expect(result.resolved[head]?.distance).toBe(0);
    expect(result.diagnostics.at(-1)?.args).toEqual({ list: "commit names", omitted: 7 });
    expect(codes(result).filter((code) => code === "git.commit_unresolved").length).toBe(63);
  });
});
