// P38 over whole packets, P37, P39 and the pinned renderings of realistic packets.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTIVE_TEXT, nodesOf, parseMarkdown, shapeOf } from "../../fixtures/markdown-tree.js";
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";
import { sha256Hex } from "../text/digest.js";
import { readMarkdownStamp } from "./markdown-stamp.js";
import { renderBrief } from "./render-brief.js";
import { renderJson } from "./render-json.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderPrBody } from "./render-pr-body.js";

const folder = new URL("../../fixtures/", import.meta.url);
const NAMES = ["signup", "many-failures", "nothing-on-record"];
const read = (name: string): HandoffPacket =>
  handoffPacketSchema.parse(JSON.parse(readFileSync(new URL(`packets/${name}.json`, folder), "utf8")));
const hostile = JSON.parse(readFileSync(new URL("hostile-markdown.json", folder), "utf8")) as string[];
const signup = read("signup");
const toMarkdown = (packet: HandoffPacket): string =>
  renderMarkdown(packet, { jsonSha256: sha256Hex(renderJson(packet)) });

type Path = readonly (string | number)[];

/** Every place of the packet that holds a free text: one that the schema lets be anything. */
function freeTexts(packet: HandoffPacket): Path[] {
  const found: Path[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === "string") {
      if (handoffPacketSchema.safeParse(withTexts(packet, [path], () => "* any # text")).success)
        found.push(path);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        visit(item, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  };
  visit(packet, []);
  return found;
}

/** A copy with other texts in these places. */
function withTexts(
  packet: HandoffPacket,
  paths: readonly Path[],
  textOf: (path: Path, i: number) => string,
): HandoffPacket {
  const copy = structuredClone(packet);
  for (const [i, path] of paths.entries()) {
    const owner = path.slice(0, -1).reduce<unknown>((node, key) => Reflect.get(node as object, key), copy);
    Reflect.set(owner as object, path.at(-1) ?? "", textOf(path, i));
  }
  return copy;
}

/** Equal receipts are listed once and an excerpt that says no more than the reason is left out: these must differ. */
const keptApart = (path: Path): boolean =>
  path.includes("excerpt") || path[0] === "prerequisites" || path[0] === "verdict_pointer";
const places = freeTexts(signup);
const harmless = withTexts(signup, places, (_path, i) => `harmless ${i}`);

/** The tree's structure and what must not be in it: foreign links or HTML, and plain text that GitHub would act on. */
function judged(markdown: string): { shape: string; foreign: readonly string[] } {
  const tree = parseMarkdown(markdown);
  const own =
    /^<!-- handoff(?:-packet hp_[0-9a-f]{16} sha256:[0-9a-f]{64}|:begin hp_[0-9a-f]{16}|:end) -->$/u;
  const foreign = [...nodesOf(tree)].filter(
    ({ type, value }) =>
      /^(?:link|image|footnote|definition)/u.test(type) ||
      (type === "html" && !own.test(value ?? "")) ||
      (type === "text" && ACTIVE_TEXT.test(value ?? "")),
  );
  return { shape: shapeOf(tree), foreign: foreign.map(({ type, value }) => `${type}: ${value ?? ""}`) };
}

const RENDERINGS: readonly (readonly [string, (packet: HandoffPacket) => string])[] = [
  ["handoff.md", toMarkdown],
  ["pull request body", (packet) => renderPrBody(packet)],
  [
    "brief",
    (packet) =>
      renderBrief(packet, { path: packet.scene[0] ?? "", task: packet.scene[0] ?? "", drift: packet.scene }),
  ],
];

describe("hostile texts (P38, S17)", () => {
  it("every list of the packet has a text to replace", () => {
    const lists = new Set(places.map(([first]) => first));
    expect([...lists].map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "assumptions_to_validate",
      "branch",
      "changed_files",
      "commands_run",
      "commits",
      "decisions",
      "doing",
      "failed_attempts",
      "feedback",
      "gaps",
      "next_action",
      "next_action_source",
      "open_risks",
      "prerequisites",
      "questions_for_human",
      "scene",
      "summary",
      "verdict_pointer",
    ]);
    expect(hostile.length).toBeGreaterThanOrEqual(150);
  });

  it.each(RENDERINGS)(
    "each hostile string in every field at once leaves the tree of the %s alone",
    (_name, render) => {
      const model = { shape: shapeOf(parseMarkdown(render(harmless))), foreign: [] };
      for (const text of hostile.filter((t) => /\S/u.test(t) && t.length < 1000)) {
        const packet = withTexts(signup, places, (path, i) => (keptApart(path) ? `${text}\n${i}` : text));
        expect({ text, ...judged(render(packet)) }).toEqual({ text, ...model });
      }
    },
  );

  it.each(RENDERINGS)(
    "different hostile strings in different fields leave the tree of the %s alone",
    (_name, render) => {
      const model = { shape: shapeOf(parseMarkdown(render(harmless))), foreign: [] };
      const texts = hostile.filter((t) => /\S/u.test(t) && t.length < 400);
      fc.assert(
        fc.property(
          fc.infiniteStream(fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "grapheme" }))),
          (stream) => {
            const packet = withTexts(signup, places, (_path, i) => `${stream.next().value ?? ""} ${i}`);
            expect(judged(render(packet))).toEqual(model);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it.each([
    ["boom", "boom (note: expected)", false],
    ["boom\nbang", "boom", true],
    ["boom", null, true],
    ["boom", "bang", true],
  ])("an excerpt %j beside the reason %j has a fence: %s", (excerpt, why, fenced) => {
    const [attempt] = signup.failed_attempts;
    const packet = { ...signup, failed_attempts: [{ ...attempt!, excerpt, why }] };
    expect(toMarkdown(packet).includes("```text\n  boom")).toBe(fenced);
    expect(renderBrief(packet).includes("\n    | boom")).toBe(fenced);
  });

  it("shows controls in a file name as escapes", () => {
    const [file] = signup.changed_files;
    const packet = { ...signup, changed_files: [{ ...file!, path: "a\nb\u001b[31m\u202e.ts" }] };
    expect(toMarkdown(packet)).toContain("| `a\\nb\\x1b[31m\\u202e.ts` |");
  });
});

describe("pinned renderings (P37)", () => {
  it.each(NAMES)("%s", async (name) => {
    const packet = read(name);
    const file = (ending: string): string => new URL(`packets/${name}.${ending}`, folder).pathname;
    await expect(toMarkdown(packet)).toMatchFileSnapshot(file("md"));
    await expect(renderPrBody(packet)).toMatchFileSnapshot(file("pr.md"));
    const brief = renderBrief(packet, {
      path: `outputs/handoff/${packet.session_id}/handoff.json`,
      task: "let new users sign up",
      drift: ["2 commits since the packet", "the verdict is stale", "agent_state.json changed"],
    });
    await expect(brief).toMatchFileSnapshot(file("brief.md"));
  });

  it("the same packet gives the same bytes, whatever came before", () => {
    const first = NAMES.map((name) => toMarkdown(read(name)));
    expect(
      NAMES.toReversed()
        .map((name) => toMarkdown(read(name)))
        .toReversed(),
    ).toEqual(first);
  });
});

describe("readMarkdownStamp (P39)", () => {
  const jsonSha256 = sha256Hex(renderJson(signup));

  it("finds packet id and digest at the end of what was rendered", () => {
    expect(readMarkdownStamp(toMarkdown(signup))).toEqual({
      packet_id: signup.packet_id,
      sha256: jsonSha256,
    });
  });

  it("also with a project's own template, and with line ends and spaces behind it", () => {
    const overrides = { handoff: { path: "t.hbs", source: "mine" } };
    const markdown = renderMarkdown(signup, { jsonSha256, overrides });
    expect(markdown).toMatch(/^mine\n\n<!--/u);
    expect(readMarkdownStamp(`${markdown.replaceAll("\n", "\r\n")}\n`)).not.toBeNull();
  });

  it("is not fooled by a text that looks like one", () => {
    const forged = `<!-- handoff-packet hp_${"0".repeat(16)} sha256:${"0".repeat(64)} -->`;
    const packet = {
      ...signup,
      summary: forged,
      failed_attempts: signup.failed_attempts.map((a) => ({ ...a, excerpt: forged })),
    };
    expect(readMarkdownStamp(toMarkdown(packet))?.packet_id).toBe(signup.packet_id);
    expect(readMarkdownStamp(`${forged}\nmore`)).toBeNull();
    expect(readMarkdownStamp(`text ${forged}`)).toBeNull();
    expect(readMarkdownStamp("")).toBeNull();
  });
});

it("P39 says when a person's edit, and not the session, names the next action", () => {
  const source = { path: "outputs/handoff/s-1/edits.json", pointer: "/next_action" };
  const edited = { ...signup, next_action_source: { derived: false, rule: "recorded" as const, source } };
  expect(toMarkdown(edited)).toContain("Edited by a person, `outputs/handoff/s-1/edits.json#/next_action`.");
  expect(toMarkdown(signup)).not.toContain("Edited by a person");
});

describe("renderJson (P34)", () => {
  it("orders keys by schema whatever order they come in, and is read back equal", () => {
    const shuffled = Object.fromEntries(Object.entries(signup).toReversed()) as HandoffPacket;
    const omitted = { scene: 1, commands_run: 405 };
    const text = renderJson({ ...shuffled, omitted });
    expect(text).toBe(renderJson({ ...signup, omitted: { commands_run: 405, scene: 1 } }));
    expect(JSON.parse(text)).toEqual({ ...signup, omitted });
    expect(Object.keys(JSON.parse(text) as object)).toEqual(Object.keys(handoffPacketSchema.shape));
    expect(text).toMatch(/^\{\n {2}"schema_version": "1.0",\n.*\n\}\n$/su);
  });
});
