// What a working tree holds at this moment, as a tree object (O6), made beside its index: nothing that was staged is lost by it.
// Git leaves out what it was told not to look at; what an agent changed there is work all the same.
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { HANDOFF_FOLDER } from "../io/handoff-folder.js";
import { type AttemptGit, gitLine } from "./attempt-git.js";

/** Files of handoff's own that are new; what the project tracks is the project's. */
const EXCLUDED = [":(top)", `:(top,exclude)${HANDOFF_FOLDER}`, `:(top,exclude,glob)**/${HANDOFF_FOLDER}/**`];
/** A part of the files is checked out, and the agent wrote elsewhere: that counts, too. */
const EVERYWHERE = ["-c", "core.sparseCheckout=false"];

export interface Snapshot {
  /** The tree object. */
  readonly content: string;
  /** Why something that is there is not in it, in git's words; null: all of it is. */
  readonly left: string | null;
}

/** A file that git was told not to look at. */
interface Unwatched {
  readonly file: string;
  /** Its letter in `git ls-files -v`: `S` skipped, a small one assumed unchanged. */
  readonly tag: string;
}

const isSkipped = ({ tag }: Unwatched): boolean => tag.toUpperCase() === "S";

/** Those of the tree's own index. */
async function unwatchedFiles(git: AttemptGit): Promise<Unwatched[]> {
  // As it stands in the index: git itself forgets the mark of what is there all the same.
  const { ok, out } = await git.ask([...EVERYWHERE, "ls-files", "-v", "-z"]);
  if (!ok) return [];
  return out.split("\0").flatMap((row) => {
    const found = /^([Sa-z]) (.*)$/su.exec(row);
    return found === null ? [] : [{ tag: found[1] ?? "", file: found[2] ?? "" }];
  });
}

/** The tree's own index, or another one beside it. */
interface IndexChoice {
  readonly index?: string;
}

/** Tells an index something about files. */
async function mark(
  git: AttemptGit,
  choice: IndexChoice,
  how: string,
  files: readonly { readonly file: string }[],
): Promise<void> {
  if (files.length === 0) return;
  const input = files.map(({ file }) => `${file}\0`).join("");
  await git.run([...EVERYWHERE, "update-index", how, "-z", "--stdin"], { ...choice, input });
}

const isThere =
  (top: string) =>
  ({ file }: Unwatched): boolean =>
    existsSync(path.join(top, file));

/**
 * Fills an index, by default the tree's own, with what `commit` has. What is not checked out in the tree at `top` stays so: it
 * does not count as deleted. Throws RefusalError `attempt.git`.
 */
export async function fillFrom(
  git: AttemptGit,
  top: string,
  commit: string,
  choice: IndexChoice = {},
): Promise<void> {
  const skipped = (await unwatchedFiles(git)).filter((one) => isSkipped(one) && !isThere(top)(one));
  await git.run(["read-tree", commit], choice);
  if (skipped.length === 0) return;
  const known = new Set((await git.run(["ls-files", "-z"], choice)).split("\0"));
  const absent = skipped.filter(({ file }) => known.has(file));
  await mark(git, choice, "--skip-worktree", absent);
}

/** An index that knows the tree's files and looks at each that is there. */
async function fillIndex(git: AttemptGit, top: string, own: string, index: string): Promise<void> {
  // Its own knows which files did not change; one with conflicts in it, or none at all, starts from HEAD.
  const isWhole = await git.ask(["ls-files", "--unmerged"]).then(({ ok, out }) => ok && out === "");
  const isCopied =
    isWhole &&
    (await copyFile(own, index).then(
      () => true,
      () => false,
    ));
  if (!isCopied) {
    await fillFrom(git, top, "HEAD", { index });
    return;
  }
  const unwatched = await unwatchedFiles(git);
  const assumed = unwatched.filter(({ tag }) => tag !== "S");
  await mark(git, { index }, "--no-assume-unchanged", assumed);
  const present = unwatched.filter((one) => isSkipped(one) && isThere(top)(one));
  await mark(git, { index }, "--no-skip-worktree", present);
}

/** Settings by which a file whose filter fails is taken as it lies there. */
async function filtersMayFail(git: AttemptGit): Promise<string[]> {
  const { out } = await git.ask(["config", "--name-only", "--get-regexp", "^filter\\..*\\.required$"]);
  return out.split("\n").flatMap((name) => (name === "" ? [] : ["-c", `${name}=false`]));
}

/** Adds all; what one file cannot have is not kept from the others. */
async function addAll(git: AttemptGit, index: string): Promise<Snapshot> {
  const add = async (settings: readonly string[], how: readonly string[]): Promise<string | null> => {
    const tracked = await git.ask([...settings, "add", ...how, "--update", "--", ":(top)"], { index });
    const all = await git.ask([...settings, "add", ...how, "--all", "--", ...EXCLUDED], { index });
    const failed = [tracked, all].find(({ ok }) => !ok);
    return failed === undefined ? null : gitLine(failed.err);
  };
  const left = await add(EVERYWHERE, []);
  if (left === null) return { content: await git.run(["write-tree"], { index }), left };
  const lenient = [...EVERYWHERE, ...(await filtersMayFail(git))];
  await add(lenient, ["--ignore-errors"]);
  // It may look at a file once more, too.
  return { content: await git.run([...lenient, "write-tree"], { index }), left };
}

/** Makes it; `git` is that of the tree whose top level is `top`. Throws RefusalError `attempt.git`. */
export async function snapshotTree(git: AttemptGit, top: string): Promise<Snapshot> {
  // Beside its own, so that what a killed start leaves of it goes with the tree.
  const place = await git.run(["rev-parse", "--absolute-git-dir"]);
  const folder = await mkdtemp(path.join(place, "handoff-index-"));
  try {
    const index = path.join(folder, "index");
    await fillIndex(git, top, path.join(place, "index"), index);
    return await addAll(git, index);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
