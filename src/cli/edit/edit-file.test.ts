// P39: what an editor shows reads back as it was, and every fault in it is told with its line.
import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HandoffPacket } from "../../model/packet.js";
import { editedFields } from "../../model/packet-edits.js";
import { deriveEdits, editableFields } from "../../packet/derive-edits.js";
import { cleanLine } from "../../text/clean.js";
import { itemId } from "../../text/digest.js";
import { samplePacket } from "../testing/sample-packet.js";
import { emptyFolder } from "../testing/sample-workbench.js";
import { parseEditFile } from "./parse-edit-file.js";
import { renderEditFile } from "./render-edit-file.js";

let packet: HandoffPacket;
let folder = "";
beforeAll(async () => {
  folder = emptyFolder();
  const sample = (await samplePacket()).packet;
  const source = { path: "agent_state.json" };
  packet = {
    ...sample,
    doing: "wiring the mailer",
    decisions: [
      { id: itemId("decision", "use zod"), what: "use zod", why: "one schema", carried_from: null, source },
    ],
    questions_for_human: [
      { id: itemId("question", "may it go?"), text: "may it go?", carried_from: null, source },
    ],
    scene: ["app/signup.py", "docs/read me.md"],
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const edited = (change: (text: string) => string) => parseEditFile(change(renderEditFile(packet)), packet);
const problems = (change: (text: string) => string): string[] => {
  const parsed = edited(change);
  return parsed.status === "invalid"
    ? parsed.problems.map(({ line, what }) => `${line}: ${what}`)
    : [parsed.status];
};

describe("P39 the edited text", () => {
  it("reads back as the packet has it, and the same packet gives the same text", () => {
    const parsed = edited((text) => text);
    expect(parsed).toMatchObject({ status: "fields", fields: editableFields(packet) });
    expect(renderEditFile(packet)).toBe(renderEditFile(structuredClone(packet)));
    expect(renderEditFile(packet).split("\n")[0]).toBe(
      `# Packet ${packet.packet_id}: session s-2041, branch feat/signup, topic main.`,
    );
  });

  it("reads back whatever texts a packet holds", () => {
    const text = fc
      .oneof(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.constantFrom(
          "no",
          "null",
          "~",
          "12",
          "- x",
          "# x",
          "a: b",
          "'",
          '"',
          "|",
          ">",
          "*a",
          "&a",
          "!x",
          "{",
          "[",
          "---",
          "...",
          "%YAML",
          "\\u202e",
          "\\n",
        ),
      )
      .map(cleanLine)
      .filter((value) => value !== "" && value !== "null" && value !== "~");
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const hostile: HandoffPacket = {
          ...packet,
          doing: a,
          decisions: [{ ...packet.decisions[0]!, what: b, why: c }],
          questions_for_human: [{ ...packet.questions_for_human[0]!, text: c }],
          scene: [a],
        };
        expect(parseEditFile(renderEditFile(hostile), hostile)).toMatchObject({
          status: "fields",
          fields: editableFields(hostile),
        });
      }),
      { numRuns: 400 },
    );
  });

  it("takes changes, new items with and without keys, plain words and numbers as they stand", () => {
    const parsed = edited((text) =>
      text
        .replace("what: use zod", "what: use zod 4")
        .replace(/questions:\n/u, "questions:\n  - 12\n  - text: no\n")
        .replace(/dead_ends:\n/u, "dead_ends:\n  - what: a second queue\n    why: ~\n")
        .replace("doing: wiring the mailer", "doing:"),
    );
    expect(parsed).toMatchObject({
      status: "fields",
      fields: {
        doing: null,
        decisions: [{ id: itemId("decision", "use zod"), what: "use zod 4", why: "one schema" }],
        questions: [{ id: null, text: "12" }, { id: null, text: "no" }, { text: "may it go?" }],
      },
    });
    const fields = parsed.status === "fields" ? parsed.fields : null;
    expect(fields?.dead_ends[0]).toEqual({ id: null, what: "a second queue", why: null });
    expect(editedFields(deriveEdits(packet, editableFields(packet), fields!))).toEqual([
      "doing",
      "decisions",
      "dead_ends",
      "questions",
    ]);
  });

  it("joins folded and block texts to one line, drops what would command a terminal", () => {
    const parsed = edited((text) =>
      text.replace(/next_action: .*/u, 'next_action: |\n  run make,\n  then\tpush "\\e[31m"'),
    );
    expect(parsed).toMatchObject({ fields: { next_action: 'run make, then push "\\e[31m"' } });
    const escape = edited((text) =>
      text.replace(/next_action: .*/u, String.raw`next_action: "run \e[31mmake\e[0m"`),
    );
    expect(escape).toMatchObject({ fields: { next_action: "run make" } });
  });

  it("is empty without anything but comments", () => {
    for (const text of ["", "\n\n", "# only\n# comments\n", "\ufeff", "null\n"])
      expect(parseEditFile(text, packet)).toEqual({ status: "empty" });
  });

  it.each<[string, (text: string) => string, RegExp[]]>([
    ["no YAML", (text) => text.replace("why: one schema", 'why: "one schema'), [/^\d+: Missing closing/u]],
    [
      "a wrong indent",
      (text) => text.replace("    what: use zod", "   what: use zod"),
      [/^\d+: /u, /^\d+: /u, /^\d+: /u],
    ],
    [
      "an unknown field, with the nearest",
      (text) => text.replace("dead_ends:", "deadends:"),
      [/^19: unknown field "deadends"; did you mean dead_ends\?$/u, /^6: dead_ends is missing/u],
    ],
    [
      "a field that is missing",
      (text) => text.replace(/scene:[^]*$/u, ""),
      [/scene is missing; leave scene: \[\] to empty it$/u],
    ],
    [
      "no next action",
      (text) => text.replace(/next_action: .*/u, "next_action:"),
      [/^6: next_action is empty$/u],
    ],
    [
      "a next action that says nothing",
      (text) => text.replace(/next_action: .*/u, "next_action: TBD"),
      [/^6: next_action says nothing$/u],
    ],
    [
      "a list that is none",
      (text) => text.replace(/decisions:\n(?: .*\n)+/u, "decisions: all of them\n"),
      [/decisions must be a list$/u],
    ],
    [
      "an item without its text",
      (text) => text.replace("    what: use zod\n", ""),
      [/^\d+: an item of decisions has no what$/u],
    ],
    [
      "an item with another key",
      (text) => text.replace("why: one schema", "because: one schema"),
      [/decisions knows no "because", only id, what, why$/u],
    ],
    [
      "an id that is not there",
      (text) => text.replace(/id: [0-9a-f]{8}/u, "id: 00000000"),
      [/has no item with id "00000000": leave the id out/u],
    ],
    [
      "an id twice",
      (text) => text.replace(/( {2}- id: .*\n {4}what: use zod)/u, "$1\n    why: x\n$1 twice"),
      [/^1[5-8]: id [0-9a-f]{8} stands twice$/u],
    ],
    [
      "a text twice",
      (text) => text.replace("decisions:\n", "decisions:\n  - use zod\n"),
      [/"use zod" stands twice in decisions$/u],
    ],
    [
      "a text that is too long",
      (text) => text.replace("one schema", "x".repeat(601)),
      [/why takes 601 bytes, more than 600$/u],
    ],
    [
      "a map where a text belongs",
      (text) => text.replace("doing: wiring the mailer", "doing:\n  a: b"),
      [/doing must be a text$/u],
    ],
    [
      "a scene of something else",
      (text) => text.replace("  - app/signup.py", "  - a: b"),
      [/scene must be a list of paths$/u],
    ],
    ["a list for everything", () => "- a\n- b\n", [/^1: expected the fields/u]],
    ["a field twice", (text) => `${text}doing: x\n`, [/^\d+: Map keys must be unique/u]],
    [
      "several faults, in the order of their lines",
      (text) => text.replace(/next_action: .*/u, "next_action:").replace("one schema", "x".repeat(601)),
      [/^6: /u, /^1\d: why takes/u],
    ],
  ])("tells of %s", (_, change, expected) => {
    const told = problems(change);
    expect(told).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(told[i]).toMatch(pattern);
  });

  it("an alias bomb and a huge text are faults, not a hang", () => {
    const bomb = `a: &a [x, x]\nb: &b [*a, *a]\n${Array.from({ length: 30 }, (_, i) => `c${i}: &c${i} [*b, *b]`).join("\n")}`;
    expect(parseEditFile(bomb, packet).status).toBe("invalid");
    expect(parseEditFile("x".repeat(5_000_000), packet)).toMatchObject({ status: "invalid" });
    for (const deep of ["[", "- ", "{a: ", "? "])
      expect(parseEditFile(deep.repeat(100_000), packet).status).toBe("invalid");
  });
});
