// A7: which command lines are nothing but calls of ours, by the lines that agents really write, and by what must stay on record.
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { COMMANDS } from "../cli/command-table.js";
import { execWords, isOwnCommand, OWN_VERBS } from "./own-command.js";

describe("A7 isOwnCommand", () => {
  it.each([
    "handoff exec -- npm test",
    "handoff exec --note 'why it is run' -- npm test -- --watch=false",
    "  handoff exec -- npm test 2>&1  ",
    "handoff exec -- npm test > out.log 2>&1",
    "handoff exec -- npm test &> out.log",
    "handoff exec -- npm test </dev/null",
    "handoff exec -- npm test 2>&1 | tail -40",
    "handoff exec -- npm test | grep -v ok | head -5",
    "CI=1 NODE_ENV=test handoff exec -- npm test",
    "env CI=1 handoff exec -- npm test",
    "time handoff exec -- npm test",
    "timeout --signal=KILL 90s handoff exec -- npm test",
    "cd packages/api && handoff exec -- npm test",
    "/usr/local/bin/handoff exec -- npm test",
    '"$HOME/bin/handoff" exec -- npm test',
    "./node_modules/.bin/handoff exec -- npm test",
    "npx handoff exec -- npm test",
    "npx --yes handoff-packet@0.1.0 exec -- npm test",
    "pnpm exec handoff note next go on",
    "node /opt/lib/node_modules/handoff-packet/dist/cli/main.js exec -- npm test",
    String.raw`C:\tools\handoff.cmd`.replaceAll("\\", "\\\\") + " exec -- npm test",
    "handoff --root .. exec -- npm test",
    "handoff exec -- make \\\n  all",
    "handoff note next 'mend the parser; then run it'",
    'handoff note decided "one store && no more" --why "it\'s (much) simpler"',
    "handoff note next a && handoff note doing b; handoff note risk c",
    "handoff note next a\nhandoff note doing b\n",
    "handoff brief --consume",
    "handoff list --json | jq '.packets[0]'",
    "handoff --version",
    "handoff --help",
    "handoff generate --allow-degraded",
  ])("A7 only ours: %s", (line) => {
    expect(isOwnCommand(line)).toBe(true);
  });

  it.each([
    "npm test",
    "npm test && handoff note next 'go on'",
    "cd x && handoff exec -- y && z",
    "handoff exec -- npm test && npm run lint",
    "handoff exec -- npm test; npm run lint",
    "handoff exec -- npm test || true",
    "handoff exec -- npm run build & npm test",
    "cat input | handoff exec -- npm test",
    "handoff exec -- npm test | sh",
    "handoff exec -- npm test | xargs rm",
    'handoff note next "$(npm test)"',
    "handoff note next `npm test`",
    "handoff note next $(npm test)",
    "handoff note next a <<EOF\nnpm test\nEOF",
    "handoff exec -- diff <(npm test) expected",
    "(handoff exec -- npm test)",
    "if handoff check; then npm test; fi",
    "for f in a b; do handoff exec -- npm test $f; done",
    "handoff exec -- npm test 'unended",
    "handoff exec -- npm test &&",
    "handoff exec -- npm test # and then",
    "handoff frobnicate",
    "handoff",
    "echo handoff exec -- npm test",
    "grep -rn handoff exec",
    "./scripts/handoff-deploy exec",
    "node dist/cli/main.js exec -- npm test",
    "npm run handoff exec",
    "cd handoff",
    "npx cowsay handoff exec",
    "",
  ])("A7 the work: %s", (line) => {
    expect(isOwnCommand(line)).toBe(false);
  });

  it("A7 words as some agents give them", () => {
    expect(isOwnCommand(["handoff", "exec", "--", "npm", "test"])).toBe(true);
    expect(isOwnCommand(["npm", "test", "&&", "handoff", "note"])).toBe(false);
  });

  it("A7 knows every command of ours", () => {
    for (const { name } of COMMANDS) expect([...OWN_VERBS]).toContain(name);
  });

  it("A7 never throws, and a line that goes on with other work is never ours", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        isOwnCommand(`handoff note next ${text}`);
        expect(isOwnCommand(`handoff note next x; ${text.replaceAll(/['"\\]/gu, "")}\nnpm test`)).toBe(false);
      }),
    );
  });

  it("A7 an endless line is the work, at once", () => {
    expect(isOwnCommand(`handoff note next ${"x ".repeat(100_000)}`)).toBe(false);
  });
});

describe("A12 execWords", () => {
  it.each([
    ["handoff exec -- npm test", ["npm", "test"]],
    ["handoff exec --note 'a b' -- printf '%s  %s' \"a b\" 2>&1 | tail -3", ["printf", "%s  %s", "a b"]],
    ["cd x && handoff exec -- make", ["make"]],
    ["handoff exec -- a; handoff exec -- b", null],
    ["handoff exec --", null],
    ["handoff note next x -- y", null],
    ["npm test", null],
  ])("A12 %s", (line, words) => {
    expect(execWords(line)).toEqual(words);
  });
});
