// The packet's published schema as a function. Compiling it costs more than the rest of a start, so the build puts
// code that Ajv made beforehand in this module's place (.config/build.mjs); from source it is compiled on first use.
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

function compile(): ValidateFunction {
  const schema = new URL("../../schemas/handoff.schema.json", import.meta.url);
  const parsed: unknown = JSON.parse(readFileSync(schema, "utf8"));
  if (typeof parsed !== "object" || parsed === null) throw new TypeError("handoff.schema.json is no schema");
  return new Ajv2020({ strict: true, allowUnionTypes: true }).compile(parsed);
}

let compiled: ValidateFunction | null = null;

/** The check: true for a value that is a packet, else its `errors` say why not. */
export function handoffCheck(): ValidateFunction {
  compiled ??= compile();
  return compiled;
}
