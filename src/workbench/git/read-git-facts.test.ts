import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findTopLevel } from "./find-top-level.js";
import { readGitFacts } from "./read-git-facts.js";
import {
  codes,
  makeRepository,
  openRepository,
  rowTexts,
  temporaryFolder,
  TEST_ENV,
  type TestRepository,
} from "./test-repository.js";

const options = { base: null, sessionBase: null, isOwnPath: () => false, env: TEST_ENV };

/** `feat` off `main`, each with one commit of its own on the same line of `file`. */
function diverged(): TestRepository {
  const r = makeRepository();
  r.write("file", "base\n");
  r.commit("base");
  r.git("checkout", "-q", "-b", "feat");
  r.write("file", "feat\n");
  r.commit("on feat");
  r.git("checkout", "-q", "main");
  r.write("file", "main\n");
  r.commit("on main");
  return r;
}

describe("where git has little to say", () => {
  it("P11 no repository: one diagnostic, nothing else", async () => {
    const facts = await readGitFacts(temporaryFolder(), options);
    expect([facts.available, facts.branch, facts.head, facts.dirty]).toEqual([false, null, null, false]);
    expect(codes(facts)).toEqual(["git.no_repository"]);
  });

  it("P11 no git: an emptied PATH, no PATH, and one whose relative entry would run a git of the repository's own", async () => {
    const r = makeRepository();
    r.write("git", "#!/bin/sh\ntouch executed\n");
    chmodSync(path.join(r.root, "git"), 0o755);
    for (const env of [
      { PATH: "" },
      {},
      { PATH: `:.:/nonexistent:${path.relative(process.cwd(), r.root)}` },
    ]) {
      const facts = await r.facts({ env });
      expect([facts.available, codes(facts)]).toEqual([false, ["git.unavailable"]]);
    }
    expect(existsSync(path.join(r.root, "executed"))).toBe(false);
  });

  it("P11 a root that does not exist is a failure, not a crash", async () => {
    const facts = await readGitFacts(path.join(temporaryFolder(), "gone"), options);
    expect([facts.available, codes(facts)]).toEqual([false, ["git.unavailable"]]);
  });

  it("P11 unborn branch: an empty repository, then staged and untracked files", async () => {
    const r = makeRepository();
    const empty = await r.facts();
    expect(empty).toMatchObject({
      available: true,
      branch: "main",
      unborn: true,
      detached: false,
      head: null,
      base: null,
      dirty: false,
      changes: [],
    });
    expect(codes(empty)).toEqual(["git.unborn"]);
    r.write("staged", "1\n2\n");
    r.git("add", "staged");
    r.write("staged", "1\n2\n3\n");
    r.write("untracked", "1\n");
    const facts = await r.facts({ base: "HEAD" });
    expect(rowTexts(facts)).toEqual(["added staged +3 -0", "untracked untracked +1 -0"]);
    expect(facts.dirty).toBe(true);
    expect(codes(facts)).toEqual(["git.unborn", "git.base_unresolved"]);
  });

  it("P11 SHA-256 repository: unborn and with commits", async () => {
    const r = makeRepository(temporaryFolder(), ["--object-format=sha256"]);
    r.write("a", "1\n");
    r.git("add", "a");
    expect(rowTexts(await r.facts())).toEqual(["added a +1 -0"]);
    const base = r.commit("one");
    r.write("a", "2\n");
    const facts = await r.facts({ sessionBase: base.slice(0, 10) });
    expect(facts.head?.sha).toMatch(/^[0-9a-f]{64}$/u);
    expect(facts.base).toEqual({ sha: base, from: "session" });
    expect(rowTexts(facts)).toEqual(["modified a +1 -1"]);
  });

  it("P11 bare repository, and a root inside .git: history but no changes", async () => {
    const r = diverged();
    const bare = path.join(temporaryFolder(), "bare.git");
    r.git("clone", "-q", "--bare", r.root, bare);
    for (const root of [bare, path.join(r.root, ".git")]) {
      const facts = await readGitFacts(root, { ...options, base: "HEAD~1" });
      expect(facts).toMatchObject({
        available: true,
        branch: "main",
        detached: false,
        dirty: false,
        changes: [],
      });
      expect(facts.commits.map((c) => c.subject)).toEqual(["on main"]);
      expect(codes(facts)).toEqual(["git.bare"]);
    }
    execFileSync("git", ["init", "-q", "--bare", "-b", "trunk", "empty"], { cwd: bare, env: TEST_ENV });
    const empty = await readGitFacts(path.join(bare, "empty"), options);
    expect([empty.branch, empty.unborn, codes(empty)]).toEqual(["trunk", true, ["git.bare", "git.unborn"]]);
  });

  it("P11 shallow clone: what is there, and a diagnostic", async () => {
    const r = diverged();
    const clone = path.join(temporaryFolder(), "clone");
    r.git("clone", "-q", "--depth=1", `file://${r.root}`, clone);
    const facts = await readGitFacts(clone, options);
    expect([facts.shallow, facts.head?.subject, facts.branch]).toEqual([true, "on main", "main"]);
    expect(facts.diagnostics).toEqual([
      { code: "git.shallow", severity: "info", artifact: "git", source: null, args: {} },
    ]);
  });

  it("P11 linked worktree: its own branch, index and operation", async () => {
    const r = diverged();
    const tree = path.join(temporaryFolder(), "tree");
    r.git("worktree", "add", "-q", tree, "feat");
    const w = openRepository(tree);
    w.tryGit("merge", "main");
    expect(await w.facts()).toMatchObject({ branch: "feat", operation: "merge", dirty: true });
    expect(await r.facts()).toMatchObject({ branch: "main", operation: null, dirty: false });
  });

  it.skipIf(process.getuid?.() !== 0)(
    "P11 a repository owned by another user (needs root to give it away)",
    async () => {
      const r = makeRepository();
      r.write("a", "1\n");
      r.commit("one");
      for (const folder of [r.root, path.join(r.root, ".git")]) chownSync(folder, 12_345, 12_345);
      const facts = await r.facts();
      expect([facts.available, codes(facts)]).toEqual([false, ["git.unsafe_ownership"]]);
      const trusted = {
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: r.root,
      };
      expect((await r.facts({ env: { ...TEST_ENV, ...trusted } })).head?.subject).toBe("one");
    },
  );

  it("P11 corrupt: a broken index, a broken HEAD, a lost object", async () => {
    const r = diverged();
    const git = path.join(r.root, ".git");
    writeFileSync(path.join(git, "index"), "garbage");
    const noIndex = await r.facts();
    expect(noIndex).toMatchObject({
      available: true,
      branch: "main",
      dirty: true,
      unborn: false,
      changes: [],
    });
    expect(noIndex.head?.subject).toBe("on main");
    expect(new Set(codes(noIndex))).toEqual(new Set(["git.failed", "git.base_unknown"]));
    rmSync(path.join(git, "index"));
    r.git("reset", "-q", "--hard");
    const head = r.git("rev-parse", "HEAD");
    const object = path.join(git, "objects", head.slice(0, 2), head.slice(2));
    chmodSync(object, 0o644);
    truncateSync(object, 0);
    const noCommit = await r.facts();
    expect([noCommit.available, noCommit.head, noCommit.branch, noCommit.unborn]).toEqual([
      true,
      null,
      "main",
      false,
    ]);
    expect(codes(noCommit)).toContain("git.failed");
    writeFileSync(path.join(git, "HEAD"), "garbage\n");
    const noHead = await r.facts();
    expect([noHead.available, codes(noHead)]).toEqual([false, ["git.failed"]]);
  });

  it("P11 a lost blob costs the line counts, not the rows", async () => {
    const r = makeRepository();
    r.write("a", "1\n");
    r.write("b", "1\n");
    const base = r.commit("one");
    const blob = r.git("rev-parse", "HEAD:a");
    rmSync(path.join(r.root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    r.write("a", "2\n");
    const facts = await r.facts({ base });
    expect(rowTexts(facts)).toEqual(["modified a +? -?"]);
    expect(codes(facts)).toEqual(["git.failed"]);
  });

  it("P9 a partial clone is read as it lies: nothing is fetched", async () => {
    const origin = makeRepository();
    origin.write("a", "1\n");
    const base = origin.commit("one");
    origin.write("a", "2\n");
    origin.commit("two");
    origin.git("config", "uploadpack.allowFilter", "true");
    const clone = path.join(temporaryFolder(), "clone");
    origin.git("clone", "-q", "--filter=blob:none", `file://${origin.root}`, clone);
    const packs = path.join(clone, ".git/objects/pack");
    const before = readdirSync(packs).sort();
    const facts = await readGitFacts(clone, { ...options, base });
    expect(rowTexts(facts)).toEqual(["modified* a +? -?"]);
    expect(facts.diagnostics.map((d) => [d.code, d.args["command"]])).toEqual([["git.failed", "diff-index"]]);
    expect(readdirSync(packs).sort()).toEqual(before);
  });

  it("P9 a call that takes too long is stopped and named", async () => {
    const r = makeRepository();
    r.commit("one");
    const fifo = path.join(temporaryFolder(), "fifo");
    execFileSync("mkfifo", [fifo]);
    r.git("config", "core.excludesFile", fifo);
    const facts = await r.facts({ timeoutMs: 5000 });
    expect(facts.diagnostics.find((d) => d.code === "git.timeout")?.args).toEqual({
      command: "status",
      seconds: 5,
    });
    expect([facts.available, facts.dirty]).toEqual([true, true]);
  });
});

describe("branch, upstream, base", () => {
  it("P11 detached HEAD: the CI's branch when there is one, else detached@<12 hex>", async () => {
    const r = diverged();
    r.git("checkout", "-q", "--detach");
    const facts = await r.facts();
    expect([facts.branch, facts.detached]).toEqual([
      `detached@${r.git("rev-parse", "HEAD").slice(0, 12)}`,
      true,
    ]);
    const env = { ...TEST_ENV, GITHUB_REF_NAME: "12/merge", GITHUB_HEAD_REF: "topic/x" };
    expect((await r.facts({ env })).branch).toBe("topic/x");
    r.git("checkout", "-q", "feat");
    expect((await r.facts({ env })).branch).toBe("feat");
  });

  it("P9 variables of an outer hook do not redirect: GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE and the rest", async () => {
    const r = diverged();
    const other = makeRepository();
    other.commit("other");
    const plain = await r.facts();
    const env = {
      ...TEST_ENV,
      GIT_DIR: path.join(other.root, ".git"),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: path.join(other.root, ".git/index"),
      GIT_OBJECT_DIRECTORY: path.join(other.root, ".git/objects"),
      GIT_COMMON_DIR: path.join(other.root, ".git"),
      GIT_NAMESPACE: "x",
      GIT_PREFIX: "sub/",
      GIT_CONFIG_PARAMETERS: "'core.bare'='true'",
      GIT_EXTERNAL_DIFF: "false",
      GIT_GLOB_PATHSPECS: "1",
      GIT_TRACE: path.join(other.root, "trace"),
      GIT_DEFAULT_HASH: "sha256",
      LC_ALL: "de_DE.UTF-8",
      LANGUAGE: "de",
    };
    expect(await r.facts({ env })).toEqual(plain);
    expect(existsSync(path.join(other.root, "trace"))).toBe(false);
  });

  it("P9 with the environment of a real pre-commit hook of `git commit -a`, and its lock held: the facts of this repository", async () => {
    const r = makeRepository();
    r.write("a", "1\n");
    const base = r.commit("one");
    r.write("a", "2\n");
    const seen = path.join(r.root, ".git", "seen");
    const hook = path.join(r.root, ".git/hooks/pre-commit");
    writeFileSync(hook, `#!/bin/sh\nenv -0 > '${seen}'\ntest -e .git/index.lock\n`);
    chmodSync(hook, 0o755);
    r.git("commit", "-q", "-a", "-m", "two");
    const dump = execFileSync("cat", [seen]).toString("utf8").split("\0").filter(Boolean);
    const env = Object.fromEntries(
      dump.map((v) => [v.slice(0, v.indexOf("=")), v.slice(v.indexOf("=") + 1)]),
    );
    expect(env["GIT_INDEX_FILE"]).toBeDefined();
    r.git("reset", "-q", "--soft", "HEAD~1");
    writeFileSync(path.join(r.root, ".git/index.lock"), "");
    const facts = await r.facts({ base, env });
    expect(rowTexts(facts)).toEqual(["modified a +1 -1"]);
    expect(facts.diagnostics).toEqual([]);
    expect(existsSync(path.join(r.root, ".git/index.lock"))).toBe(true);
  });

  it("P10 base: option, then session, then the upstream, then the default branch, else none", async () => {
    const r = diverged();
    const root = r.git("rev-parse", "main~1");
    const feat = r.git("rev-parse", "feat");
    expect((await r.facts({ base: "feat", sessionBase: root })).base).toEqual({ sha: feat, from: "option" });
    expect((await r.facts({ sessionBase: root.slice(0, 9).toUpperCase() })).base).toEqual({
      sha: root,
      from: "session",
    });
    const none = await r.facts();
    expect([none.base, codes(none)]).toEqual([null, ["git.base_unknown"]]);
    r.git("checkout", "-q", "feat");
    const facts = await r.facts();
    expect(facts.base).toEqual({ sha: root, from: "default_branch" });
    expect(facts.commits).toEqual([{ sha: feat, subject: "on feat" }]);
    r.git("branch", "-q", "--set-upstream-to=main");
    expect(await r.facts()).toMatchObject({ base: { sha: root, from: "upstream" }, ahead: 1, behind: 1 });
  });

  it("P10 base with remotes: unpushed work on main, a published feature branch, origin/HEAD, an upstream that is gone", async () => {
    const origin = diverged();
    origin.git("branch", "-q", "-m", "main", "trunk");
    const fork = origin.git("rev-parse", "trunk~1");
    const folder = path.join(temporaryFolder(), "clone");
    origin.git("clone", "-q", origin.root, folder);
    const r = openRepository(folder);
    const trunk = r.git("rev-parse", "HEAD");
    expect(await r.facts()).toMatchObject({
      branch: "trunk",
      ahead: 0,
      behind: 0,
      base: { sha: trunk, from: "upstream" },
    });
    r.commit("unpushed");
    expect(await r.facts()).toMatchObject({ ahead: 1, base: { sha: trunk, from: "upstream" } });
    // A pushed branch: its own copy says only what was pushed, not where the work began.
    r.git("checkout", "-q", "feat");
    expect(await r.facts()).toMatchObject({ ahead: 0, base: { sha: fork, from: "default_branch" } });
    r.commit("more on feat");
    expect(await r.facts()).toMatchObject({ ahead: 1, base: { sha: fork, from: "default_branch" } });
    r.git("update-ref", "-d", "refs/remotes/origin/feat");
    const gone = await r.facts();
    expect(gone).toMatchObject({ ahead: null, behind: null, base: { sha: fork, from: "default_branch" } });
    expect(gone.diagnostics).toEqual([]);
    r.git("checkout", "-q", "--orphan", "unrelated");
    r.commit("root of its own");
    expect(codes(await r.facts())).toEqual(["git.base_unknown"]);
  });

  it("P10 a base that does not resolve is diagnosed, and the next source is used; none is read as an option", async () => {
    const r = diverged();
    r.git("checkout", "-q", "feat");
    r.git("branch", "deadbeef");
    const byDefault = { sha: r.git("rev-parse", "main~1"), from: "default_branch" };
    for (const base of [
      "nope",
      "--all",
      "-h",
      "^main",
      "main..feat",
      "HEAD:file",
      "",
      "a\0b",
      "HEAD\nmain",
    ]) {
      const facts = await r.facts({ base });
      expect(facts.base).toEqual(byDefault);
      expect(facts.diagnostics).toEqual([
        {
          code: "git.base_unresolved",
          severity: "error",
          artifact: "git",
          source: null,
          args: { rev: base },
        },
      ]);
    }
    for (const sessionBase of ["main", "HEAD", "deadbeef", "0".repeat(40), "--all", ":/on"]) {
      const facts = await r.facts({ sessionBase });
      expect(facts.base).toEqual(byDefault);
      expect(facts.diagnostics.map((d) => [d.code, d.severity])).toEqual([["git.base_unresolved", "warn"]]);
    }
  });

  it("P10 subjects as found: NUL-safe, several lines folded, invalid UTF-8 replaced, other encodings decoded", async () => {
    const r = makeRepository();
    const base = r.commit("one");
    r.git("commit", "-q", "--allow-empty", "-m", "first line\nstill the subject\n\nbody");
    r.git("commit", "-q", "--allow-empty", "-m", "ansi \u001b[31mred <!-- @x #1");
    const tree = r.git("rev-parse", "HEAD^{tree}");
    const raw = (message: Buffer, encoding = ""): void => {
      const parent = r.git("rev-parse", "HEAD");
      const body = Buffer.concat([
        Buffer.from(
          `tree ${tree}\nparent ${parent}\nauthor A <a> 1700000600 +0000\ncommitter A <a> 1700000600 +0000\n${encoding}\n`,
        ),
        message,
      ]);
      const sha = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], {
        cwd: r.root,
        env: TEST_ENV,
        input: body,
      });
      r.git("update-ref", "HEAD", sha.toString("utf8").trim());
    };
    raw(Buffer.from([0x63, 0xe9, 0x66, 0x0a]));
    raw(Buffer.from([0x63, 0xe9, 0x0a]), "encoding ISO-8859-1\n");
    raw(Buffer.from(""));
    const facts = await r.facts({ base });
    expect(facts.commits.map((c) => c.subject)).toEqual([
      "",
      "cé",
      "c\u{fffd}f",
      "ansi \u001b[31mred <!-- @x #1",
      "first line still the subject",
    ]);
    expect(facts.head).toEqual({
      sha: r.git("rev-parse", "HEAD"),
      subject: "",
      committed_at: 1_700_000_600_000,
    });
  });

  it("P10 stashes are counted", async () => {
    const r = makeRepository();
    r.write("a", "1\n");
    r.commit("one");
    expect((await r.facts()).stashes).toBe(0);
    for (const text of ["2\n", "3\n"]) {
      r.write("a", text);
      r.git("stash", "-q");
    }
    expect((await r.facts()).stashes).toBe(2);
  });

  it("P43 the top level of a folder, or null", async () => {
    const r = makeRepository();
    mkdirSync(path.join(r.root, "a/b"), { recursive: true });
    const link = path.join(temporaryFolder(), "link");
    symlinkSync(path.join(r.root, "a"), link);
    expect(await findTopLevel(path.join(r.root, "a/b"), TEST_ENV)).toBe(r.root);
    expect(await findTopLevel(link, TEST_ENV)).toBe(r.root);
    expect(await findTopLevel(path.join(r.root, ".git"), TEST_ENV)).toBeNull();
    expect(await findTopLevel(temporaryFolder(), TEST_ENV)).toBeNull();
    expect(await findTopLevel(r.root, { PATH: "" })).toBeNull();
  });
});

