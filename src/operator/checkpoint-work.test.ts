// O6, O7: whatever state an agent leaves its tree in, all of the work is on the branch, or what is not holds the attempt. Real
// repositories and worktrees.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  makeRepository,
  openRepository,
  temporaryFolder,
  TEST_ENV,
  type TestRepository,
} from "../workbench/git/test-repository.js";
import { checkpointWork, notKept } from "./checkpoint-work.js";
import { nestedRepositories } from "./nested-repositories.js";
import { makeTree } from "./worktree.js";

const BRANCH = "handoff/run-1/1";

/** A repository, and a tree of an attempt in it. */
async function useTree(
  prepare: (repository: TestRepository) => void = () => undefined,
): Promise<{ readonly main: TestRepository; readonly tree: TestRepository }> {
  const main = makeRepository();
  for (const file of ["README", "a/one", "b/two", "b/three"]) main.write(file, `${file} at first\n`);
  main.write(".gitignore", "*.log\n/.handoff/\n/vendor/\n");
  main.commit("Start");
  prepare(main);
  const base = main.git("rev-parse", "HEAD");
  const { tree } = await makeTree({ root: main.root, env: TEST_ENV }, { runId: "run-1", attempt: 1, base });
  return { main, tree: openRepository(tree) };
}

const keep = ({ root }: TestRepository): Promise<string> =>
  checkpointWork({ tree: root, branch: BRANCH, subject: "work", env: TEST_ENV });
const lostOf = ({ root }: TestRepository, commit: string): Promise<string | null> =>
  notKept({ tree: root, env: TEST_ENV }, commit);
const nestedIn = ({ root }: TestRepository, commit: string): Promise<string[]> =>
  nestedRepositories({ tree: root, env: TEST_ENV }, commit);

const sparse = (main: TestRepository): void => void main.git("sparse-checkout", "set", "a");
const conflict = (tree: TestRepository): void => {
  tree.git("switch", "--quiet", "-c", "one-side");
  tree.write("README", "one side\n");
  tree.git("commit", "--quiet", "-am", "One");
  tree.git("switch", "--quiet", "-c", "other-side", "HEAD~1");
  tree.write("README", "other side\n");
  tree.git("commit", "--quiet", "-am", "Other");
  tree.tryGit("merge", "one-side");
};

interface Left {
  readonly prepare?: (main: TestRepository) => void;
  readonly act: (tree: TestRepository) => void;
  /** By file: how it begins on the branch; null: it is not there. */
  readonly kept: Readonly<Record<string, string | null>>;
}

