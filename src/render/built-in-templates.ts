// Our own templates as functions. From source they are compiled on first use; the build of the command line puts code that
// was compiled beforehand in this module's place (.config/built-in-templates-plugin.mjs).
import { readFileSync } from "node:fs";
import type { TemplateDelegate } from "handlebars";
import { compileTemplate, type Helpers } from "./template-compiler.js";

/** Two folders up from here in src/ and in dist/ alike. */
const FOLDER = new URL("../../templates/", import.meta.url);

/** The template of that file below templates/. */
export function builtInTemplate(file: string, helpers: Helpers): TemplateDelegate {
  return compileTemplate(readFileSync(new URL(file, FOLDER), "utf8"), helpers);
}
