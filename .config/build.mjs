// Builds dist/: one bundled command line that starts fast, one library that leaves its dependencies to npm, and types.
// Both live two folders below the package root, as src/<room>/ does, so ../../templates and ../../schemas resolve alike.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { compiledSchemaPlugin } from "./compiled-schema-plugin.mjs";

// `--cli DIR` builds the command line alone, elsewhere: for tests that must not disturb dist/.
const [option, folder] = process.argv.slice(2);
const cliOnly = option === "--cli" && folder !== undefined;
const dist = cliOnly ? path.resolve(folder) : "dist";
const project = path.join(import.meta.dirname, "..");
process.chdir(project);
rmSync(dist, { recursive: true, force: true });
const common = {
  absWorkingDir: project,
  bundle: true,
  // A package's ES module where it has one: named imports then work in lazy imports too, and the rest can be shaken off.
  mainFields: ["module", "main"],
  platform: "node",
  format: "esm",
  target: "node20.19",
  splitting: true,
  logLevel: "warning",
  legalComments: "linked",
};
await build({
  ...common,
  entryPoints: { main: "src/cli/main.ts" },
  outdir: path.join(dist, "cli"),
  chunkNames: "chunk-[hash]",
  minifySyntax: true,
  plugins: [compiledSchemaPlugin],
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
});
chmodSync(path.join(dist, "cli/main.js"), 0o755);
if (!cliOnly) {
  await build({
    ...common,
    entryPoints: { index: "src/index.ts" },
    outdir: "dist/lib",
    packages: "external",
  });
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", ".config/tsconfig.build.json"], {
    stdio: "inherit",
  });
}
