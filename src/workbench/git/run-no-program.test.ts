// Nothing that a repository's configuration names is ever run or written (P9), in the superproject or in a submodule.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readBranch } from "../read-branch.js";
import { findTopLevel } from "./find-top-level.js";
import { readMerged } from "./read-merged.js";
import { resolveCommits } from "./resolve-commits.js";
import { openBudget } from "./run-git.js";
import {
  codes,
  makeRepository,
  rowTexts,
  temporaryFolder,
  TEST_ENV,
  type TestRepository,
} from "./test-repository.js";

/** A folder in which every program that ran leaves a file. */
function makeCanary(): { readonly command: (name: string) => string; readonly ran: () => string[] } {
  const folder = temporaryFolder();
  return {
    command: (name) => `touch '${folder}/${name}'; cat`,
    ran: () => readdirSync(folder),
  };
}

type Canary = ReturnType<typeof makeCanary>;

/** Two commits, a file of the same size as the index's but other times and content: git must hash it to know. */
function makeTouched(root?: string): TestRepository {
  const r = makeRepository(root);
  r.write("f", "1\n");
  r.write("b.bin", Buffer.from([0, 1]));
  r.write("same", "1\n");
  r.commit("one");
  r.git("commit", "-q", "--allow-empty", "-m", "two");
  r.write("f", "2\n");
  r.write("b.bin", Buffer.from([0, 2]));
  for (const file of ["f", "b.bin", "same"])
    utimesSync(path.join(r.root, file), 1_600_000_000, 1_600_000_000);
  return r;
}

/** Everything that asks git about a working tree. */
async function readAll(r: TestRepository) {
  const base = r.git("rev-list", "--max-parents=0", "HEAD");
  const facts = await r.facts({ base });
  await r.facts();
  await Promise.all([
    readBranch(r.root, TEST_ENV),
    findTopLevel(r.root, TEST_ENV),
    resolveCommits(r.root, facts, [base.slice(0, 8)], { env: TEST_ENV }),
    readMerged(r.root, [base], "other", TEST_ENV),
  ]);
  return facts;
}

const CHANGED = ["modified b.bin +? -?", "modified f +1 -1"];

/** Ways to bind a driver to every file. */
const BINDINGS: Readonly<Record<string, (r: TestRepository, attributes: string) => void>> = {
  "info/attributes": (r, attributes) =>
    writeFileSync(path.join(r.root, r.git("rev-parse", "--git-path", "info/attributes")), attributes),
  "core.attributesFile": (r, attributes) => {
    const file = path.join(temporaryFolder(), "attributes");
    writeFileSync(file, attributes);
    r.git("config", "core.attributesFile", file);
  },
};

function addDriver(r: TestRepository, canary: Canary, name: string, keys: readonly string[]): void {
  for (const key of keys) {
    r.git("config", `filter.${name}.${key}`, key === "required" ? "true" : canary.command(key));
  }
}

