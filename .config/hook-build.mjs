// Hooks are a build of their own (A10): CommonJS, since Node starts faster with it, in few files, with nothing in them that only
// a command needs, and with V8's code for them: see load-hook.mjs.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";

/** What is loaded together when one of it is needed: every further file costs more than its bytes. */
const TOGETHER = ["finish-turn", "publish-turn"];
const STEP = new RegExp(`^\\./(?:${TOGETHER.join("|")})\\.js$`);
/** Where a file begins, in the order in which they are filled: each has what its beginning needs and no earlier one has. */
const FILES = [
  "src/recorder/hook-process.ts",
  "src/recorder/begin-git.ts",
  "hook-steps:hook-steps",
  "src/recorder/start-session.ts",
];
/** The one behind which a hook does no more than one turn's work. */
const PUBLISHES = "hook-steps:hook-steps";

/** For main.js: hooks lie beside it, and are loaded with their caches. `plan`: what {@link buildHooks} answers. */
export const hookApart = (plan) => ({
  name: "hook-apart",
  setup(esbuild) {
    esbuild.onResolve({ filter: /[\\/]hook-process\.js$/ }, () => ({
      path: "hook",
      namespace: "hook-apart",
    }));
    esbuild.onLoad({ filter: /^hook$/, namespace: "hook-apart" }, () => ({
      contents: `import { hookLoader } from "./.config/load-hook.mjs";
export const runHookProcess = (args) =>
  hookLoader(__dirname, ${JSON.stringify(plan)}, true).load("hook.cjs").runHookProcess(args);`,
      resolveDir: process.cwd(),
    }));
  },
});

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

const nameOf = (output) => path.basename(output).replace(/\.js$/, ".cjs");

/** Which file each module goes to: that of the first of {@link FILES} that needs it, else one of its own. */
function placeModules({ outputs }) {
  const places = {};
  const place = (output, file) => {
    if (places[nameOf(output)] !== undefined) return;
    places[nameOf(output)] = file;
    for (const { path: needed, kind } of outputs[output].imports)
      if (kind === "import-statement" && outputs[needed] !== undefined) place(needed, file);
  };
  const begins = FILES.map((entry) => {
    const output = Object.keys(outputs).find((name) => outputs[name].entryPoint === entry);
    if (output === undefined) throw new Error(`hooks have no module that begins at ${entry}`);
    return output;
  });
  for (const output of begins) place(output, nameOf(output));
  return { places, publishes: nameOf(begins[FILES.indexOf(PUBLISHES)]) };
}

/** Builds the hooks into `outdir`. Answers where the loader finds each module. */
export async function buildHooks(common, outdir, plugins) {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: { hook: "src/recorder/hook-process.ts" },
    outdir,
    chunkNames: "hook-[hash]",
    write: false,
    metafile: true,
    plugins: [...plugins, hookSteps],
  });
  const plan = placeModules(metafile);
  const files = new Map();
  for (const [file, code] of await asCommonJs(outputFiles, common.target)) {
    const name = path.basename(file);
    const bodies = files.get(plan.places[name] ?? name) ?? [];
    bodies.push(`${JSON.stringify(name)}:function(exports,require,module){${code}\n}`);
    files.set(plan.places[name] ?? name, bodies);
  }
  for (const [name, bodies] of files) writeFileSync(path.join(outdir, name), `({${bodies.join(",\n")}})`);
  const warm = path.join(import.meta.dirname, "warm-hooks.mjs");
  const args = [warm, path.resolve(outdir), JSON.stringify(plan)];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) console.warn(`hooks were built without their caches: ${stderr}`);
  return plan;
}