describe("operations in progress", () => {
  it.each<[string, string, (r: TestRepository) => void]>([
    ["merge", "main", (r) => r.tryGit("merge", "feat")],
    ["cherry-pick", "main", (r) => r.tryGit("cherry-pick", "feat")],
    ["revert", "main", (r) => r.tryGit("revert", "--no-edit", "HEAD~1")],
    ["rebase", "main", (r) => r.tryGit("rebase", "feat")],
    ["rebase", "main", (r) => r.tryGit("rebase", "--apply", "feat")],
  ])("P10 %s with a conflict, on %s", async (operation, branch, start) => {
    const r = diverged();
    if (operation === "revert") {
      r.write("file", "again\n");
      r.commit("again");
    }
    start(r);
    const facts = await r.facts({ base: "HEAD" });
    expect([facts.operation, facts.branch, facts.dirty]).toEqual([operation, branch, true]);
    expect(rowTexts(facts)).toEqual(["conflicted file +4 -0"]);
    expect(facts.detached).toBe(operation === "rebase");
  });

  it("P10 a conflict between a deletion and a change, and one of an added file, are conflicted rows", async () => {
    const r = diverged();
    r.write("both", "main\n");
    r.git("rm", "-q", "file");
    r.commit("main deletes, adds");
    r.git("checkout", "-q", "feat");
    r.write("both", "feat\n");
    r.commit("feat adds");
    r.tryGit("merge", "main");
    const facts = await r.facts({ base: "HEAD" });
    expect(facts.changes.map((c) => [c.change, c.path, c.committed])).toEqual([
      ["conflicted", "both", false],
      ["conflicted", "file", false],
    ]);
  });

  it("P10 bisect; and a series of cherry-picks stopped between two commits", async () => {
    const r = diverged();
    r.git("bisect", "start", "HEAD", "HEAD~1");
    expect((await r.facts()).operation).toBe("bisect");
    r.git("bisect", "reset");
    expect((await r.facts()).operation).toBeNull();
    r.git("checkout", "-q", "feat");
    r.commit("feat two");
    r.git("checkout", "-q", "main");
    r.tryGit("cherry-pick", "feat~1", "feat");
    r.git("checkout", "-q", "--theirs", "file");
    r.git("add", "file");
    r.git("commit", "-q", "--allow-empty", "-m", "by hand");
    expect(readdirSync(path.join(r.root, ".git"))).not.toContain("CHERRY_PICK_HEAD");
    expect((await r.facts()).operation).toBe("cherry-pick");
  });
});

describe("S11 the folder of own files", () => {
  it.each([".", "sub"])("is not listed, and nothing else is missed (root %s)", async (root) => {
    const r = diverged();
    const folder = path.join(r.root, root);
    for (const name of [
      "outputs/handoff/s-1/handoff.json",
      "outputs/other",
      "outputs/handoff-not",
      "deep/new",
    ]) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), "x\n");
    }
    r.write("file", "changed\n");
    r.write("beside", "x\n");
    const isOwnPath = (name: string): boolean => name.startsWith("outputs/handoff/");
    const all = await readGitFacts(folder, { ...options, base: "HEAD", isOwnPath });
    const ownFolder = "outputs/handoff";
    expect(await readGitFacts(folder, { ...options, base: "HEAD", isOwnPath, ownFolder })).toEqual(all);
    // The predicate has nothing left to do for that folder.
    const without = await readGitFacts(folder, { ...options, base: "HEAD", ownFolder });
    expect(without.changes).toEqual(all.changes);
    expect(all.changes.length).toBeGreaterThanOrEqual(4);
  });
});
