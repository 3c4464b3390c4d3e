// The template that new pull requests start from, with a place for our block (A17).
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ExtraFile } from "../../install/plan-run.js";
import { withoutPrBlock, withPrBlock } from "../../render/pr-template-block.js";
import { findTopLevel } from "../../workbench/git/find-top-level.js";
import type { Terminal } from "../terminal.js";

/** GitHub takes the name in any case, so one that is there is the one. */
export async function prTemplateFile(root: string, env: Terminal["env"]): Promise<string> {
  const folder = path.join((await findTopLevel(root, { ...env })) ?? root, ".github");
  const names = await readdir(folder).catch(() => []);
  const name = names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .find((one) => /^pull_request_template\.md$/iu.test(one));
  return path.join(folder, name ?? "PULL_REQUEST_TEMPLATE.md");
}

/** The change of the template. */
export function prTemplateChange(file: string, uninstalls: boolean): ExtraFile {
  return {
    what: "pr_template",
    path: file,
    change: (text) => {
      if (!uninstalls) return withPrBlock(text ?? "");
      return text === null ? null : withoutPrBlock(text);
    },
  };
}
