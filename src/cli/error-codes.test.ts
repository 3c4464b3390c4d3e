// P41: the table of error codes in this folder's README is whole. Codes are taken from the source: the first argument of
// every error that is thrown on purpose.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SRC = path.join(import.meta.dirname, "..");

test("P41 every code that a failure can have is in the README", () => {
  const thrown = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /\.test\.ts$|\/testing\//u.test(file)) continue;
    const source = readFileSync(path.join(SRC, file), "utf8");
    for (const [, code = ""] of source.matchAll(/new (?:Usage|Refusal)Error\(\s*"([a-z_]+\.[a-z_]+)"/gu))
      thrown.add(code);
  }
  expect(thrown.size).toBeGreaterThan(30);
  const readme = readFileSync(path.join(import.meta.dirname, "README.md"), "utf8");
  const table = readme.slice(readme.indexOf("## Error codes"));
  const told = [...table.matchAll(/^\| (`.*`) \|/gmu)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([a-z_]+(?:\.(?:[a-z_]+|\*))?)`/gu)].map(([, code = ""]) => code),
  );
  const covers = (row: string, code: string): boolean => row === code || row === code.replace(/\..*$/u, ".*");
  expect([...thrown].filter((code) => !told.some((row) => covers(row, code))).sort()).toEqual([]);
});