const LEFT: Readonly<Record<string, Left>> = {
  "new, staged, staged and changed again, deleted, moved": {
    act: (tree) => {
      tree.write("new", "new\n");
      tree.write("staged", "staged\n");
      tree.write("README", "staged\n");
      tree.git("add", "staged", "README");
      tree.write("README", "and more\n");
      rmSync(path.join(tree.root, "b/two"));
      tree.git("mv", "b/three", "moved");
    },
    kept: {
      new: "new",
      staged: "staged",
      README: "and more",
      "b/two": null,
      "b/three": null,
      moved: "b/three at",
    },
  },
  "named to git and not added; added and gone": {
    act: (tree) => {
      tree.write("named", "named\n");
      tree.git("add", "--intent-to-add", "named");
      tree.write("gone", "gone\n");
      tree.git("add", "gone");
      rmSync(path.join(tree.root, "gone"));
    },
    kept: { named: "named", gone: null },
  },
  "a file where a folder was, a folder where a file was": {
    act: (tree) => {
      rmSync(path.join(tree.root, "b"), { recursive: true });
      tree.write("b", "a file\n");
      rmSync(path.join(tree.root, "README"));
      tree.write("README/inner", "inner\n");
    },
    kept: { b: "a file", "README/inner": "inner" },
  },
  "changes that git was told not to look at": {
    act: (tree) => {
      tree.git("update-index", "--assume-unchanged", "README", "b/three");
      tree.git("update-index", "--skip-worktree", "a/one");
      tree.write("README", "changed\n");
      tree.write("a/one", "changed\n");
      rmSync(path.join(tree.root, "b/three"));
    },
    kept: { README: "changed", "a/one": "changed", "b/three": null, "b/two": "b/two at" },
  },
  "work inside and outside of what is checked out": {
    prepare: sparse,
    act: (tree) => {
      expect(existsSync(path.join(tree.root, "b"))).toBe(false);
      tree.write("a/new", "new\n");
      tree.write("b/new", "new\n");
      tree.write("b/two", "changed\n");
    },
    kept: { "a/new": "new", "b/new": "new", "b/two": "changed", "b/three": "b/three at" },
  },
  "a part that the agent checked out itself": {
    act: (tree) => {
      tree.git("sparse-checkout", "set", "--cone", "--sparse-index", "a");
      tree.write("a/new", "new\n");
    },
    kept: { "a/new": "new", "b/two": "b/two at" },
  },
  "a merge in conflict where only a part is checked out": {
    prepare: sparse,
    act: conflict,
    kept: { README: "<<<<<<<", "b/two": "b/two at" },
  },
  "an index that is locked, split, or not there": {
    prepare: (main) => main.git("config", "core.splitIndex", "true"),
    act: (tree) => {
      tree.write("staged", "staged\n");
      tree.git("add", "staged");
      tree.write("new", "new\n");
      const folder = tree.git("rev-parse", "--absolute-git-dir");
      rmSync(path.join(folder, "index"));
      openRepository(folder).write("index.lock", "");
    },
    kept: { staged: "staged", new: "new", README: "README at" },
  },
  "a branch that was deleted under it": {
    act: (tree) => {
      tree.git("checkout", "--quiet", "--detach");
      tree.git("branch", "--quiet", "-D", BRANCH);
      tree.write("new", "new\n");
    },
    kept: { new: "new", README: "README at" },
  },
};

describe("O6 all of the work is on the branch", () => {
  test.each(Object.entries(LEFT))("O6 %s", async (_, { prepare, act, kept }) => {
    const { main, tree } = await useTree(prepare);
    act(tree);
    const commit = await keep(tree);
    expect(main.git("rev-parse", BRANCH)).toBe(commit);
    const files = main.git("ls-tree", "-r", "--name-only", commit).split("\n");
    const found = Object.entries(kept).map(([file, begin]) => {
      const text = files.includes(file) ? main.git("show", `${commit}:${file}`) : null;
      return [file, text === null ? null : text.slice(0, begin?.length)];
    });
    expect(Object.fromEntries(found)).toEqual(kept);
    // Then nothing is left to keep, and doing it again changes nothing.
    expect(await lostOf(tree, commit)).toBeNull();
    expect(await keep(tree)).toBe(commit);
  });

  test("O6 nothing lies beside the tree for it that would outlive it, were it killed in the middle", async () => {
    const { main, tree } = await useTree();
    const bin = temporaryFolder();
    // Git, writing down where it is told that the index is.
    const spy = `#!/bin/sh\nprintf '%s\\n' "$GIT_INDEX_FILE" >> '${bin}/places'\nPATH='${TEST_ENV["PATH"] ?? ""}' exec git "$@"\n`;
    writeFileSync(path.join(bin, "git"), spy, { mode: 0o755 });
    const env = { ...TEST_ENV, PATH: bin };
    await checkpointWork({ tree: tree.root, branch: BRANCH, subject: "work", env });
    const places = readFileSync(path.join(bin, "places"), "utf8").split("\n").filter(Boolean);
    expect(places.length).toBeGreaterThan(0);
    const own = tree.git("rev-parse", "--absolute-git-dir");
    expect(places.filter((place) => !place.startsWith(`${own}/`))).toEqual([]);
    expect(readdirSync(own).filter((name) => name.startsWith("handoff-"))).toEqual([]);
    expect(main.git("status", "--porcelain")).toBe("");
  });

  test("O6 links and executable files stay what they are", async () => {
    const { main, tree } = await useTree();
    symlinkSync("nowhere", path.join(tree.root, "link"));
    chmodSync(path.join(tree.root, "README"), 0o755);
    const listed = main.git("ls-tree", await keep(tree));
    expect(listed).toMatch(/^120000 blob \w+\tlink$/mu);
    expect(listed).toMatch(/^100755 blob \w+\tREADME$/mu);
  });

  test("O6 a tree that a later start takes over has everything checked out that it had, and no more", async () => {
    const { main, tree } = await useTree(sparse);
    tree.write("a/new", "new\n");
    const base = await keep(tree);
    await makeTree({ root: main.root, env: TEST_ENV }, { runId: "run-1", attempt: 2, base });
    expect(tree.git("symbolic-ref", "HEAD")).toBe("refs/heads/handoff/run-1/2");
    expect(tree.git("status", "--porcelain")).toBe("");
  });
});

