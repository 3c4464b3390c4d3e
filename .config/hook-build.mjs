// Hooks are a build of their own (A10): CommonJS, since Node starts faster with it, in few files, with nothing in them that only
// a command needs, and with V8's code for them: see load-hook.mjs.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";

/** What is loaded together when one of it is needed: every further file costs more than its bytes. */
const TOGETHER = ["finish-turn", "publish-turn"];
const STEP = new RegExp(`^\\./(?:${TOGETHER.join("|")})\\.js$`);

/** For main.js: hooks lie beside it, and are loaded with their caches. */
export const hookApart = {
  name: "hook-apart",
  setup(esbuild) {
    esbuild.onResolve({ filter: /[\\/]hook-process\.js$/ }, () => ({
      path: "hook",
      namespace: "hook-apart",
    }));
    esbuild.onLoad({ filter: /^hook$/, namespace: "hook-apart" }, () => ({
      contents: `import { hookLoader } from "./.config/load-hook.mjs";
export const runHookProcess = (args) => hookLoader(__dirname).load("hook.cjs").runHookProcess(args);`,
      resolveDir: process.cwd(),
    }));
  },
};

const hookSteps = {
  name: "hook-steps",
  setup(esbuild) {
    esbuild.onResolve({ filter: STEP }, ({ kind, resolveDir }) =>
      kind === "dynamic-import"
        ? { path: "hook-steps", namespace: "hook-steps", pluginData: { resolveDir } }
        : undefined,
    );
    esbuild.onLoad({ filter: /^hook-steps$/, namespace: "hook-steps" }, ({ pluginData }) => ({
      contents: TOGETHER.map((step) => `export * from "./${step}.js";`).join("\n"),
      resolveDir: pluginData.resolveDir,
    }));
  },
};

/** Modules split by esbuild, which needs modules for that, as CommonJS, strict as modules are: by their new files. */
export function asCommonJs(outputFiles, target) {
  const modules = outputFiles.filter((output) => output.path.endsWith(".js"));
  return Promise.all(
    modules.map(async ({ path: file, text }) => {
      const { code } = await transform(text.replaceAll(/"\.\/([\w-]+)\.js"/g, '"./$1.cjs"'), {
        format: "cjs",
        target,
        platform: "node",
        define: { "import.meta.url": "__fileUrl" },
        minifySyntax: true,
        minifyWhitespace: true,
        supported: { "dynamic-import": false },
      });
      const url = 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;';
      return [file.replace(/\.js$/, ".cjs"), `"use strict";${code.includes("__fileUrl") ? url : ""}${code}`];
    }),
  );
}

/** Builds the hooks into `outdir`. */
export async function buildHooks(common, outdir, plugins) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: { hook: "src/recorder/hook-process.ts" },
    outdir,
    chunkNames: "hook-[hash]",
    write: false,
    plugins: [...plugins, hookSteps],
  });
  for (const [file, code] of await asCommonJs(outputFiles, common.target))
    writeFileSync(file, `(function(exports,require,module){${code}\n})`);
  const warm = path.join(import.meta.dirname, "warm-hooks.mjs");
  const { status, stderr } = spawnSync(process.execPath, [warm, path.resolve(outdir)], { encoding: "utf8" });
  if (status !== 0) console.warn(`hooks were built without their caches: ${stderr}`);
}
