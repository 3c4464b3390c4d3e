// A1, for any JSON in any layout: what init puts in comes out again byte for byte, twice is once, and nothing else changes.
import fc from "fast-check";
import { expect, test } from "vitest";
import { AGENT_SETTINGS } from "../agents/settings-registry.js";
import { blankComments } from "./json-comments.js";
import { hooksIn, planInstall, planRemoval } from "./plan-settings.js";
import { settingsTexts } from "./settings-texts-fixture.js";

const [agent] = AGENT_SETTINGS;
if (agent?.form.kind !== "hooks") throw new Error("no hooks");
const { form } = agent;
const EVENTS = form.hooks.map(({ event }) => event);

const { settings, value } = settingsTexts(EVENTS, false);

const parse = (text: string): unknown => JSON.parse(blankComments(text).replace(/^\ufeff/u, ""));

/** Everything that is not ours: the groups with our command are dropped, and so are lists and objects they leave empty. */
function foreign(text: string): unknown {
  const { hooks: found, ...rest } = parse(text) as { hooks?: Record<string, unknown[]> };
  const kept = Object.entries(found ?? {}).map(([event, groups]) => [
    event,
    groups.filter((one) => !JSON.stringify(one).includes("handoff hook claude-code")),
  ]);
  return { ...rest, hooks: Object.fromEntries(kept.filter(([, groups]) => (groups ?? []).length > 0)) };
}

const file = (text: string) => ({ agent, path: "/w/settings.json", text });

test("A1 install and uninstall give the same bytes, install twice is once, what is foreign stays equal", () => {
  fc.assert(
    fc.property(settings, (text) => {
      const installed = planInstall(file(text), "handoff hook claude-code", {});
      const after = installed.after ?? "";
      expect(
        hooksIn(file(after))
          .map(({ event }) => event)
          .toSorted(),
      ).toEqual(EVENTS.toSorted());
      expect(foreign(after)).toEqual(foreign(text));
      const again = planInstall(file(after), "handoff hook claude-code", installed.entry);
      expect([again.after, again.entry]).toEqual([after, installed.entry]);
      expect(planRemoval(file(after), installed.entry).after).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("A1 another path of ours is replaced in place, and uninstalling still gives the bytes of before", () => {
  fc.assert(
    fc.property(settings, (text) => {
      const first = planInstall(
        file(text),
        "'/opt/a b/node' /opt/handoff-packet/dist/cli/main.js hook claude-code",
        {},
      );
      const second = planInstall(file(first.after ?? ""), "handoff hook claude-code", first.entry);
      expect(second.after).not.toContain("/opt/handoff-packet");
      expect(second.after).toBe(planInstall(file(text), "handoff hook claude-code", {}).after);
      expect(planRemoval(file(second.after ?? ""), second.entry).after).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test("A1 a member that a person adds or takes away in between is theirs: only ours go", () => {
  fc.assert(
    fc.property(settings, value, (text, mine) => {
      const installed = planInstall(file(text), "handoff hook claude-code", {});
      const edited = (installed.after ?? "").replace("{", () => `{"mine":${mine},`);
      const left = planRemoval(file(edited), installed.entry).after ?? "";
      expect(left).not.toContain("handoff hook claude-code");
      expect(foreign(left)).toEqual({ ...(foreign(edited) as object) });
    }),
    { numRuns: 200 },
  );
});

test("A1 where an agent allows comments and trailing commas they all stay, and the bytes come back", () => {
  const relaxed = { ...agent, form: { ...form, allowsComments: true } };
  const read = (text: string) => ({ agent: relaxed, path: "/w/settings.json", text });
  fc.assert(
    fc.property(settingsTexts(EVENTS, true).settings, (text) => {
      const installed = planInstall(read(text), "handoff hook claude-code", {});
      const after = installed.after ?? "";
      expect(
        hooksIn(read(after))
          .map(({ event }) => event)
          .toSorted(),
      ).toEqual(EVENTS.toSorted());
      expect(foreign(after)).toEqual(foreign(text));
      for (const comment of text.match(/\/\* .*? \*\/|\/\/ [^\r\n"]+/gsu) ?? [])
        expect(after).toContain(comment);
      const again = planInstall(read(after), "handoff hook claude-code", installed.entry);
      expect([again.after, again.entry]).toEqual([after, installed.entry]);
      expect(planRemoval(read(after), installed.entry).after).toBe(text);
    }),
    { numRuns: 500 },
  );
});
