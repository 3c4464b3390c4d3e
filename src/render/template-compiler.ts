// Compiles Handlebars templates: the one file that needs all of Handlebars. The build of the command line keeps it apart and
// makes code of our own templates beforehand (.config/built-in-templates-plugin.mjs): start-up counts in hooks.
import Handlebars, { type HelperDelegate, type TemplateDelegate } from "handlebars";
import { TEMPLATE_HELPERS } from "./template-helpers.js";

export type Helpers = Readonly<Record<string, HelperDelegate>>;

const OPTIONS = {
  strict: true,
  noEscape: true,
  knownHelpers: Object.fromEntries(
    [...Object.keys(TEMPLATE_HELPERS), "if", "unless", "each", "with", "lookup"].map((name) => [name, true]),
  ),
  knownHelpersOnly: true,
} as const;

/** Partials and decorators would reach for files and code that are not there. */
class PartialFinder extends Handlebars.Visitor {
  override PartialStatement(node: hbs.AST.PartialStatement): void {
    throw new Handlebars.Exception("partials are not available", node);
  }
  override PartialBlockStatement(node: hbs.AST.PartialBlockStatement): void {
    throw new Handlebars.Exception("partials are not available", node);
  }
  override Decorator(node: hbs.AST.Decorator): void {
    throw new Handlebars.Exception("decorators are not available", node);
  }
  override DecoratorBlock(node: hbs.AST.DecoratorBlock): void {
    throw new Handlebars.Exception("decorators are not available", node);
  }
}

function parse(source: string): hbs.AST.Program {
  const program = Handlebars.parse(source);
  new PartialFinder().accept(program);
  return program;
}

/** A template as a function. Throws what Handlebars throws; faults that show only when it is used come then. */
export function compileTemplate(source: string, helpers: Helpers): TemplateDelegate {
  const engine = Handlebars.create();
  engine.unregisterHelper("log");
  for (const [name, helper] of Object.entries(helpers)) engine.registerHelper(name, helper);
  return engine.compile(parse(source), OPTIONS);
}

/** A template as JavaScript source of what Handlebars' runtime takes: the same template as {@link compileTemplate} makes. */
export function precompileTemplate(source: string): string {
  const code: unknown = Handlebars.precompile(parse(source), OPTIONS);
  return String(code);
}
