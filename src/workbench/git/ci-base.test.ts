// A16: what a CI's variables say of branch, base and session, in the sets of variables that CIs really set, and the base
// that comes of it in real clones as those CIs make them.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ciSessionId } from "../choose-ids.js";
import { decideCiBase, decideCiRef } from "./ci-base.js";
import { decideCiBranch } from "./ci-branch.js";
import { codes, makeRepository, openRepository, temporaryFolder, TEST_ENV } from "./test-repository.js";

type Env = Readonly<Record<string, string>>;
const SHA = "0123456789abcdef0123456789abcdef01234567";

/** As the services set them, shortened to what could matter; empty where they set an empty text. */
const SETS: readonly (readonly [string, Env, { branch: string | null; base: string[]; session: string }])[] =
  [
    [
      "GitHub, push",
      {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_EVENT_NAME: "push",
        GITHUB_REF: "refs/heads/feat/x",
        GITHUB_REF_NAME: "feat/x",
        GITHUB_REF_TYPE: "branch",
        GITHUB_HEAD_REF: "",
        GITHUB_BASE_REF: "",
        GITHUB_RUN_ID: "7713",
        GITHUB_RUN_ATTEMPT: "1",
        GITHUB_RUN_NUMBER: "31",
      },
      { branch: "feat/x", base: [], session: "ci-7713-1" },
    ],
    [
      "GitHub, pull request (merge ref), second attempt",
      {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_EVENT_NAME: "pull_request",
        GITHUB_REF: "refs/pull/12/merge",
        GITHUB_REF_NAME: "12/merge",
        GITHUB_REF_TYPE: "branch",
        GITHUB_HEAD_REF: "feat/x",
        GITHUB_BASE_REF: "release/2",
        GITHUB_RUN_ID: "7714",
        GITHUB_RUN_ATTEMPT: "2",
      },
      { branch: "feat/x", base: ["release/2"], session: "ci-7714-2" },
    ],
    [
      "GitHub, a fork's pull request from its main",
      {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_EVENT_NAME: "pull_request",
        GITHUB_REF: "refs/pull/13/merge",
        GITHUB_REF_NAME: "13/merge",
        GITHUB_HEAD_REF: "main",
        GITHUB_BASE_REF: "main",
        GITHUB_RUN_ID: "7715",
        GITHUB_RUN_ATTEMPT: "1",
      },
      { branch: "main", base: ["main"], session: "ci-7715-1" },
    ],
    [
      "GitHub, tag",
      {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_REF: "refs/tags/v1",
        GITHUB_REF_NAME: "v1",
        GITHUB_REF_TYPE: "tag",
        GITHUB_HEAD_REF: "",
        GITHUB_BASE_REF: "",
        GITHUB_RUN_ID: "7716",
        GITHUB_RUN_ATTEMPT: "1",
      },
      { branch: null, base: [], session: "ci-7716-1" },
    ],
    [
      "GitLab, branch pipeline",
      {
        CI: "true",
        GITLAB_CI: "true",
        CI_COMMIT_REF_NAME: "feat/x",
        CI_COMMIT_BRANCH: "feat/x",
        CI_DEFAULT_BRANCH: "trunk",
        CI_PIPELINE_ID: "901",
        CI_JOB_ID: "55012",
      },
      { branch: "feat/x", base: ["trunk"], session: "ci-901-55012" },
    ],
    [
      "GitLab, on the default branch",
      {
        CI: "true",
        GITLAB_CI: "true",
        CI_COMMIT_REF_NAME: "trunk",
        CI_DEFAULT_BRANCH: "trunk",
        CI_PIPELINE_ID: "902",
        CI_JOB_ID: "55013",
      },
      { branch: "trunk", base: [], session: "ci-902-55013" },
    ],
    [
      "GitLab, merge request",
      {
        CI: "true",
        GITLAB_CI: "true",
        CI_COMMIT_REF_NAME: "feat/x",
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feat/x",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "release",
        CI_MERGE_REQUEST_DIFF_BASE_SHA: SHA,
        CI_DEFAULT_BRANCH: "trunk",
        CI_PIPELINE_ID: "903",
        CI_JOB_ID: "55014",
      },
      { branch: "feat/x", base: [SHA, "release", "trunk"], session: "ci-903-55014" },
    ],
    [
      "Buildkite, pull request",
      {
        CI: "true",
        BUILDKITE: "true",
        BUILDKITE_BRANCH: "feat/x",
        BUILDKITE_TAG: "",
        BUILDKITE_PULL_REQUEST: "4",
        BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main",
        BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main",
        BUILDKITE_BUILD_ID: "0190-4e",
        BUILDKITE_RETRY_COUNT: "0",
      },
      { branch: "feat/x", base: ["main"], session: "ci-0190-4e-0" },
    ],
    [
      "Buildkite, branch",
      {
        CI: "true",
        BUILDKITE: "true",
        BUILDKITE_BRANCH: "feat/x",
        BUILDKITE_PULL_REQUEST: "false",
        BUILDKITE_PULL_REQUEST_BASE_BRANCH: "",
        BUILDKITE_PIPELINE_DEFAULT_BRANCH: "develop",
        BUILDKITE_BUILD_ID: "0190-4f",
      },
      { branch: "feat/x", base: ["develop"], session: "ci-0190-4f-1" },
    ],
    [
      "CircleCI",
      {
        CI: "true",
        CIRCLECI: "true",
        CIRCLE_BRANCH: "feat/x",
        CIRCLE_BUILD_NUM: "88",
        CIRCLE_NODE_INDEX: "0",
      },
      { branch: "feat/x", base: [], session: "ci-88-0" },
    ],
    [
      "Azure, pull request",
      {
        TF_BUILD: "True",
        BUILD_BUILDID: "4242",
        SYSTEM_JOBATTEMPT: "1",
        BUILD_SOURCEBRANCH: "refs/pull/7/merge",
        BUILD_SOURCEBRANCHNAME: "merge",
        SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/feat/x",
        SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      },
      { branch: "feat/x", base: ["main"], session: "ci-4242-1" },
    ],
    [
      "Jenkins, multibranch pull request",
      { CI: "true", BRANCH_NAME: "PR-3", CHANGE_BRANCH: "feat/x", CHANGE_TARGET: "main", BUILD_ID: "17" },
      { branch: "feat/x", base: ["main"], session: "ci-17-1" },
    ],
    [
      "any other, with nothing but CI and a number",
      { CI: "true", BUILD_NUMBER: "5", BRANCH_NAME: "feat/x" },
      { branch: "feat/x", base: [], session: "ci-5-1" },
    ],
  ];

