// P37: a project's own templates, and what they can and cannot do.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseMarkdown, shapeOf } from "../../fixtures/markdown-tree.js";
import { HandoffError } from "../model/errors.js";
import { handoffPacketSchema, type HandoffPacket } from "../model/packet.js";
import { renderBrief } from "./render-brief.js";
import { renderMarkdown } from "./render-markdown.js";
import { renderPrBody } from "./render-pr-body.js";
import { TEMPLATE_HELPERS } from "./template-helpers.js";
import { loadTemplate } from "./templates.js";

const root = new URL("../../", import.meta.url);
const signup = handoffPacketSchema.parse(
  JSON.parse(readFileSync(new URL("fixtures/packets/signup.json", root), "utf8")),
);
const jsonSha256 = "0".repeat(64);
const at = (source: string): { path: string; source: string } => ({ path: "mine/handoff.hbs", source });
/** What an own handoff template makes of a packet, the stamp aside. */
const own = (source: string, packet: HandoffPacket = signup): string =>
  renderMarkdown(packet, { jsonSha256, overrides: { handoff: at(source) } }).split(
    "\n\n<!-- handoff-packet",
  )[0] ?? "";

function failureOf(work: () => unknown): HandoffError {
  try {
    work();
  } catch (error) {
    if (error instanceof HandoffError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

/** What a template makes; empty when it is refused. */
function madeOrRefused(source: string): string {
  try {
    return own(source);
  } catch (error) {
    if (error instanceof HandoffError) return "";
    throw error;
  }
}

describe("a broken template (P37)", () => {
  it.each([
    ["an open block", "a\n{{#if doing}}\nb", 3, /parse|expecting/iu],
    ["a wrong end", "a\n{{#if doing}}\nb\n{{/each}}", 2, /if doesn't match each/u],
    ["a stray brace", "a\n\n{{doing", 3, /expecting/iu],
    ["an unknown field", "a\n\n{{nxt_action}}", 3, /there is no field "nxt_action"/u],
    [
      "an unknown field in a list",
      "{{#each decisions}}\n- {{whut}}\n{{/each}}",
      2,
      /there is no field "whut"/u,
    ],
    ["an unknown field of an object", "\n{{git.brunch}}", 2, /there is no field "brunch"/u],
    [
      "an unknown field behind a condition that this packet does not meet",
      "{{#if degraded}}\n{{nope}}\n{{/if}}",
      2,
      /there is no field "nope"/u,
    ],
    [
      "a field of what may be null",
      "a\n{{degraded.reason}}",
      2,
      /"reason" is asked of something that may be null/u,
    ],
    ["an unknown helper", "a\n{{shout doing}}", 2, /there is no helper shout/u],
    ["an unknown helper in a condition", "a\n\n{{#if (gt 1 2)}}x{{/if}}", 3, /there is no helper gt/u],
    ["an unknown block helper", "{{#repeat 3}}x{{/repeat}}", 1, /there is no helper repeat/u],
    ["a partial", "a\n{{> header}}", 2, /partials are not available/u],
    ["a decorator", "a\n{{* x}}", 2, /decorators are not available/u],
    ["the text behind a value", "{{#with doing}}\n{{raw}}\n{{/with}}", 2, /there is no field "raw"/u],
  ])("%s: an error with file and line", (_name, source, line, message) => {
    const error = failureOf(() => own(source));
    expect(error).toMatchObject({
      code: "template.broken",
      exitCode: 2,
      place: { path: "mine/handoff.hbs", line },
    });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("\n");
  });

  it("the same for the brief and the pull request body", () => {
    const broken = { path: "b.hbs", source: "\n{{nope}}" };
    expect(failureOf(() => renderBrief(signup, { overrides: { brief: broken } })).place).toEqual({
      path: "b.hbs",
      line: 2,
    });
    expect(failureOf(() => renderPrBody(signup, { overrides: { pr_body: broken } })).place).toEqual({
      path: "b.hbs",
      line: 2,
    });
  });

  it.each([
    "{{next_action.constructor}}",
    "{{next_action.toString}}",
    "{{next_action.__proto__}}",
    "{{lookup next_action 'constructor'}}",
    "{{constructor}}",
  ])("%s reaches nothing", (source) => {
    // Either an error of ours (anything else is thrown on) or nothing to see.
    const made = madeOrRefused(source);
    expect(made.trim()).not.toMatch(/function|object/u);
  });
});

describe("a project's own template (P37, P38)", () => {
  it("sees the packet's own field names, lists and counters", () => {
    expect(
      own("{{task_id}} {{branch}} {{feedback.total}} {{lookup omitted 'commands_run'}} {{git.dirty}}"),
    ).toBe("T-001 feat/signup 412 405 true");
    expect(own("{{#each changed_files}}{{asCode path}} {{change}} {{insertions}};{{/each}}")).toContain(
      "`app/signup.py` modified 41;",
    );
    expect(own("{{#each redactions}}{{@key}}={{this}}{{/each}}")).toBe("aws-access-key=1");
    expect(own("{{#if doing}}yes{{else}}no{{/if}}{{#if superseded_by}}yes{{else}}no{{/if}}")).toBe("yesno");
  });

  it.each([
    "{{next_action}}",
    "{{{next_action}}}",
    "{{&next_action}}",
    "text\n{{next_action}}",
    "{{asProse next_action}}",
    "{{asLines next_action}}",
    "{{#each scene}}{{this}}\n{{/each}}",
  ])("a naive %j cannot make structure", (source) => {
    const text = "## Fake heading\n\n- item <b>x</b> @name";
    const packet = { ...signup, next_action: text, scene: [text, "===", text] };
    const plain = { ...signup, next_action: "plain", scene: ["plain", "plain", "plain"] };
    expect(shapeOf(parseMarkdown(own(source, packet)))).toBe(shapeOf(parseMarkdown(own(source, plain))));
    expect(own(source, packet)).not.toMatch(/^##|(?<!\\)<b>|[^`]@name/mu);
  });

  it("escapes the names of counters too", () => {
    const packet = { ...signup, redactions: { "# <b>": 1 } };
    expect(own("{{#each redactions}}{{@key}}{{/each}}", packet)).toBe("\\# \\<b>");
  });

  it.each([
    ["{{asCode next_action}}", "`a|b  @c`"],
    ["{{asCell next_action}}", "`a\\|b  @c`"],
    ["{{asProse next_action max=4}}", "a…"],
    ['{{asFence next_action info="sh"}}', "```sh\na|b  @c\n```"],
    ["- x\n\n  {{asFence next_action indent=2}}", "- x\n\n  ```\n  a|b  @c\n  ```"],
    ["{{short head_commit}}", "`1a954628a960`"],
    ["{{when generated_at}}", "2026-11-29 12:05 UTC"],
    ["{{when superseded_by}}", "–"],
    ["{{exit 3}}, {{exit null}}", "exit 3, no exit status"],
    ["{{times 1}} {{times 2}} {{times 3}}", "once twice 3 times"],
    ['{{plural 1 "file" "files"}}, {{plural 0 "file" "files"}}', "1 file, 0 files"],
    ["{{place next_action_source.source}}", "`agent_state.json#/next_action`"],
    ["{{#each feedback.tail}}{{#if @first}}{{place source}}{{/if}}{{/each}}", "`feedback_record.jsonl:407`"],
    ['{{#if (eq status "active")}}a{{/if}}{{#if (eq status "x")}}b{{/if}}', "a"],
    ["{{#if (any superseded_by carried_forward)}}a{{/if}}{{#if (any superseded_by degraded)}}b{{/if}}", "a"],
    ["{{#if (isNumber verdict_pointer.review.total)}}a{{/if}}", "a"],
    ["{{#data}}\n{{next_action}}\n{{/data}}", "```text\na|b @c\n```"],
  ])("%s", (source, expected) => {
    expect(own(source, { ...signup, next_action: "a|b  @c" })).toBe(expected);
  });

  it("keeps a text inside {{#data}} in its fence, on one line", () => {
    const made = own('{{#data}}\n{{next_action}}\n{{asLines summary prefix="> "}}\n{{/data}}', {
      ...signup,
      next_action: "```\n# x",
      summary: "````\n~~~\n# y",
    });
    expect(made).toBe("`````text\n``` # x\n> ````\n> ~~~\n> # y\n`````");
  });

  it("no helper hides a field of the packet", () => {
    const fields = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) fields.add(key);
        collect(item);
      }
    };
    collect(signup);
    expect(Object.keys(TEMPLATE_HELPERS).filter((name) => fields.has(name))).toEqual([]);
  });
});

describe("our own templates (P37)", () => {
  it("are the files in templates/, each in use", () => {
    for (const name of ["handoff", "brief", "pr_body"] as const)
      expect(loadTemplate(name)).toBe(loadTemplate(name));
    expect(
      readdirSync(new URL("templates/", root))
        .filter((file) => file.endsWith(".hbs"))
        .toSorted(),
    ).toEqual(["brief.md.hbs", "handoff.md.hbs", "pr-body.md.hbs"]);
  });
});
