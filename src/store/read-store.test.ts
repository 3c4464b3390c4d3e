// S4 a reader beside the store's first writer: the built command line, stopped between its two looks.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { useCli } from "../cli/testing/use-cli.js";

const { bench, folder, run, start } = useCli();

test("S4 an index that was put there while the packets were looked through is the index, and nothing is said", async () => {
  const root = bench();
  await run(root, "generate");
  const index = path.join(root, "outputs/handoff/index.json");
  const text = readFileSync(index, "utf8");
  const alone = await run(root, "list");
  const scratch = folder();
  const [looked, go, preload] = ["looked", "go", "preload.mjs"].map((name) => path.join(scratch, name));
  writeFileSync(
    preload ?? "",
    `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { readdir } = fs.promises;
fs.promises.readdir = async (folder, ...rest) => {
  if (folder === ${JSON.stringify(path.dirname(index))}) {
    fs.writeFileSync(${JSON.stringify(looked)}, "");
    while (!fs.existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return readdir(folder, ...rest);
};
syncBuiltinESMExports();
`,
  );
  rmSync(index);
  const listing = start(["list"], { cwd: root, env: { NODE_OPTIONS: `--import=${preload}` } });
  await expect.poll(() => existsSync(looked ?? ""), { timeout: 20_000 }).toBe(true);
  writeFileSync(index, text);
  writeFileSync(go ?? "", "");
  expect(await listing).toEqual(alone);
  expect([alone.code, alone.stderr]).toEqual([0, ""]);
});
