import { describe, expect, it } from "vitest";
import { decideBase, decideDefaultBranch, type Ref } from "./decide-base.js";

const ref = (name: string, target: string | null = null): Ref => ({ name, target });
const ORIGIN = ref("refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
const FORK = ref("refs/remotes/fork/HEAD", "refs/remotes/fork/dev");

describe("the default branch", () => {
  it.each<[string, Ref[], string | null, string | null]>([
    ["origin/HEAD wins", [FORK, ORIGIN, ref("refs/heads/main")], "feat", "refs/remotes/origin/trunk"],
    ["the HEAD of the only remote", [FORK, ref("refs/heads/main")], "feat", "refs/remotes/fork/dev"],
    ["two other remotes say nothing", [FORK, ref("refs/remotes/b/HEAD", "refs/remotes/b/x")], "feat", null],
    [
      "main before master, remote before local",
      [ref("refs/heads/main"), ref("refs/heads/master"), ref("refs/remotes/origin/main")],
      "feat",
      "refs/remotes/origin/main",
    ],
    [
      "a local main before a remote master",
      [ref("refs/heads/main"), ref("refs/remotes/origin/master")],
      null,
      "refs/heads/main",
    ],
    ["not when on it", [ORIGIN], "trunk", null],
    [
      "not when on it, whatever else there is",
      [ref("refs/heads/main"), ref("refs/heads/master")],
      "main",
      null,
    ],
    ["none", [ref("refs/stash")], "feat", null],
  ])("P10 %s", (_name, refs, branch, expected) => {
    expect(decideDefaultBranch(refs, branch)).toBe(expected);
  });
});

describe("the base", () => {
  const up = { sha: "u", from: "upstream" };
  const def = { sha: "d", from: "default_branch" };
  it.each([
    [
      "upstream is another branch",
      { upstream: "origin/main", upstreamMergeBase: "u", defaultMergeBase: "d" },
      up,
    ],
    [
      "upstream is the own copy",
      { upstream: "origin/feat", upstreamMergeBase: "u", defaultMergeBase: "d" },
      def,
    ],
    [
      "own copy fully pushed",
      { upstream: "origin/feat", upstreamMergeBase: "h", defaultMergeBase: "d" },
      def,
    ],
    [
      "own copy, default branch has everything",
      { upstream: "origin/feat", upstreamMergeBase: "u", defaultMergeBase: "h" },
      up,
    ],
    [
      "own copy, no default branch",
      { upstream: "origin/feat", upstreamMergeBase: "u", defaultMergeBase: null },
      up,
    ],
    [
      "nothing new against another upstream",
      { upstream: "origin/dev", upstreamMergeBase: "h", defaultMergeBase: "d" },
      def,
    ],
    [
      "nothing new at all",
      { upstream: "origin/dev", upstreamMergeBase: "h", defaultMergeBase: "h" },
      { sha: "h", from: "upstream" },
    ],
    ["default branch only", { upstream: null, upstreamMergeBase: null, defaultMergeBase: "d" }, def],
    [
      "unrelated histories",
      { upstream: "origin/dev", upstreamMergeBase: null, defaultMergeBase: null },
      null,
    ],
  ])("P10 %s", (_name, candidates, expected) => {
    expect(decideBase({ head: "h", branch: "feat", ...candidates })).toEqual(expected);
  });

  it("P10 a branch name inside an upstream's name is not its own copy", () => {
    const base = decideBase({
      head: "h",
      branch: "x",
      upstream: "origin/prefix-x",
      upstreamMergeBase: "u",
      defaultMergeBase: "d",
    });
    expect(base).toEqual(up);
  });
});
