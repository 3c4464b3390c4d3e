// The template that new pull requests start from, with a place for our block (A17).
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ExtraFile } from "../../install/plan-run.js";
import { withoutPrBlock, withPrBlock } from "../../render/pr-template-block.js";
import { findTopLevel } from "../../workbench/git/find-top-level.js";
import type { Terminal } from "../terminal.js";

/** A template, and the repository it is of. Both absolute. */
export interface PrTemplate {
  readonly file: string;
  readonly top: string;
}

/** GitHub takes the name in any case, so one that is there is the one. */
export async function findPrTemplate(root: string, env: Terminal["env"]): Promise<PrTemplate> {
  const top = (await findTopLevel(root, { ...env })) ?? root;
  const folder = path.join(top, ".github");
  const names = await readdir(folder).catch(() => []);
  const name = names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .find((one) => /^pull_request_template\.md$/iu.test(one));
  return { file: path.join(folder, name ?? "PULL_REQUEST_TEMPLATE.md"), top };
}

/** The change of the template. It is the repository's own: a link that leads out of it is not followed (P43). */
export function prTemplateChange({ file, top }: PrTemplate, uninstalls: boolean): ExtraFile {
  return {
    what: "pr_template",
    path: file,
    base: top,
    change: (text) => {
      if (!uninstalls) return withPrBlock(text ?? "");
      return text === null ? null : withoutPrBlock(text);
    },
  };
}
