import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { publishedSchemas } from "./json-schemas.js";

const FOLDER = path.join(import.meta.dirname, "../../schemas");
const UPDATE = process.env["UPDATE_SCHEMAS"] === "1";
const schemas = publishedSchemas();
const texts = Object.entries(schemas).map(([file, schema]): [string, string] => [
  file,
  `${JSON.stringify(schema, null, 2)}\n`,
]);

function readOrEmpty(file: string): string {
  try {
    return readFileSync(path.join(FOLDER, file), "utf8");
  } catch {
    return "";
  }
}

describe("schemas/ is what the model says", () => {
  test.each(texts)("%s is up to date", (file, text) => {
    if (UPDATE) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(path.join(FOLDER, file), text);
    }
    const verdict =
      readOrEmpty(file) === text
        ? "same"
        : `schemas/${file} differs from src/model: npm run schemas, then look at the diff`;
    expect(verdict).toBe("same");
  });

  test("nothing else is in there", () => {
    const stray = readdirSync(FOLDER).filter((file) => file.endsWith(".schema.json") && !(file in schemas));
    expect(stray).toEqual([]);
  });
});

describe("each published schema", () => {
  test.each(Object.entries(schemas))(
    "%s is valid draft 2020-12 with an id, a title and a description",
    (_, schema) => {
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { "date-time": true } });
      expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
      expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
      expect(schema["$id"]).toMatch(/^urn:handoff-packet:[a-z-]+:1\.0$/);
      expect(schema["title"]).toBeTypeOf("string");
      expect(schema["description"]).toBeTypeOf("string");
      ajv.compile(schema);
    },
  );

  test("P21-P23 the packet's schema is strict, needs every field and describes every field", () => {
    const packet = schemas["handoff.schema.json"] as {
      properties: Record<string, { description?: string }>;
      required: string[];
      additionalProperties: unknown;
    };
    expect(packet.additionalProperties).toBe(false);
    expect(packet.required).toEqual(Object.keys(packet.properties));
    const silent = Object.entries(packet.properties).filter(
      ([, { description }]) => description === undefined,
    );
    expect(silent).toEqual([]);
  });

  const accepts = (file: string, value: unknown): boolean => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { "date-time": true } });
    return ajv.compile(schemas[file] ?? {})(value);
  };

  test.each([
    [true, { command: ["pytest", "-q"], exit_code: 0, started_at: 1_795_958_752.65 }],
    [
      true,
      {
        command: "pytest -q",
        exit_code: null,
        started_at: "2026-11-29T12:05:52Z",
        error: "timeout",
        own: [1],
      },
    ],
    [false, { command: [], exit_code: 0, started_at: 0 }],
    [false, { command: " ", exit_code: 0, started_at: 0 }],
    [false, { command: "x", exit_code: 0.5, started_at: 0 }],
    [false, { command: "x", started_at: 0 }],
    [false, []],
  ])("P3 feedback record: %s for %j", (expected, record) => {
    expect(accepts("feedback-record.schema.json", record)).toBe(expected);
  });

  test.each([
    [true, {}],
    [
      true,
      { active_task_id: "T-1", decisions: [{ what: "a", why: "b" }], blockers: ["x", { text: "y" }], own: 1 },
    ],
    [
      true,
      { active_task_id: null, next_action: "run the tests", risks: [{ severity: "warn", detail: "d" }] },
    ],
    [false, { active_task_id: "../x" }],
    [false, { risks: [{ severity: "awful", detail: "d" }] }],
    [false, { decisions: ["text only"] }],
  ])("P1 agent state: %s for %j", (expected, state) => {
    expect(accepts("agent-state.schema.json", state)).toBe(expected);
  });

  test.each([
    [true, { last: 30, $schema: "x", artifacts: { state: ["a.json"] } }],
    [false, { last: 31 }],
    [false, { lst: 3 }],
  ])("P42 configuration: %s for %j", (expected, config) => {
    expect(accepts("config.schema.json", config)).toBe(expected);
  });
});
