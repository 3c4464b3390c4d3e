import { describe, expect, it } from "vitest";
import { decideCiBranch } from "./ci-branch.js";

describe("the CI's branch", () => {
  it.each([
    [
      "GitHub, pull request",
      { GITHUB_HEAD_REF: "feat/x", GITHUB_REF_NAME: "12/merge", GITHUB_REF_TYPE: "branch" },
      "feat/x",
    ],
    ["GitHub, push", { GITHUB_HEAD_REF: "", GITHUB_REF_NAME: "main", GITHUB_REF_TYPE: "branch" }, "main"],
    ["GitHub, tag", { GITHUB_REF_NAME: "v1.0", GITHUB_REF_TYPE: "tag" }, null],
    ["GitHub, merge ref only", { GITHUB_REF_NAME: "12/merge" }, null],
    [
      "GitLab, merge request",
      { CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feat", CI_COMMIT_REF_NAME: "refs/merge-requests/1/head" },
      "feat",
    ],
    ["GitLab, branch", { CI_COMMIT_REF_NAME: "develop" }, "develop"],
    ["GitLab, tag", { CI_COMMIT_REF_NAME: "v1", CI_COMMIT_TAG: "v1" }, null],
    ["Buildkite", { BUILDKITE_BRANCH: "ünï" }, "ünï"],
    ["CircleCI", { CIRCLE_BRANCH: "fix-1" }, "fix-1"],
    ["Azure, branch", { BUILD_SOURCEBRANCH: "refs/heads/a/b", BUILD_SOURCEBRANCHNAME: "b" }, "a/b"],
    [
      "Azure, pull request",
      { SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/pr", BUILD_SOURCEBRANCH: "refs/pull/1/merge" },
      "pr",
    ],
    [
      "Azure, merge ref only",
      { BUILD_SOURCEBRANCH: "refs/pull/1/merge", BUILD_SOURCEBRANCHNAME: "merge" },
      null,
    ],
    ["Azure, short name only", { BUILD_SOURCEBRANCHNAME: "b" }, "b"],
    ["Jenkins, pull request", { CHANGE_BRANCH: "head", BRANCH_NAME: "PR-3" }, "head"],
    ["generic", { BRANCH_NAME: "x" }, "x"],
    ["nothing", { OTHER: "x" }, null],
  ])("P11 %s", (_name, env, expected) => {
    expect(decideCiBranch(env)).toBe(expected);
  });

  it.each([
    "-x",
    "a b",
    "a..b",
    "a\nb",
    "a\u001b[31m",
    "a~1",
    "x.lock",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a@{0}",
    "@",
    "a\\b",
    "a\u202eb",
    "\ud800",
    "x".repeat(251),
    "refs/tags/v1",
  ])("P11 %j is no branch name and the next variable counts", (name) => {
    expect(decideCiBranch({ GITHUB_HEAD_REF: name, BRANCH_NAME: "next" })).toBe("next");
  });
});
