// Our hooks in the `hooks` object that several agents keep in their settings: put in, brought up to date, taken out again
// (A1). They are known by their command, wherever a person moved them. Pure: text in, text out.
import { UsageError } from "../model/errors.js";
import {
  appendChild,
  openJson,
  removeChild,
  setMember,
  treeOf,
  valueOf,
  type JsonSource,
} from "./json-edit.js";
import { layoutOf, spellJson, type JsonValue } from "./json-layout.js";
import { memberOf, type JsonNode } from "../text/json-tree.js";

/** A hook as it shall be. */
export interface WantedHook {
  readonly event: string;
  /** Which tools it is for; null: no such choice. */
  readonly matcher: string | null;
  /** The handler's members in order; among them `command`. */
  readonly handler: Readonly<Record<string, JsonValue>>;
}

/** Whose settings these are. */
export interface HooksFile {
  /** For errors. */
  readonly path: string;
  readonly allowsComments: boolean;
  readonly isOurs: (command: string) => boolean;
}

/** Containers that were there and empty, by JSON pointer: what stood between their brackets. */
export type EmptyContainers = Readonly<Record<string, string>>;

/** A handler of ours, and where it is. */
export interface OurHook {
  readonly event: string;
  readonly command: string;
  readonly matcher: string | null;
  readonly at: { readonly event: number; readonly group: number; readonly handler: number };
  /** All handlers of its group are ours. */
  readonly isAlone: boolean;
}

