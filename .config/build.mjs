// Builds dist/: one bundled command line that starts fast, one library that leaves its dependencies to npm, and types.
// Both live two folders below the package root, as src/<room>/ does, so ../../templates and ../../schemas resolve alike.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { builtInTemplatesPlugin } from "./built-in-templates-plugin.mjs";
import { compiledSchemaPlugin } from "./compiled-schema-plugin.mjs";
import { asCommonJs, buildHooks, hookApart } from "./hook-build.mjs";
import { licencesPlugin } from "./licences-plugin.mjs";

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
const cli = path.join(dist, "cli");
/** For main.js: everything else lies beside it. */
const commandLineApart = {
  name: "command-line-apart",
  setup: (esbuild) =>
    esbuild.onResolve({ filter: /[\\/]run-command-line\.js$/ }, () => ({
      path: "./command-line.cjs",
      external: true,
    })),
};
const lean = {
  ...common,
  minifySyntax: true,
  // A start reads and scans every byte that it loads. Names stay, for those who read a stack trace.
  minifyWhitespace: true,
};
const plugins = [compiledSchemaPlugin, await builtInTemplatesPlugin(lean, cli)];
const { outputFiles } = await build({
  ...lean,
  entryPoints: { "command-line": "src/cli/run-command-line.ts" },
  outdir: cli,
  chunkNames: "chunk-[hash]",
  plugins: [...plugins, licencesPlugin(cli)],
  write: false,
});
for (const [file, code] of await asCommonJs(outputFiles, lean.target)) writeFileSync(file, code);
for (const { path: file, text } of outputFiles) if (file.endsWith(".LEGAL.txt")) writeFileSync(file, text);
const plan = await buildHooks(lean, cli, plugins);
// CommonJS, which Node starts faster: the whole way of a hook is.
await build({
  ...lean,
  splitting: false,
  entryPoints: { main: "src/cli/main.ts" },
  outdir: cli,
  format: "cjs",
  supported: { "dynamic-import": false },
  plugins: [hookApart(plan), commandLineApart],
});
writeFileSync(path.join(cli, "package.json"), '{"type":"commonjs"}\n');
chmodSync(path.join(cli, "main.js"), 0o755);
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
