// Fields of a hook payload, one at a time: a payload is somebody else's JSON, and a wrong field is an absent one.
import type { HookBase, HookEvent } from "./agent.js";

/** A payload, or a part of it, that is an object. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at `name`; an empty one where there is none. */
export function fieldsAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

/** A text with something in it, else null. */
export function textAt(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** A finite number that is not negative, else null. */
export function countAt(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Far more than there ever is of tokens, calls and codes. */
const MOST = 1e12;

/** A count as a whole number, rounded down; null for none, and for more than there can be of anything. */
export function wholeAt(fields: Fields, name: string): number | null {
  const count = countAt(fields, name);
  return count === null || count > MOST ? null : Math.floor(count);
}

/** An event's name without case, hyphens and underscores. */
export function eventKey(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/gu, "");
}

/** What all payloads tell; null when it is no payload of a hook. */
export function hookBase(payload: unknown): (HookBase & { readonly fields: Fields }) | null {
  if (!isFields(payload)) return null;
  const session_id = textAt(payload, "session_id");
  if (session_id === null) return null;
  const agent = textAt(payload, "agent_id");
  const model = payload["model"];
  return {
    fields: payload,
    session_id,
    cwd: textAt(payload, "cwd") ?? "",
    transcript_path: textAt(payload, "transcript_path"),
    subagent: agent === null ? null : { id: agent, type: textAt(payload, "agent_type") },
    // A status line names its model as an object.
    model: isFields(model) ? textAt(model, "id") : textAt(payload, "model"),
  };
}

/** A payload with the key of its event: the one it is called for, else the one it names; null when it is no payload of a hook. */
export function hookCall(
  eventName: string,
  payload: unknown,
): { readonly key: string; readonly base: HookBase; readonly fields: Fields } | null {
  const read = hookBase(payload);
  if (read === null) return null;
  const { fields, ...base } = read;
  const name = eventName === "" ? (textAt(fields, "hook_event_name") ?? "") : eventName;
  return { key: eventKey(name), base, fields };
}

/** The events that every agent tells alike; null for any other. */
export function commonEvent(key: string, base: HookBase, fields: Fields): HookEvent | null {
  switch (key) {
    case "sessionstart":
      return { ...base, kind: "session_start", source: textAt(fields, "source") ?? "startup" };
    case "sessionend":
      return { ...base, kind: "session_end", reason: textAt(fields, "reason") };
    default:
      return null;
  }
}

/** A turn is over; the agent's last words stand at `said`. */
export function stopEvent(base: HookBase, fields: Fields, said: string): HookEvent {
  return {
    ...base,
    kind: "stop",
    active: fields["stop_hook_active"] === true,
    last_message: textAt(fields, said),
  };
}

/** A tool call that is none of a recorder's business. */
export function ignoredTool(base: HookBase, tool: string): HookEvent {
  return { ...base, kind: "ignored", why: `${tool || "a tool"} ran no command and wrote no file` };
}

/** The output of a hook that adds `brief` to the context and tells the person `notice`. */
export function contextOutput(hookEventName: string, brief: string, notice: string): string {
  return JSON.stringify({
    systemMessage: notice,
    hookSpecificOutput: { hookEventName, additionalContext: brief },
  });
}