const pointer = (event: string): string => `/hooks/${event.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function unexpected(file: HooksFile, source: JsonSource, node: JsonNode, what: string): UsageError {
  const line = source.text.slice(0, node.start).split("\n").length;
  return new UsageError(
    "settings.unexpected",
    `${what}, so hooks cannot be added without changing what is there`,
    "mend the file, or move it away",
    { path: file.path, line },
  );
}

function hooksOf(file: HooksFile, source: JsonSource): JsonNode | undefined {
  const root = treeOf(source);
  if (root.kind !== "object") throw unexpected(file, source, root, "the file holds no JSON object");
  const hooks = memberOf(root, "hooks");
  if (hooks !== undefined && hooks.kind !== "object")
    throw unexpected(file, source, hooks, "hooks is no object");
  return hooks;
}

const textAt = (source: JsonSource, node: JsonNode | undefined): string | null => {
  const value = node?.kind === "scalar" ? valueOf(source, node) : null;
  return typeof value === "string" ? value : null;
};

function handlersOf(group: JsonNode): readonly JsonNode[] {
  const handlers = memberOf(group, "hooks");
  return handlers?.kind === "array" ? handlers.children.map(({ value }) => value) : [];
}

function findOurs(file: HooksFile, source: JsonSource): OurHook[] {
  const found: OurHook[] = [];
  for (const [e, event] of (hooksOf(file, source)?.children ?? []).entries())
    for (const [g, { value: group }] of event.value.children.entries()) {
      const commands = handlersOf(group).map((handler) => textAt(source, memberOf(handler, "command")));
      const isOurs = commands.map((command) => command !== null && file.isOurs(command));
      for (const [h, command] of commands.entries())
        if (isOurs[h] === true)
          found.push({
            event: event.key ?? "",
            command: command ?? "",
            matcher: textAt(source, memberOf(group, "matcher")),
            at: { event: e, group: g, handler: h },
            isAlone: isOurs.every(Boolean),
          });
    }
  return found;
}

/** Our handlers in a settings text that is JSON. Throws UsageError where `hooks` is no object. */
export function readOurHooks(text: string, file: HooksFile): readonly OurHook[] {
  return findOurs(file, openJson(text, file.allowsComments));
}

/** Takes one of our handlers out: its whole group when it holds nothing else, and every container that is empty then. */
function removeOne(file: HooksFile, source: JsonSource, ours: OurHook, kept: EmptyContainers): JsonSource {
  const root = treeOf(source);
  const hooks = memberOf(root, "hooks");
  const event = hooks?.children[ours.at.event];
  const group = event?.value.children[ours.at.group]?.value;
  if (hooks === undefined || event === undefined || group === undefined) return source;
  const handlers = memberOf(group, "hooks");
  if (handlers !== undefined && handlers.children.length > 1)
    return removeChild(source, handlers, ours.at.handler, "");
  const inner = kept[pointer(ours.event)];
  if (event.value.children.length > 1 || inner !== undefined)
    return removeChild(source, event.value, ours.at.group, inner ?? "");
  const innerHooks = kept["/hooks"];
  if (hooks.children.length > 1 || innerHooks !== undefined)
    return removeChild(source, hooks, ours.at.event, innerHooks ?? "");
  return removeChild(
    source,
    root,
    root.children.findLastIndex(({ key }) => key === "hooks"),
    "",
  );
}

/** Takes out what `isWanted` does not keep, one by one, since each removal moves the others. */
function removeUnwanted(
  file: HooksFile,
  start: JsonSource,
  kept: EmptyContainers,
  isWanted: (ours: OurHook, all: readonly OurHook[]) => boolean,
): JsonSource {
  let source = start;
  for (;;) {
    const all = findOurs(file, source);
    const last = all.findLast((ours) => !isWanted(ours, all));
    if (last === undefined) return source;
    source = removeOne(file, source, last, kept);
  }
}

const groupOf = ({ matcher, handler }: WantedHook): JsonValue => ({
  ...(matcher === null ? {} : { matcher }),
  hooks: [handler],
});

/** The group that our handler of an event is in, and the handler, as they stand now. */
function placeOf(file: HooksFile, source: JsonSource, event: string) {
  const ours = findOurs(file, source).find((one) => one.event === event);
  const group = hooksOf(file, source)?.children[ours?.at.event ?? -1]?.value.children[ours?.at.group ?? -1]
    ?.value;
  const handler = group === undefined ? undefined : handlersOf(group)[ours?.at.handler ?? -1];
  return ours === undefined || group === undefined || handler === undefined ? null : { ours, group, handler };
}

/** Brings the handler of an event up to date; members that we know nothing of stay. Null when there is none. */
function update(file: HooksFile, start: JsonSource, wanted: WantedHook): JsonSource | null {
  let source = start;
  for (const [key, value] of Object.entries(wanted.handler)) {
    const place = placeOf(file, source, wanted.event);
    if (place === null) return null;
    source = setMember(source, place.handler, key, value);
  }
  const place = placeOf(file, source, wanted.event);
  if (place !== null && place.ours.isAlone && wanted.matcher !== null)
    source = setMember(source, place.group, "matcher", wanted.matcher);
  return source;
}

/**
 * A settings text with our hooks in it, each once. Ours that are there are brought up to date in place, new ones come
 * behind those of others (whose place may matter: Codex knows a trusted hook by it).
 * @param kept what an earlier merge found empty
 * @throws UsageError `settings.unexpected` where the text has something else than hooks can be put into
 */
export function mergeHooks(
  text: string,
  wanted: readonly WantedHook[],
  file: HooksFile,
  kept: EmptyContainers = {},
): { readonly text: string; readonly empty: EmptyContainers } {
  const empty: Record<string, string> = { ...kept };
  const noteEmpty = (at: string, source: JsonSource, node: JsonNode): void => {
    if (node.children.length === 0) empty[at] = source.text.slice(node.start + 1, node.end - 1);
  };
  let source = openJson(text, file.allowsComments);
  source = removeUnwanted(file, source, kept, (ours, all) => {
    const isFirst = all.find(({ event }) => event === ours.event) === ours;
    return isFirst && wanted.some(({ event }) => event === ours.event);
  });
  const had = hooksOf(file, source);
  if (had === undefined) {
    const hooks = Object.fromEntries(wanted.map((one) => [one.event, [groupOf(one)]]));
    return { text: appendChild(source, treeOf(source), "hooks", hooks).text, empty };
  }
  noteEmpty("/hooks", source, had);
  for (const one of wanted) {
    const updated = update(file, source, one);
    if (updated !== null) {
      source = updated;
      continue;
    }
    const hooks = hooksOf(file, source) ?? had;
    const groups = memberOf(hooks, one.event);
    if (groups === undefined) source = appendChild(source, hooks, one.event, [groupOf(one)]);
    else if (groups.kind !== "array")
      throw unexpected(file, source, groups, `hooks.${one.event} is no array`);
    else {
      noteEmpty(pointer(one.event), source, groups);
      source = appendChild(source, groups, null, groupOf(one));
    }
  }
  return { text: source.text, empty };
}

/** A settings text without our hooks, and whether anything else is left in it. */
export function removeHooks(
  text: string,
  file: HooksFile,
  kept: EmptyContainers,
): { readonly text: string; readonly isEmpty: boolean } {
  const source = removeUnwanted(file, openJson(text, file.allowsComments), kept, () => false);
  const root = treeOf(source);
  return { text: source.text, isEmpty: root.kind === "object" && root.children.length === 0 };
}

/** A settings file that holds our hooks and nothing else. `blank` is what stood there instead, if only white space. */
export function newHooksText(wanted: readonly WantedHook[], blank: string): string {
  const layout = layoutOf(blank);
  const hooks = Object.fromEntries(wanted.map((one) => [one.event, [groupOf(one)]]));
  return `${blank.startsWith("\ufeff") ? "\ufeff" : ""}${spellJson({ hooks }, layout, "")}${layout.lineEnd}`;
}
