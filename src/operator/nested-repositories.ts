// Repositories inside an attempt's tree, submodules among them (O7): a commit of ours only names them, so what is nowhere else would go
// with the tree.
import { existsSync } from "node:fs";
import path from "node:path";
import { HANDOFF_FOLDER } from "../io/handoff-folder.js";
import type { Environment } from "../session/open-workbench.js";
import { gitIn } from "./attempt-git.js";

/** Where to look. */
interface Place {
  /** A top level. */
  readonly tree: string;
  readonly env: Environment;
}

/** Files that were not committed, a stash, commits on no remote's branch. */
async function hasOwnWork({ tree, env }: Place): Promise<boolean> {
  const git = gitIn(tree, env);
  const changes = await git.ask(["status", "--porcelain"]);
  const stash = await git.ask(["rev-parse", "--verify", "--quiet", "refs/stash"]);
  const unknown = await git.ask(["rev-list", "--max-count=1", "HEAD", "--branches", "--not", "--remotes"]);
  return !changes.ok || changes.out !== "" || stash.ok || !unknown.ok || unknown.out !== "";
}

/** Folders with a repository of their own: those that `commit` names, and those that are ignored. */
async function placesIn({ tree, env }: Place, commit: string): Promise<string[]> {
  const git = gitIn(tree, env);
  const listed = await git.run(["ls-tree", "-r", "-z", "--full-tree", commit]);
  const links = listed.split("\0").flatMap((row) => /^160000 [^\t]*\t(.*)$/su.exec(row)?.[1] ?? []);
  const elsewhere = `:(exclude)${HANDOFF_FOLDER}`;
  const kinds = ["--others", "--ignored", "--exclude-standard", "--directory"];
  const ignored = await git.ask(["ls-files", "-z", ...kinds, "--", elsewhere]);
  const folders = ignored.ok ? ignored.out.split("\0").filter((name) => name.endsWith("/")) : [];
  const all = [...links, ...folders.map((name) => name.slice(0, -1))];
  return all.filter((name) => existsSync(path.join(tree, name, ".git")));
}

/** Those with work of their own, by their way from the tree; `commit` is all that was kept. Throws RefusalError `attempt.git`. */
export async function nestedRepositories(place: Place, commit: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await placesIn(place, commit)) {
    const inner = { ...place, tree: path.join(place.tree, name) };
    if (await hasOwnWork(inner)) found.push(name);
    else found.push(...(await nestedRepositories(inner, "HEAD")).map((one) => `${name}/${one}`));
  }
  return found;
}
