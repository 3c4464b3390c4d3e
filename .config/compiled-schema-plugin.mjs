// Puts code that Ajv makes from schemas/handoff.schema.json in the place of src/store/compiled-schema.ts: compiling the
// schema at every start costs more than everything else a start does.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

export const compiledSchemaPlugin = {
  name: "compiled-schema",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]store[\\/]compiled-schema\.ts$/ }, () => {
      const schema = JSON.parse(readFileSync("schemas/handoff.schema.json", "utf8"));
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, code: { source: true, esm: true } });
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
