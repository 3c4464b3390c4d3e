// For tests: bundles a script into a package folder of its own, where templates and schemas lie as in an installation, so that
// it can be run in processes that fail or are killed.
import { cpSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";

const PROJECT = path.join(import.meta.dirname, "../../..");

/** The folder, to be removed by the caller, and the script in it. */
export interface BuiltChild {
  readonly folder: string;
  readonly main: string;
}

/** Builds `entry` (absolute); takes a few hundred milliseconds. */
export async function buildChild(entry: string): Promise<BuiltChild> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-child-")));
  // Two folders below the top, as all our code.
  const main = path.join(folder, "dist/test/child.mjs");
  const plugin = path.join(PROJECT, ".config/compiled-schema-plugin.mjs");
  const { compiledSchemaPlugin }: { compiledSchemaPlugin: Plugin } = await import(plugin);
  await build({
    absWorkingDir: PROJECT,
    entryPoints: [entry],
    outfile: main,
    bundle: true,
    // The package says that no module of it has side effects; a fault point is all side effect.
    ignoreAnnotations: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    mainFields: ["module", "main"],
    logLevel: "warning",
    plugins: [compiledSchemaPlugin],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  });
  for (const name of ["templates", "schemas"])
    cpSync(path.join(PROJECT, name), path.join(folder, name), { recursive: true });
  return { folder, main };
}