describe("O7 what no commit can hold holds the attempt", () => {
  test("O7 a file that cannot be added: the others are on the branch, and git's words are told", async () => {
    const { main, tree } = await useTree();
    main.git("config", "filter.broken.clean", "false");
    main.git("config", "filter.broken.required", "true");
    tree.write(".gitattributes", "*.bin filter=broken\n");
    tree.write("one.bin", "binary\n");
    tree.write("zzz", "last\n");
    makeRepository(path.join(tree.root, "no-commit-yet")).write("file", "work\n");
    const commit = await keep(tree);
    expect(main.git("show", `${commit}:zzz`)).toBe("last");
    expect(await lostOf(tree, commit)).toMatch(/^something in its tree is on no commit \(\w+: /u);
  });

  test("O7 what was written after the checkpoint", async () => {
    const { tree } = await useTree();
    const commit = await keep(tree);
    expect(await lostOf(tree, commit)).toBeNull();
    tree.git("update-index", "--assume-unchanged", "README");
    tree.write("README", "too late\n");
    expect(await lostOf(tree, commit)).toBe("something in its tree was changed after the checkpoint");
  });

  const upstream = (): string => {
    const repository = makeRepository(temporaryFolder());
    repository.write("file", "upstream\n");
    repository.commit("Upstream");
    return repository.root;
  };
  const clone = (tree: TestRepository, folder: string): TestRepository => {
    mkdirSync(path.dirname(path.join(tree.root, folder)), { recursive: true });
    tree.git("clone", "--quiet", upstream(), folder);
    return openRepository(path.join(tree.root, folder));
  };

  test.each(["inner", "vendor"])(
    "O7 work in a repository inside, in %s, in each of its ways",
    async (name) => {
      const { tree } = await useTree();
      const inner = clone(tree, name);
      const isHeld = async (): Promise<string[]> => nestedIn(tree, await keep(tree));
      // What its remote has needs no keeping.
      expect(await isHeld()).toEqual([]);
      inner.write("file", "changed\n");
      expect(await isHeld()).toEqual([name]);
      inner.git("stash", "--quiet");
      expect(await isHeld()).toEqual([name]);
      inner.git("stash", "drop", "--quiet");
      expect(await isHeld()).toEqual([]);
      inner.git("switch", "--quiet", "-c", "own");
      inner.write("file", "own\n");
      inner.commit("Own");
      expect(await isHeld()).toEqual([name]);
      inner.git("switch", "--quiet", "main");
      expect(await isHeld()).toEqual([name]);
      inner.git("branch", "--quiet", "-D", "own");
      expect(await isHeld()).toEqual([]);
      const deep = clone(inner, "deep");
      inner.git("add", "deep");
      inner.git("commit", "--quiet", "-m", "Deep");
      inner.git("update-ref", "refs/remotes/origin/main", "HEAD");
      deep.git("commit", "--quiet", "--allow-empty", "-m", "Own");
      inner.git("add", "deep");
      inner.git("commit", "--quiet", "-m", "Deeper");
      inner.git("update-ref", "refs/remotes/origin/main", "HEAD");
      expect(await isHeld()).toEqual([`${name}/deep`]);
      expect(readFileSync(path.join(deep.root, "file"), "utf8")).toBe("upstream\n");
    },
  );
});
