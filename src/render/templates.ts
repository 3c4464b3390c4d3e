// Loads and runs the Handlebars templates: ours from templates/, or a project's own in their place (P37).
// A broken override is a UsageError that names file and line, found when it is compiled and tried, not in some later packet.
import type { TemplateDelegate } from "handlebars";
import { UsageError } from "../model/errors.js";
import { builtInTemplate } from "./built-in-templates.js";
import { exemplarContexts } from "./exemplar.js";
import { safeView } from "./safe-view.js";
import { compileTemplate } from "./template-compiler.js";
import { TEMPLATE_HELPERS } from "./template-helpers.js";

/** The templates there are; the names that `templates` in handoff.config.json uses. */
export const TEMPLATE_NAMES = ["handoff", "brief", "pr_body"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];
/** A project's own template: where it came from, for messages, and its text. */
export interface TemplateOverride {
  readonly path: string;
  readonly source: string;
}
export type TemplateOverrides = Readonly<Partial<Record<TemplateName, TemplateOverride>>>;
/** Renders one template over a context of plain JSON values; the texts in it are wrapped before the template sees them. */
export type RenderTemplate = (context: Readonly<Record<string, unknown>>) => string;

const FILES: Readonly<Record<TemplateName, string>> = {
  handoff: "handoff.md.hbs",
  brief: "brief.md.hbs",
  pr_body: "pr-body.md.hbs",
};
const ours = new Map<TemplateName, RenderTemplate>();

/** The template to use: the override when there is one, else ours. Throws UsageError for an override that does not compile or that fails on one of the exemplars. */
export function loadTemplate(name: TemplateName, overrides: TemplateOverrides = {}): RenderTemplate {
  const override = overrides[name];
  if (override !== undefined) {
    const render = guardTemplate(override.path, () => compileTemplate(override.source, TEMPLATE_HELPERS));
    for (const context of exemplarContexts()) render(context);
    return render;
  }
  const known = ours.get(name);
  if (known !== undefined) return known;
  const file = FILES[name];
  const render = guardTemplate(`templates/${file}`, () => builtInTemplate(file, TEMPLATE_HELPERS));
  ours.set(name, render);
  return render;
}

/** Tells whatever a template fails with, when it is made and when it is used, as a fault of its file. */
function guardTemplate(path: string, make: () => TemplateDelegate): RenderTemplate {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw brokenTemplate(path, error);
    }
  };
  const run = guarded(make);
  return (context) =>
    guarded(() =>
      run(safeView(context, "prose"), {
        allowProtoPropertiesByDefault: false,
        allowProtoMethodsByDefault: false,
      }),
    );
}

function brokenTemplate(path: string, error: unknown): UsageError {
  const message = error instanceof Error ? error.message : String(error);
  const own: unknown = error instanceof Error ? Reflect.get(error, "lineNumber") : undefined;
  const inText = /\bon line (\d+)/u.exec(message)?.[1];
  const line = typeof own === "number" ? own : inText === undefined ? 1 : Number(inText);
  const what = message
    .replace(/^Parse error on line \d+:\n/u, "")
    .replace(/ - \d+:\d+$/u, "")
    .replace(/You specified knownHelpersOnly, but used the unknown helper (\S+)/u, "there is no helper $1")
    .replace(
      /^("[^"]+") not defined in null$/u,
      "$1 is asked of something that may be null: put it inside {{#if}}",
    )
    .replace(/^("[^"]+") not defined in .*$/su, "there is no field $1")
    .replace(/\s+/gu, " ");
  return new UsageError(
    "template.broken",
    `template cannot be used: ${what}`,
    "mend the template, or leave it out of handoff.config.json to use the built-in one",
    { path, line },
    { cause: error },
  );
}