describe("A16 the CI's own variables", () => {
  it.each(SETS)("A16 %s", (_name, env, { branch, base, session }) => {
    const { commit, branches } = decideCiBase(env);
    expect(decideCiBranch(env)).toBe(branch);
    expect([...(commit === null ? [] : [commit]), ...branches]).toEqual(base);
    expect(ciSessionId(env)).toBe(session);
  });

  it.each(["-x", "a b", "x:y", "../x", "refs/tags/v", "x*", "a\nb"])("A16 %j is no target", (name) => {
    expect(decideCiBase({ GITHUB_BASE_REF: name }).branches).toEqual([]);
    expect(decideCiBase({ CI_MERGE_REQUEST_DIFF_BASE_SHA: name }).commit).toBe(null);
  });

  it("A16 origin's copy before the only other remote's before the local one", () => {
    const ref = (name: string) => ({ name, target: null });
    const main = { commit: null, branches: ["main"] };
    const local = ref("refs/heads/main");
    const [origin, fork, third] = ["origin", "fork", "third"].map((name) => ref(`refs/remotes/${name}/main`));
    expect(decideCiRef([local, fork!, origin!], main)).toBe("refs/remotes/origin/main");
    expect(decideCiRef([local, fork!], main)).toBe("refs/remotes/fork/main");
    expect(decideCiRef([local, fork!, third!], main)).toBe("refs/heads/main");
    expect(decideCiRef([ref("refs/remotes/origin/x/main")], main)).toBe(null);
    expect(decideCiRef([local], { commit: null, branches: ["gone", "main"] })).toBe("refs/heads/main");
  });
});

/** A server's repository: `main`, `release` one ahead of it, `feat/x` from release with two commits; main moved on. */
function server() {
  const r = makeRepository();
  r.write("a.txt", "1\n");
  const start = r.commit("start");
  r.git("checkout", "-q", "-b", "release");
  r.write("release.txt", "1\n");
  const release = r.commit("release");
  r.git("checkout", "-q", "-b", "feat/x");
  r.write("x.txt", "1\n");
  r.commit("one");
  r.write("x.txt", "1\n2\n");
  const head = r.commit("two");
  r.git("checkout", "-q", "main");
  r.write("a.txt", "1\n2\n");
  r.commit("main went on");
  // As a forge makes it: the pull request merged into its target.
  r.git("checkout", "-q", "--detach", "release");
  r.write("release.txt", "1\n2\n");
  const target = r.commit("release went on");
  r.git("branch", "-q", "-f", "release", target);
  r.git("merge", "-q", "--no-ff", "-m", "Merge feat/x into release", head);
  r.git("update-ref", "refs/pull/12/merge", "HEAD");
  r.git("update-ref", "refs/pull/12/head", head);
  r.git("checkout", "-q", "main");
  return { r, start, release, head, target };
}

