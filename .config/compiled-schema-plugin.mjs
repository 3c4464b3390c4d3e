// Puts code that Ajv makes from schemas/handoff.schema.json in the place of src/store/compiled-schema.ts: compiling the
// schema at every start costs more than everything else a start does.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

/** Keywords whose values hold no schemas, and those whose values map names to schemas. */
const PLAIN = new Set(["enum", "const", "required"]);
const NAMED = new Set(["properties", "$defs"]);

/** The schema with `change` applied to each schema in it. */
function mapSchemas(schema, change) {
  if (Array.isArray(schema)) return schema.map((one) => change(one));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    if (PLAIN.has(key)) return [key, value];
    if (!NAMED.has(key)) return [key, change(value)];
    return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]))];
  });
  return Object.fromEntries(entries);
}

/** Without what people read, and with every part that stands in it more than once written once: the same check in less code. */
function slim(schema) {
  const counts = new Map();
  const bare = (part) => {
    const { description: _, title: __, ...mapped } = Object(mapSchemas(part, bare));
    return typeof part === "object" && part !== null && !Array.isArray(part)
      ? mapped
      : mapSchemas(part, bare);
  };
  const count = (part) => {
    const key = JSON.stringify(part);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return mapSchemas(part, count);
  };
  const plain = bare(schema);
  count(plain);
  const names = new Map();
  const $defs = {};
  const share = (part) => {
    const key = JSON.stringify(part);
    if (Array.isArray(part) || typeof part !== "object" || counts.get(key) < 2 || key.length < 40)
      return mapSchemas(part, share);
    if (!names.has(key)) {
      const name = `part${names.size}`;
      names.set(key, name);
      $defs[name] = mapSchemas(part, share);
    }
    return { $ref: `#/$defs/${names.get(key)}` };
  };
  return { ...mapSchemas(plain, share), $defs };
}

export const compiledSchemaPlugin = {
  name: "compiled-schema",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]store[\\/]compiled-schema\.ts$/ }, () => {
      const schema = slim(JSON.parse(readFileSync("schemas/handoff.schema.json", "utf8")));
      const ajv = new Ajv2020({
        strict: true,
        allowUnionTypes: true,
        inlineRefs: false,
        code: { source: true, esm: true },
      });
      ajv.addSchema(schema);
      return {
        contents: `${standalone.default(ajv, { checkHandoff: schema.$id })}
export const handoffCheck = () => checkHandoff;`,
        loader: "js",
        resolveDir: process.cwd(),
        watchFiles: ["schemas/handoff.schema.json"],
      };
    });
  },
};
