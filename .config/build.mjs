// Builds dist/: one bundled command line that starts fast, one library that leaves its dependencies to npm, and types.
// Both live two folders below the package root, as src/<room>/ does, so ../../templates and ../../schemas resolve alike.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  splitting: true,
  logLevel: "warning",
  legalComments: "linked",
};
await Promise.all([
  build({
    ...common,
    entryPoints: { main: "src/cli/main.ts" },
    outdir: "dist/cli",
    chunkNames: "chunk-[hash]",
    minifySyntax: true,
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  }),
  build({ ...common, entryPoints: { index: "src/index.ts" }, outdir: "dist/lib", packages: "external" }),
]);
chmodSync("dist/cli/main.js", 0o755);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", ".config/tsconfig.build.json"], {
  stdio: "inherit",
});
