// Any settings file with hooks in it, in any layout; with comments and trailing commas where they are wanted.
import fc from "fast-check";

/** A scalar in one of its spellings. */
const scalar = fc.oneof(
  fc.constantFrom("null", "true", "false", "-0", "1e3", "1.50", "12345678901234567890", "0.1E-2"),
  fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0061\\/"', '"{\\"[,]:"', '"handoff hook"', '"//"', '"/*"'),
);
const name = fc
  .oneof(fc.string({ maxLength: 4 }), fc.constantFrom("hooks", "a", "env", "__proto__"))
  .map((text) => JSON.stringify(text));
const otherName = name.filter((key) => key !== '"hooks"');

const SPACES = ["", " ", "\n", "\r\n", "\t", "\n  ", "\r\n\t\t", " \n\n    "];
const COMMENTS = ["// note\n", " // , } ]\r\n  ", "/* { */", " /* a,\n b */ "];

/**
 * Texts of settings files.
 * @param events names of events that are likely to have hooks
 * @param commented with comments, and commas behind what is last
 */
export function settingsTexts(
  events: readonly string[],
  commented: boolean,
): { readonly settings: fc.Arbitrary<string>; readonly value: fc.Arbitrary<string> } {
  const space = fc.constantFrom(...SPACES, ...(commented ? COMMENTS : []));
  const gaps = fc.array(space, { minLength: 14, maxLength: 14 });
  const comma = commented ? fc.constantFrom("", ",") : fc.constant("");
  const joined = (
    [open, close]: string,
    parts: readonly string[],
    between: readonly string[],
    last: string,
  ): string => {
    const gap = (i: number): string => between[i] ?? "";
    const body = parts.map((part, i) => `${gap(2 * i)}${part}${gap(2 * i + 1)}`).join(",");
    return parts.length === 0 ? `${open}${gap(0)}${close}` : `${open}${body}${last}${gap(13)}${close}`;
  };
  const held = (brackets: string, parts: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
    fc.tuple(parts, gaps, comma).map(([all, between, last]) => joined(brackets, all, between, last));
  const member = (key: fc.Arbitrary<string>, of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(key, space, space, of).map(([k, before, behind, v]) => `${k}${before}:${behind}${v}`);
  const at = (key: string, of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    member(fc.constant(JSON.stringify(key)), of);
  const some = (one: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string[]> =>
    fc.array(one, { maxLength });
  const all = (...lists: fc.Arbitrary<string[]>[]): fc.Arbitrary<string[]> =>
    fc.tuple(...lists).map((each) => each.flat());

  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      held("[]", some(tie("value"), 3)),
      held("{}", some(member(name, tie("value")), 3)),
    ),
  }));
  const handler = held(
    "{}",
    all(
      at("command", scalar).map((one) => [one]),
      some(member(name, value), 1),
    ),
  );
  const group = held(
    "{}",
    all(some(at("matcher", scalar), 1), some(at("hooks", held("[]", some(handler, 3))), 1)),
  );
  const hooks = held(
    "{}",
    fc
      .uniqueArray(fc.constantFrom(...events, "Notification", "Other"), { maxLength: 4 })
      .chain((names) =>
        all(...names.map((event) => at(event, held("[]", some(group, 3))).map((one) => [one]))),
      ),
  );
  const others = (maxLength: number): fc.Arbitrary<string[]> => some(member(otherName, value), maxLength);
  const settings = fc
    .tuple(
      fc.constantFrom("", "\ufeff"),
      space,
      held("{}", all(others(3), some(at("hooks", hooks), 1), others(2))),
      space,
    )
    .map((parts) => parts.join(""));
  return { settings, value };
}
