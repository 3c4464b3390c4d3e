// Puts code made of templates/*.hbs beforehand in the place of src/render/built-in-templates.ts, which then needs no more of
// Handlebars than its small runtime. The compiler is a file of its own that is loaded when a project has templates.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";

const COMPILER = "template-compiler.cjs";
/** Where in the template a piece of code comes from: for a message that ours have no use for, and half of the code. */
const PLACE = /\{"start":\{"line":\d+,"column":\d+\},"end":\{"line":\d+,"column":\d+\}\}/g;

/** Builds the compiler into `outdir`; the plugin is for the build of everything else into that folder. */
export async function builtInTemplatesPlugin(common, outdir) {
  await build({
    ...common,
    splitting: false,
    entryPoints: ["src/render/template-compiler.ts"],
    format: "cjs",
    outfile: path.join(outdir, COMPILER),
  });
  const { precompileTemplate } = createRequire(import.meta.url)(path.resolve(outdir, COMPILER));
  const specs = readdirSync("templates")
    .filter((file) => file.endsWith(".hbs"))
    .map((file) => {
      const code = precompileTemplate(readFileSync(path.join("templates", file), "utf8")).replaceAll(
        PLACE,
        "null",
      );
      return `${JSON.stringify(file)}: ${code}`;
    });
  return {
    name: "built-in-templates",
    setup(esbuild) {
      esbuild.onResolve({ filter: /^\.\/template-compiler\.cjs$/ }, ({ path: file }) => ({
        path: file,
        external: true,
      }));
      esbuild.onLoad({ filter: /[\\/]src[\\/]render[\\/]template-compiler\.ts$/ }, () => ({
        contents: `export const compileTemplate = (source, helpers) =>
  require("./${COMPILER}").compileTemplate(source, helpers);`,
        loader: "js",
      }));
      esbuild.onLoad({ filter: /[\\/]src[\\/]render[\\/]built-in-templates\.ts$/ }, () => ({
        contents: `import Handlebars from "handlebars/runtime";
const specs = {${specs.join(",\n")}};
let engine = null;
export function builtInTemplate(file, helpers) {
  if (engine === null) {
    engine = Handlebars.create();
    engine.unregisterHelper("log");
    for (const [name, helper] of Object.entries(helpers)) engine.registerHelper(name, helper);
  }
  return engine.template(specs[file]);
}`,
        loader: "js",
        resolveDir: process.cwd(),
      }));
    },
  };
}