describe("P9 filter drivers never run", () => {
  it.each(
    Object.keys(BINDINGS).flatMap((binding) =>
      [["clean"], ["process"], ["smudge", "clean", "required"], ["clean", "process", "required"]].map(
        (keys) => [binding, keys] as const,
      ),
    ),
  )("bound by %s, with %j: the rows are there, the touched file is not", async (binding, keys) => {
    const r = makeTouched();
    const canary = makeCanary();
    addDriver(r, canary, "x", keys);
    BINDINGS[binding]?.(r, "* filter=x\n");
    const facts = await readAll(r);
    expect(canary.ran()).toEqual([]);
    expect(facts.diagnostics).toEqual([]);
    // What would be stored is not known, so no lines are counted; a file that lies as it is stored has no row.
    expect(rowTexts(facts)).toEqual(["modified b.bin +? -?", "modified f +? -?"]);
    // The canary is alive: git itself does run it.
    r.tryGit("status");
    expect(canary.ran()).not.toEqual([]);
  });

  it("bound by a committed .gitattributes, with the driver from an included file and from the user's own", async () => {
    const r = makeTouched();
    const canary = makeCanary();
    r.write(".gitattributes", "f filter=x\nb.bin filter=y\n");
    r.git("add", ".gitattributes");
    r.git("commit", "-q", "-m", "attributes");
    const included = path.join(temporaryFolder(), "included");
    writeFileSync(included, `[filter "x"]\n\tclean = "${canary.command("included")}"\n`);
    r.git("config", "include.path", included);
    const mine = path.join(temporaryFolder(), "mine");
    writeFileSync(mine, `[filter "y"]\n\tprocess = "${canary.command("mine")}"\n\trequired\n`);
    const facts = await r.facts({ base: "HEAD", env: { ...TEST_ENV, GIT_CONFIG_GLOBAL: mine } });
    expect(canary.ran()).toEqual([]);
    expect(rowTexts(facts)).toEqual(["modified b.bin +? -?", "modified f +? -?"]);
    expect(facts.diagnostics).toEqual([]);
  });

  it.each(["", "a.b", "A b", "ünï", 'q"q', "a'b", "-x", "$(x)"])("under the name %j", async (name) => {
    const r = makeTouched();
    const canary = makeCanary();
    addDriver(r, canary, name, ["clean", "required"]);
    BINDINGS["info/attributes"]?.(r, `* "filter=${name}"\n* filter=${name}\n`);
    const facts = await readAll(r);
    expect([canary.ran(), facts.diagnostics]).toEqual([[], []]);
    expect(facts.changes.map(({ path: file }) => file)).toEqual(["b.bin", "f"]);
  });

  it.each([
    ["an equals sign in its name", '[filter "a=b"]\n\tclean = "CANARY"\n', "* filter=a=b\n"],
    ["a name that is not UTF-8", '[filter "\u00e9"]\n\tclean = "CANARY"\n', "* filter=\u00e9\n"],
    [
      "thousands of others beside it",
      Array.from({ length: 2000 }, (_, i) => `[filter "driver-number-${i}"]\n\tclean = "CANARY"\n`).join(""),
      "* filter=driver-number-7\n",
    ],
  ])(
    "that cannot be switched off (%s): the working tree is not looked at, and that is said",
    async (_, config, attributes) => {
      const r = makeTouched();
      const canary = makeCanary();
      const text = config.replaceAll("CANARY", canary.command("x"));
      appendFileSync(path.join(r.root, ".git/config"), Buffer.from(text, "latin1"));
      writeFileSync(path.join(r.root, ".git/info/attributes"), Buffer.from(attributes, "latin1"));
      const facts = await readAll(r);
      expect(canary.ran()).toEqual([]);
      expect([facts.branch, facts.head?.subject, facts.dirty, facts.changes]).toEqual([
        "main",
        "two",
        true,
        [],
      ]);
      expect(facts.diagnostics.map((d) => [d.code, d.severity])).toEqual([["git.failed", "error"]]);
      r.tryGit("status");
      expect(canary.ran()).toEqual(["x"]);
    },
  );

  it("P10 a large file is compared with its pointer: touched is unchanged, other content is modified, staged stays", async () => {
    const r = makeRepository();
    const canary = makeCanary();
    const pointer = (content: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash("sha256").update(content).digest("hex")}\nsize ${content.length}\n`;
    const contents = {
      touched: "big\0one",
      edited: "big\0two",
      resized: "big\0three",
      unsmudged: "big\0four",
    };
    for (const [name, content] of Object.entries(contents)) r.write(`${name}.lfs`, pointer(content));
    r.write("plain", pointer("plain"));
    const base = r.commit("pointers");
    r.write(".gitattributes", "*.lfs filter=lfs -text\n");
    r.commit("attributes");
    addDriver(r, canary, "lfs", ["clean", "process", "smudge", "required"]);
    r.write("touched.lfs", contents.touched);
    r.write("edited.lfs", "big\0TWO");
    r.write("resized.lfs", "big");
    r.write("plain", "plain"); // under no filter: git stores what lies there
    const facts = await r.facts({ base });
    expect(rowTexts(facts)).toEqual([
      "added* .gitattributes +1 -0",
      "modified edited.lfs +? -?",
      "modified plain +1 -3",
      "modified resized.lfs +? -?",
    ]);
    r.write("edited.lfs", contents.edited);
    r.write("resized.lfs", contents.resized);
    r.write("plain", pointer("plain"));
    const clean = await r.facts({ base: "HEAD" });
    expect([clean.dirty, rowTexts(clean), clean.diagnostics, canary.ran()]).toEqual([false, [], [], []]);
  });
});

/** Every other setting that names a program, or a file to write. */
function plantPrograms(r: TestRepository, canary: Canary): void {
  const settings: Readonly<Record<string, string>> = {
    "core.sshCommand": "ssh",
    "core.gitProxy": "proxy",
    "core.fsmonitor": "fsmonitor",
    "core.alternateRefsCommand": "alternates",
    "core.pager": "pager",
    "core.editor": "editor",
    "core.askPass": "askpass",
    "pager.status": "pager-status",
    "pager.log": "pager-log",
    "diff.external": "external",
    "diff.d.command": "diff-command",
    "diff.d.textconv": "textconv",
    "merge.d.driver": "merge",
    "uploadpack.packObjectsHook": "pack-objects",
    "credential.helper": "!credential",
    "gpg.program": "gpg",
    "gpg.ssh.program": "gpg-ssh",
    "alias.status": "!alias",
    "alias.log": "!alias-log",
    "submodule.sub.update": "!update",
    "remote.origin.uploadpack": "uploadpack",
  };
  for (const [key, name] of Object.entries(settings)) {
    const command = canary.command(name.replace("!", ""));
    r.git("config", key, name.startsWith("!") ? `!${command}` : command);
  }
  const hooks = temporaryFolder();
  for (const hook of [
    "post-index-change",
    "reference-transaction",
    "post-checkout",
    "pre-auto-gc",
    "fsmonitor-watchman",
  ]) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\n${canary.command(hook)} >/dev/null\n`, { mode: 0o755 });
  }
  for (const [key, value] of Object.entries({
    "core.hooksPath": hooks,
    "log.showSignature": "true",
    "diff.d.cachetextconv": "true",
    "diff.submodule": "log",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "core.untrackedCache": "true",
    "core.splitIndex": "true",
    "remote.origin.url": "ssh://nowhere.invalid/x",
    "remote.origin.promisor": "true",
    "protocol.allow": "always",
    "trace2.eventTarget": path.join(hooks, "trace"),
    "trace2.normalTarget": path.join(hooks, "trace"),
  })) {
    r.git("config", key, value);
  }
  writeFileSync(path.join(r.root, r.git("rev-parse", "--git-path", "info/attributes")), "* diff=d merge=d\n");
}

describe("P9 no other configured program runs", () => {
  it("in a repository with all of them, a signed commit and a missing object", async () => {
    const r = makeTouched();
    const canary = makeCanary();
    const head = r.git("cat-file", "commit", "HEAD");
    const signed = head.replace(
      "\n\n",
      "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
    );
    const sha = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
      cwd: r.root,
      env: TEST_ENV,
      input: `${signed}\n`,
    });
    r.git("update-ref", "HEAD", sha.toString("utf8").trim());
    const blob = r.git("rev-parse", "HEAD:f");
    plantPrograms(r, canary);
    const left = canary.ran().length; // what git ran while the settings were made
    const before = readdirSync(path.join(r.root, ".git")).sort();
    expect(rowTexts(await readAll(r))).toEqual(CHANGED);
    rmSync(path.join(r.root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    expect(codes(await readAll(r))).toContain("git.failed");
    expect(canary.ran()).toHaveLength(left);
    expect(left).toBe(0);
    expect(readdirSync(path.join(r.root, ".git")).sort()).toEqual(before);
  });

  it.each([
    ["a local path", { "remote.origin.url": "/" }],
    ["a command", { "remote.origin.url": "ext::sh -c COMMAND" }],
    ["a helper of its own", { "remote.origin.vcs": "ext", "remote.origin.url": "sh -c COMMAND" }],
    ["a proxied host", { "remote.origin.url": "git://nowhere.invalid/x" }],
  ])("when objects are missing and the remote that promises them is %s", async (_, settings) => {
    const r = makeTouched();
    const canary = makeCanary();
    const blob = r.git("rev-parse", "HEAD:f");
    plantPrograms(r, canary);
    for (const [key, value] of Object.entries(settings)) {
      r.git("config", key, value.replace("COMMAND", canary.command("transport").replaceAll(" ", "% ")));
    }
    r.git("config", "protocol.ext.allow", "always");
    rmSync(path.join(r.root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    const facts = await readAll(r);
    expect(canary.ran()).toEqual([]);
    expect(rowTexts(facts)).toEqual(["modified b.bin +? -?", "modified f +? -?"]);
    expect(codes(facts)).toEqual(["git.failed"]);
    expect(existsSync(path.join(r.root, ".git/FETCH_HEAD"))).toBe(false);
  });

  it("nor is a trace written that the user's own configuration asks of every git", async () => {
    const r = makeTouched();
    const folder = temporaryFolder();
    const mine = path.join(temporaryFolder(), "mine");
    writeFileSync(
      mine,
      `[trace2]\n\teventTarget = ${folder}/event\n\tnormalTarget = ${folder}/normal\n\tperfTarget = ${folder}/perf\n`,
    );
    expect(rowTexts(await r.facts({ env: { ...TEST_ENV, GIT_CONFIG_GLOBAL: mine } }))).toEqual(CHANGED);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("and a core.worktree that points elsewhere has nothing written there", async () => {
    const r = makeTouched();
    const canary = makeCanary();
    const elsewhere = temporaryFolder();
    r.git("config", "core.worktree", elsewhere);
    addDriver(r, canary, "x", ["clean", "process"]);
    writeFileSync(path.join(r.root, ".git/info/attributes"), "* filter=x\n");
    writeFileSync(path.join(elsewhere, "f"), "2\n");
    const facts = await readAll(r);
    expect([facts.available, canary.ran(), readdirSync(elsewhere)]).toEqual([true, [], ["f"]]);
  });
});

/** A superproject with a submodule `sub`, in which another one, `deep`, lies. */
function makeSuper(): { r: TestRepository; sub: TestRepository; deep: TestRepository; base: string } {
  const leaf = makeRepository();
  leaf.write("f", "1\n");
  leaf.commit("leaf");
  const middle = makeRepository();
  middle.write("f", "1\n");
  middle.git("submodule", "--quiet", "add", leaf.root, "deep");
  middle.commit("middle");
  const r = makeRepository();
  r.write("f", "1\n");
  r.git("submodule", "--quiet", "add", middle.root, "sub");
  r.git("submodule", "--quiet", "update", "--init", "--recursive");
  const base = r.commit("super");
  const at = (name: string): TestRepository => {
    const root = path.join(r.root, name);
    return {
      ...r,
      root,
      git: (...args) => r.git("-C", root, ...args),
      write: (file, text) => writeFileSync(path.join(root, file), text),
    };
  };
  return { r, sub: at("sub"), deep: at("sub/deep"), base };
}

describe("P9 P10 submodules are looked into without running anything of theirs", () => {
  it.each(["sub", "deep"] as const)("a driver in the configuration of %s", async (where) => {
    const made = makeSuper();
    const { r, base } = made;
    const inner = made[where];
    const canary = makeCanary();
    addDriver(inner, canary, "x", ["clean", "process", "required"]);
    const info = path.resolve(inner.root, inner.git("rev-parse", "--git-path", "info/attributes"));
    mkdirSync(path.dirname(info), { recursive: true });
    writeFileSync(info, "* filter=x\n");
    inner.git("config", "core.fsmonitor", canary.command("fsmonitor"));
    utimesSync(path.join(inner.root, "f"), 1_600_000_000, 1_600_000_000);
    // Even where the repository asks git to look inside.
    r.git("config", "submodule.sub.ignore", "none");
    const touched = await r.facts({ base });
    expect([touched.dirty, rowTexts(touched), touched.diagnostics, canary.ran()]).toEqual([
      false,
      [],
      [],
      [],
    ]);
    inner.write("f", "2\n");
    utimesSync(path.join(inner.root, "f"), 1_600_000_000, 1_600_000_000);
    const changed = await r.facts({ base });
    expect([changed.dirty, rowTexts(changed), changed.diagnostics, canary.ran()]).toEqual([
      true,
      ["modified sub +? -?"],
      [],
      [],
    ]);
    expect(changed.changes[0]?.submodule).toBe(true);
    r.tryGit("status");
    expect(canary.ran()).not.toEqual([]);
  });

  it("an untracked file, a staged one and a new commit inside are one row; a folder that is no checkout is none", async () => {
    const { r, sub, deep, base } = makeSuper();
    deep.write("new", "1\n");
    expect(rowTexts(await r.facts({ base }))).toEqual(["modified sub +? -?"]);
    rmSync(path.join(deep.root, "new"));
    expect(rowTexts(await r.facts({ base }))).toEqual([]);
    sub.write("staged", "1\n");
    sub.git("add", "staged");
    expect(rowTexts(await r.facts({ base }))).toEqual(["modified sub +? -?"]);
    sub.git("commit", "-q", "-m", "inside");
    deep.write("new", "1\n");
    expect(rowTexts(await r.facts({ base }))).toEqual(["modified sub +? -?"]);
    sub.git("reset", "-q", "--hard", "HEAD~1");
    rmSync(path.join(deep.root, "new"));
    r.git("submodule", "--quiet", "deinit", "--all", "-f");
    const empty = await r.facts({ base });
    expect([empty.dirty, rowTexts(empty), empty.diagnostics]).toEqual([false, [], []]);
  });

  it("a submodule with a FIFO for an index is not called clean, and nothing waits for it", async () => {
    const { r, sub, base } = makeSuper();
    const index = path.resolve(sub.root, sub.git("rev-parse", "--git-path", "index"));
    rmSync(index);
    execFileSync("mkfifo", [index]);
    const facts = await r.facts({ base });
    expect([facts.dirty, rowTexts(facts), codes(facts)]).toEqual([
      true,
      ["modified sub +? -?"],
      ["git.failed"],
    ]);
  });
});

describe("P9 P11 what would block or is damaged", () => {
  it("a FIFO for an index: said at once, no call reads it, history is there", async () => {
    const r = makeTouched();
    const base = r.git("rev-parse", "HEAD~1");
    rmSync(path.join(r.root, ".git/index"));
    execFileSync("mkfifo", [path.join(r.root, ".git/index")]);
    const facts = await r.facts({ base });
    expect(facts.diagnostics.map((d) => [d.code, d.severity, d.args])).toEqual([
      ["git.failed", "error", { command: "status", reason: "the index is not a regular file" }],
    ]);
    expect([facts.branch, facts.commits.length, facts.dirty, facts.changes]).toEqual(["main", 1, true, []]);
  });

  it("all calls share one time limit: each that ran out of it is named, and none is started after", async () => {
    const r = makeTouched();
    const fifo = path.join(temporaryFolder(), "fifo");
    execFileSync("mkfifo", [fifo]);
    r.git("config", "core.excludesFile", fifo);
    const facts = await r.facts({ base: "HEAD~1", timeoutMs: 6000 });
    expect(facts.diagnostics.map((d) => [d.code, d.args["command"]])).toEqual([
      ["git.timeout", "status"],
      ["git.timeout", "log"],
      ["git.timeout", "diff-index"],
      ["git.timeout", "symbolic-ref"],
      ["git.timeout", "rev-parse"],
    ]);
    expect(new Set(facts.diagnostics.map((d) => d.args["seconds"]))).toEqual(new Set([6]));
    expect([facts.available, facts.head?.subject, facts.dirty]).toEqual([true, "two", true]);
  });

  it("one time limit for several readers: what the first used up the next does not have", async () => {
    const r = makeTouched();
    rmSync(path.join(r.root, ".git/config"));
    execFileSync("mkfifo", [path.join(r.root, ".git/config")]);
    const timeoutMs = openBudget(300);
    expect(timeoutMs.left()).toBe(300);
    expect(await readBranch(r.root, TEST_ENV, timeoutMs)).toBeNull();
    expect(timeoutMs.left()).toBeLessThan(1);
    const facts = await r.facts({ timeoutMs });
    expect(facts.available).toBe(false);
    expect(facts.diagnostics.map((d) => [d.code, d.args["command"], d.args["seconds"]])).toEqual(
      ["rev-parse", "config", "log", "for-each-ref"].map((command) => ["git.timeout", command, 0.3]),
    );
  });

  it.each([
    ["garbage", "zzz\n"],
    ["nothing", ""],
    ["zero bytes", "\0".repeat(41)],
    ["a loop", "ref: refs/heads/main\n"],
    ["a commit that is not there", `${"1".repeat(40)}\n`],
  ])("a branch whose file holds %s keeps its name, is an error, and invents no row", async (_, content) => {
    const r = makeTouched();
    const base = r.git("rev-parse", "HEAD~1");
    writeFileSync(path.join(r.root, ".git/refs/heads/main"), content);
    const facts = await r.facts();
    expect([facts.branch, facts.unborn, facts.detached, facts.head, facts.dirty, facts.changes]).toEqual([
      "main",
      false,
      false,
      null,
      true,
      [],
    ]);
    expect(new Set(facts.diagnostics.map((d) => `${d.code} ${d.severity}`))).toEqual(
      new Set(["git.failed error"]),
    );
    expect(await readBranch(r.root, TEST_ENV)).toBe("main");
    expect(existsSync(path.join(r.root, ".git/index.lock"))).toBe(false);
    // With a base that was named the working tree can still be compared.
    expect((await r.facts({ base })).changes.map(({ path: file }) => file)).toEqual(["b.bin", "f"]);
  });

  it("a branch that is really called (unknown) and has no commit yet is unborn", async () => {
    const r = makeRepository();
    r.git("symbolic-ref", "HEAD", "refs/heads/(unknown)");
    const facts = await r.facts();
    expect([facts.branch, facts.unborn, codes(facts)]).toEqual(["(unknown)", true, ["git.unborn"]]);
  });
});
