// What is bundled is handed on with its licence: the texts of every package that is in the command line, in one file beside it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licence of a package, under its name and version; it is an error to have none. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^licen[cs]e(?:\.|-|$)/i.test(file));
  if (files.length === 0) throw new Error(`${name} has no file with its licence`);
  const texts = files.toSorted().map((file) => readFileSync(path.join(folder, file), "utf8").trim());
  return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}

/** Writes `licences.txt` into a folder. */
export function licencesPlugin(outdir) {
  return {
    name: "licences",
    setup(esbuild) {
      esbuild.initialOptions.metafile = true;
      esbuild.onEnd(({ metafile }) => {
        const found = Object.keys(metafile?.inputs ?? {}).flatMap((file) => PACKAGE.exec(file)?.[1] ?? []);
        const folders = [...new Set(found)].toSorted();
        mkdirSync(outdir, { recursive: true });
        writeFileSync(
          path.join(outdir, "licences.txt"),
          folders.map(licenceOf).join(`\n${"-".repeat(72)}\n\n`),
        );
      });
    },
  };
}