const PULL: Env = { GITHUB_HEAD_REF: "feat/x", GITHUB_BASE_REF: "release", GITHUB_REF_NAME: "12/merge" };

function clone(from: string, ...args: string[]) {
  const folder = path.join(temporaryFolder(), "clone");
  const r = makeRepository(folder);
  r.git("remote", "add", "origin", `file://${from}`);
  for (const arg of args) r.git(...arg.split(" "));
  return openRepository(folder);
}

describe("A16 the base in clones as CIs make them", () => {
  it("A16 GitHub's merge ref: everything since the target, under the branch's name", async () => {
    const { r, target } = server();
    const c = clone(
      r.root,
      "fetch -q origin +refs/heads/*:refs/remotes/origin/* +refs/pull/12/merge:refs/remotes/pull/12/merge",
      "checkout -q refs/remotes/pull/12/merge",
    );
    const facts = await c.facts({ env: { ...TEST_ENV, ...PULL } });
    expect(facts).toMatchObject({ branch: "feat/x", detached: true, base: { sha: target, from: "ci" } });
    expect(facts.commits.map(({ subject }) => subject)).toEqual(["Merge feat/x into release", "two", "one"]);
    expect(facts.changes.map(({ path: name }) => name)).toEqual(["x.txt"]);
    // Without them it would be counted from main, the release's own work included.
    expect((await c.facts()).base?.sha).not.toBe(target);
  });

  it("A16 the pull request's head, checked out by its commit or as its branch", async () => {
    const { r, release, head } = server();
    const c = clone(r.root, "fetch -q origin +refs/heads/*:refs/remotes/origin/*", `checkout -q ${head}`);
    const env = { ...TEST_ENV, ...PULL };
    expect((await c.facts({ env })).base).toEqual({ sha: release, from: "ci" });
    c.git("checkout", "-q", "feat/x");
    expect((await c.facts({ env })).base).toEqual({ sha: release, from: "ci" });
    // On another branch the job's variables say nothing.
    c.git("checkout", "-q", "-b", "other");
    expect((await c.facts({ env })).base?.from).not.toBe("ci");
  });

  it("A16 GitLab's clone has no target branch: the commit it names counts", async () => {
    const { r, release, head } = server();
    const c = clone(
      r.root,
      "fetch -q origin +refs/pull/12/head:refs/merge-requests/12/head",
      `checkout -q ${head}`,
    );
    c.tryGit("branch", "-D", "main");
    const env = {
      ...TEST_ENV,
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feat/x",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "release",
      CI_MERGE_REQUEST_DIFF_BASE_SHA: release,
    };
    expect((await c.facts({ env })).base).toEqual({ sha: release, from: "ci" });
    expect((await c.facts({ env: { ...env, CI_MERGE_REQUEST_DIFF_BASE_SHA: SHA } })).base).toBe(null);
  });

  it("A16 a shallow clone that hides the base is a warning, with what to do", async () => {
    const { r } = server();
    const c = clone(
      r.root,
      "fetch -q --depth=1 origin +refs/pull/12/merge:refs/remotes/pull/12/merge",
      "checkout -q refs/remotes/pull/12/merge",
    );
    const facts = await c.facts({ env: { ...TEST_ENV, ...PULL } });
    expect(facts).toMatchObject({ branch: "feat/x", shallow: true, base: null });
    expect(codes(facts)).toEqual(["git.shallow", "git.base_unknown"]);
    expect(facts.diagnostics[0]?.severity).toBe("warn");
  });

  it("A16 an option or the session's own commit counts more", async () => {
    const { r, start, head } = server();
    const c = clone(r.root, "fetch -q origin +refs/heads/*:refs/remotes/origin/*", `checkout -q ${head}`);
    const env = { ...TEST_ENV, ...PULL };
    expect((await c.facts({ env, base: start })).base).toEqual({ sha: start, from: "option" });
    expect((await c.facts({ env, sessionBase: start })).base).toEqual({ sha: start, from: "session" });
  });
});
