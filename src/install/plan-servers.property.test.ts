// A1, for TOML in any layout: our server goes in and comes out again byte for byte, twice is once, nothing else changes.
import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { ServersForm } from "../agents/agent-settings.js";
import { AGENT_SETTINGS } from "../agents/settings-registry.js";
import { planServer, planServerRemoval } from "./plan-servers.js";
import { readTomlStatements } from "./toml-statements.js";

const form = AGENT_SETTINGS.find(({ name }) => name === "codex")?.servers as ServersForm;
const file = (text: string | null) => ({ form, path: "/w/config.toml", text });
const NAMED = { command: "handoff", args: ["mcp"] };
const FILES = { command: "/opt/node", args: ["/opt/h/dist/cli/main.js", "mcp"] };

const spellings = fc.constantFrom(
  "1",
  "-0.5e3",
  "true",
  "1979-05-27T07:32:00Z",
  '"handoff mcp"',
  '"[mcp_servers.handoff] # \\" "',
  "'C:\\x]'",
  '"""one\n[mcp_servers.x]\n\\" # """',
  "'''\n[a]\n''''",
  '[ "]", # ]\n  [1, 2], ]',
  '{ a = "}", b = [ { c = 1 } ] }',
  "[]",
  "{}",
);
const keys = fc.constantFrom("k", '"k k"', "'[k]'", "k . j", "mcp", '"mcp_servers"');
const gap = fc.constantFrom("", " ", "\t", "  ");
const tail = fc.constantFrom("", " ", " # comment [x]", "\t# mcp_servers = {");

/** Lines that stand anywhere. */
const noise = fc.constantFrom("", "  ", "# [mcp_servers.handoff]", "\t# x = ");
/** The parts of a document: keys get a number each, so that none is there twice. */
const part = fc.oneof(
  fc.record({ is: fc.constant("pair" as const), key: keys, value: spellings, lead: gap, tail }),
  fc.record({ is: fc.constant("table" as const), key: keys, array: fc.boolean(), lead: gap, tail }),
  fc.record({ is: fc.constant("server" as const), lead: gap, tail }),
  fc.record({ is: fc.constant("noise" as const), text: noise }),
);
const numbered = (key: string, i: number): string =>
  key.endsWith('"') || key.endsWith("'") ? `${key.slice(0, -1)}${i}${key.slice(-1)}` : `${key}${i}`;
const documents = fc
  .record({
    parts: fc.array(part, { maxLength: 8 }),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    last: fc.constantFrom("", "\n", "\n\n"),
    mark: fc.constantFrom("", "\ufeff"),
  })
  .map(({ parts, lineEnd, last, mark }) => {
    const lines = parts.map((one, i) => {
      if (one.is === "noise") return one.text;
      if (one.is === "server") return `${one.lead}[mcp_servers.s${i}]${one.tail}\ncommand = "s" `;
      if (one.is === "pair")
        return `${one.lead}${numbered(one.key, i)}${one.lead}=${one.lead}${one.value}${one.tail}`;
      const [open, close] = one.array ? ["[[", "]]"] : ["[", "]"];
      return `${one.lead}${open}t${i}.${one.lead}${numbered(one.key, i)}${close}${one.tail}`;
    });
    return mark + (lines.join("\n") + last).replaceAll("\n", lineEnd);
  })
  .filter((text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  });

test("A1 install and uninstall give the same bytes, install twice is once, another path is replaced in place", () => {
  fc.assert(
    fc.property(documents, (text) => {
      const installed = planServer(file(text), NAMED, {});
      const after = installed.after ?? "";
      expect(after.startsWith(text)).toBe(true);
      const again = planServer(file(after), NAMED, installed.entry);
      expect([again.after, again.entry]).toEqual([after, installed.entry]);
      expect(planServerRemoval(file(after), installed.entry).after).toBe(text);
      const other = planServer(file(text), FILES, {});
      expect(planServer(file(other.after), NAMED, other.entry).after).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test("A1 every statement is found: the lines between them hold nothing but comments and blanks", () => {
  fc.assert(
    fc.property(documents, (text) => {
      const statements = readTomlStatements(text);
      let rest = text;
      for (const { start, end } of statements.toReversed()) rest = rest.slice(0, start) + rest.slice(end);
      expect(rest).toMatch(/^\ufeff?(?:[ \t\r\n]|#[^\n]*)*$/u);
      const values = statements.flatMap(({ value }) =>
        value === null ? [] : [`x = ${text.slice(value.start, value.end)}`],
      );
      for (const one of values) expect(() => parse(one)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});
