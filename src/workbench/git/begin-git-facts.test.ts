// A10: what is asked early is answered as if it had been asked late, whatever the base's place in the history.
import { describe, expect, it } from "vitest";
import { beginGitFacts } from "./begin-git-facts.js";
import { makeRepository, TEST_ENV, type TestRepository } from "./test-repository.js";

/** A root commit, a merged side branch, a branch that was left, an annotated tag; HEAD in the middle of it. */
function makeHistory(): TestRepository {
  const r = makeRepository();
  r.write("a", "1\n");
  r.commit("root");
  r.git("checkout", "-q", "-b", "side");
  r.write("b", "1\n");
  r.commit("on the side");
  r.git("checkout", "-q", "main");
  r.write("a", "2\n");
  r.commit("two");
  r.git("merge", "-q", "--no-ff", "-m", "merge", "side");
  r.git("tag", "-a", "-m", "a tag", "v1");
  r.git("checkout", "-q", "-b", "left", "HEAD~1");
  r.write("c", "1\n");
  r.commit("left behind");
  r.git("checkout", "-q", "main");
  r.write("a", "3\n");
  r.commit("three");
  r.write("a", "4\n");
  r.commit("four");
  r.git("checkout", "-q", "-b", "work", "HEAD~1");
  r.write("a", "5\n");
  r.write("new", "x\n");
  return r;
}

const COMMITS = ["HEAD", "HEAD~1", "side", "left", "main", "HEAD~1^2", ":/root", "v1"];
const NAMED = [...COMMITS, "HEAD^{tree}", "HEAD:a"];

describe("A10 a base that is named by its hash", () => {
  it.each(COMMITS)("%s: the commits since are those git lists, and HEAD is HEAD", async (rev) => {
    const r = makeHistory();
    const sessionBase = r.git("rev-parse", rev);
    const facts = await r.facts({ sessionBase });
    const listed = r.git("log", "--format=%H", `${sessionBase}..HEAD`).split("\n");
    expect(facts.head?.sha).toBe(r.git("rev-parse", "HEAD"));
    expect(facts.commits.map(({ sha }) => sha)).toEqual(listed.filter((sha) => sha !== ""));
    expect(facts.base).toEqual({ sha: r.git("rev-parse", `${sessionBase}^{commit}`), from: "session" });
  });

  it.each(["HEAD^{tree}", "HEAD:a"])("%s is no commit: the next source is used", async (rev) => {
    const r = makeHistory();
    const facts = await r.facts({ sessionBase: r.git("rev-parse", rev) });
    expect(facts.head?.sha).toBe(r.git("rev-parse", "HEAD"));
    expect(facts.base).toEqual((await r.facts()).base);
    expect(facts.commits).toEqual((await r.facts()).commits);
  });

  it.each(NAMED)("%s: begun early or not, the facts are the same", async (rev) => {
    const r = makeHistory();
    const sessionBase = r.git("rev-parse", rev);
    const git = await beginGitFacts(r.root, sessionBase, TEST_ENV);
    expect(await r.facts({ sessionBase, git })).toEqual(await r.facts({ sessionBase }));
  });

  it("more commits than are listed: the rest is counted", async () => {
    const r = makeHistory();
    const sessionBase = r.git("rev-parse", ":/root");
    const count = Number(r.git("rev-list", "--count", `${sessionBase}..HEAD`));
    for (const maxCommits of [count - 1, count, count + 1]) {
      const facts = await r.facts({ sessionBase, maxCommits });
      expect(facts.commits).toHaveLength(Math.min(count, maxCommits));
      expect(facts.commits_omitted).toBe(Math.max(0, count - maxCommits));
    }
  });
});

describe("A10 calls that were begun", () => {
  it("are answered once: who asks again is told what is true by then", async () => {
    const r = makeHistory();
    const sessionBase = r.git("rev-parse", "HEAD");
    const git = await beginGitFacts(r.root, sessionBase, TEST_ENV);
    await r.facts({ sessionBase, git });
    const head = r.commit("newer");
    const facts = await r.facts({ sessionBase, git });
    expect(facts.head?.sha).toBe(head);
    expect(facts.commits.map(({ sha }) => sha)).toEqual([head]);
  });

  it("of another folder or another base are nobody's answer", async () => {
    const r = makeHistory();
    const other = makeHistory();
    other.commit("elsewhere");
    const git = await beginGitFacts(other.root, other.git("rev-parse", "HEAD"), TEST_ENV);
    const sessionBase = r.git("rev-parse", "HEAD~1");
    expect(await r.facts({ sessionBase, git })).toEqual(await r.facts({ sessionBase }));
  });

  it("end with the time for all calls", async () => {
    const r = makeHistory();
    const git = await beginGitFacts(r.root, r.git("rev-parse", "HEAD"), TEST_ENV);
    await r.facts({ sessionBase: r.git("rev-parse", "HEAD"), git });
    expect(git?.budget.left()).toBeLessThan(git?.budget.totalMs ?? 0);
  });

  it("without a git there are none", async () => {
    expect(await beginGitFacts("/", "0".repeat(40), { PATH: "/nonexistent" })).toBeNull();
  });
});
