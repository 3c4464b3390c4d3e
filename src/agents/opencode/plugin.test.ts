// The plugin as OpenCode calls it, in this process, with a real program at the other end of it: what is told of what, in which
// order, and that nothing OpenCode could do to it, or that program, ever reaches OpenCode.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../workbench/git/test-repository.js";
import { openCodeSettings } from "./settings.js";

type Hook = (input: unknown, output?: unknown) => Promise<void>;
type Hooks = Readonly<Record<string, Hook>>;
type Told = Readonly<Record<string, unknown>>;

interface Bench {
  readonly folder: string;
  /** What a person at a terminal was shown. */
  readonly toasts: readonly unknown[];
  readonly hooks: Hooks;
  /** What the program was given so far, in the order it was called in. */
  readonly told: () => Told[];
}

const RECORDER = `
import { appendFileSync } from "node:fs";
let text = "";
for await (const chunk of process.stdin) text += chunk;
appendFileSync("told.jsonl", JSON.stringify({ event: process.argv[2], ...JSON.parse(text) }) + "\\n");
if (process.argv[2] === "SessionStart") process.stdout.write(JSON.stringify({ brief: "You are taking over", notice: "taken over" }));
`;

function textOf(command: string): string {
  const { form } = openCodeSettings;
  if (form.kind !== "own_file") throw new Error("not a file of our own");
  return form.text(command);
}

/** Loads the plugin as it is installed, with `program` in place of handoff; `parents` are sessions of another process. */
async function load(program?: string, parents: Readonly<Record<string, string | null>> = {}): Promise<Bench> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "recorder.mjs"), RECORDER);
  const command = program ?? `'${process.execPath}' '${path.join(folder, "recorder.mjs")}'`;
  mkdirSync(path.join(folder, "plugin"));
  const file = path.join(folder, "plugin/handoff.mjs");
  writeFileSync(file, textOf(command));
  const { Handoff } = (await import(pathToFileURL(file).href)) as {
    Handoff: (context: unknown) => Promise<Hooks>;
  };
  const get = ({ path: { id } }: { path: { id: string } }): Promise<unknown> =>
    id in parents
      ? Promise.resolve({ data: { id, parentID: parents[id] ?? undefined, agent: "helper" } })
      : Promise.reject(new Error("no such session"));
  const toasts: unknown[] = [];
  const showToast = (toast: unknown): Promise<void> => {
    toasts.push(toast);
    return Promise.reject(new Error("nobody is there"));
  };
  return {
    folder,
    toasts,
    hooks: await Handoff({ directory: folder, client: { session: { get }, tui: { showToast } } }),
    told: () => {
      if (!readdirSync(folder).includes("told.jsonl")) return [];
      const lines = readFileSync(path.join(folder, "told.jsonl"), "utf8").trim().split("\n");
      return lines.map((line) => JSON.parse(line) as Told);
    },
  };
}

const created = (id: string, parentID?: string) => ({
  event: { type: "session.created", properties: { sessionID: id, info: { id, parentID, agent: "general" } } },
});
const idle = (id: string) => ({ event: { type: "session.idle", properties: { sessionID: id } } });

/** A message a person sends; its parts afterwards. */
async function say({ hooks }: Bench, sessionID: string, text: string): Promise<Record<string, unknown>[]> {
  const parts = [{ id: "prt_1", type: "text", text, sessionID, messageID: "msg_1" }];
  await hooks["chat.message"]?.({ sessionID, model: { modelID: "m-1" } }, { message: {}, parts });
  return parts;
}

async function bash({ hooks }: Bench, sessionID: string, callID: string, exit: number | null): Promise<void> {
  await hooks["tool.execute.before"]?.({ tool: "bash", sessionID, callID }, { args: {} });
  await hooks["tool.execute.after"]?.(
    { tool: "bash", sessionID, callID, args: { command: "npm test", description: "try" } },
    { title: "x", output: "said\n", metadata: { exit, output: "said\n" } },
  );
}

const kinds = (told: readonly Told[]): unknown[] => told.map(({ event }) => event);

describe("A5 the plugin", () => {
  test("A7 A9 tells a session from its first prompt to its end, in order, and waits for the last word", async () => {
    const b = await load();
    await b.hooks["event"]?.(created("ses_1"));
    await say(b, "ses_1", "do it");
    await bash(b, "ses_1", "call_1", 3);
    await b.hooks["tool.execute.after"]?.(
      { tool: "write", sessionID: "ses_1", callID: "call_2", args: { filePath: "/p/a.txt", content: "x" } },
      { title: "", output: "Wrote", metadata: {} },
    );
    await b.hooks["tool.execute.after"]?.(
      { tool: "read", sessionID: "ses_1", callID: "call_3", args: { filePath: "/p/a.txt" } },
      { title: "", output: "x", metadata: {} },
    );
    await b.hooks["experimental.text.complete"]?.({ sessionID: "ses_1" }, { text: "Done." });
    await b.hooks["experimental.session.compacting"]?.({ sessionID: "ses_1" }, { context: [] });
    await b.hooks["event"]?.(idle("ses_1"));
    // Nothing was done since.
    await b.hooks["event"]?.(idle("ses_1"));
    await b.hooks["dispose"]?.(undefined);
    expect(b.told()).toMatchObject([
      { event: "SessionStart", session_id: "ses_1", source: "startup", cwd: b.folder, model: "m-1" },
      { event: "UserPromptSubmit", prompt: "do it" },
      {
        event: "PostToolUse",
        hook_event_name: "PostToolUse",
        tool_name: "bash",
        tool_use_id: "call_1",
        tool_input: { command: "npm test", description: "try" },
        tool_response: { output: "said\n", exit: 3 },
        duration_ms: expect.any(Number),
      },
      { event: "PostToolUse", tool_name: "write", tool_response: { files: ["/p/a.txt"] } },
      { event: "PreCompact" },
      { event: "Stop", last_assistant_message: "Done." },
      { event: "SessionEnd", reason: "exit" },
    ]);
  });

  test("A14 the brief becomes a part of the first message, and of no other", async () => {
    const b = await load();
    await b.hooks["event"]?.(created("ses_1"));
    const [own, brief] = await say(b, "ses_1", "do it");
    expect(own).toMatchObject({ text: "do it" });
    expect(brief).toEqual({
      id: "prt_10",
      type: "text",
      text: "You are taking over",
      synthetic: true,
      sessionID: "ses_1",
      messageID: "msg_1",
    });
    expect(await say(b, "ses_1", "and more")).toHaveLength(1);
    await expect
      .poll(() => b.toasts, { timeout: 30_000 })
      .toMatchObject([{ body: { message: "taken over", variant: "info" } }]);
    // A session of an earlier process.
    const other = await load(undefined, { ses_old: null });
    await say(other, "ses_old", "go on");
    expect(other.told()[0]).toMatchObject({ event: "SessionStart", source: "resume" });
    await other.hooks["dispose"]?.(undefined);
    await b.hooks["dispose"]?.(undefined);
  });

  test("A7 a helper's work belongs to the session that asked for it, however deep; its own start and end to nobody", async () => {
    const b = await load(undefined, { ses_deep: "ses_2" });
    await b.hooks["event"]?.(created("ses_1"));
    await b.hooks["event"]?.(created("ses_2", "ses_1"));
    await say(b, "ses_1", "do it");
    await say(b, "ses_2", "help");
    await bash(b, "ses_2", "call_1", 5);
    await bash(b, "ses_deep", "call_2", 0);
    await b.hooks["event"]?.(idle("ses_2"));
    const env: Record<string, string> = {};
    await b.hooks["shell.env"]?.({ cwd: "/", sessionID: "ses_deep" }, { env });
    expect(env).toEqual({ HANDOFF_SESSION_ID: "ses_1" });
    await b.hooks["dispose"]?.(undefined);
    const told = b.told();
    expect(kinds(told)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PostToolUse",
      "PostToolUse",
      "Stop",
      "SessionEnd",
    ]);
    expect(told.every(({ session_id }) => session_id === "ses_1")).toBe(true);
    expect(told[2]).toMatchObject({ agent_id: "ses_2", agent_type: "general" });
    expect(told[3]).toMatchObject({ agent_id: "ses_deep", agent_type: "helper" });
    expect(told[4]).not.toHaveProperty("agent_id");
  });

  test("A7 an output of any length is handed over by its ends", async () => {
    const b = await load();
    const output = `first\n${"x".repeat(3_000_000)}\nlast\n`;
    await b.hooks["tool.execute.after"]?.(
      { tool: "bash", sessionID: "ses_1", callID: "c", args: { command: "make" } },
      { title: "", output, metadata: { exit: 1 } },
    );
    await b.hooks["dispose"]?.(undefined);
    const [record] = b.told() as { tool_response: { output: string } }[];
    expect(record?.tool_response.output).toMatch(/^first\n[^]*\n…\n[^]*\nlast\n$/u);
    expect(record?.tool_response.output.length).toBeLessThan(300_000);
  });

  test.each([
    ["is missing", "/no/such/program"],
    ["fails", "exit 3 #"],
    ["says what is no brief", "echo not JSON #"],
    ["says another JSON", "echo null #"],
    ["takes nothing and says nothing", "true #"],
  ])("A6 OpenCode goes on when our program %s", async (_name, program) => {
    const b = await load(program);
    await b.hooks["event"]?.(created("ses_1"));
    expect(await say(b, "ses_1", "do it")).toHaveLength(1);
    await bash(b, "ses_1", "call_1", 0);
    await b.hooks["event"]?.(idle("ses_1"));
    await b.hooks["dispose"]?.(undefined);
    expect(b.toasts).toEqual([]);
  });

  test("A7 what our program printed wrongly costs no event", async () => {
    const b = await load(`cat >> told.txt && echo '"' #`);
    await b.hooks["event"]?.(created("ses_1"));
    await say(b, "ses_1", "do it");
    await b.hooks["dispose"]?.(undefined);
    const told = readFileSync(path.join(b.folder, "told.txt"), "utf8");
    expect([...told.matchAll(/"hook_event_name":"(\w+)"/gu)].map(([, event]) => event)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "Stop",
      "SessionEnd",
    ]);
  });

  test("A6 and whatever OpenCode may hand to it", async () => {
    const b = await load("true #");
    for (const hook of Object.values(b.hooks))
      for (const value of [undefined, null, 3, {}, { event: null }, { event: { type: "session.created" } }])
        await expect(hook(value, value)).resolves.toBeUndefined();
  });

  test("A1 is known as ours, in every version, and a foreign file is not", () => {
    const { form } = openCodeSettings;
    const isOurs = form.kind === "own_file" ? form.isOurs : () => false;
    expect(isOurs(textOf("handoff hook opencode"))).toBe(true);
    expect(isOurs("export const Mine = async () => ({})\n")).toBe(false);
    // As it lies in templates/ it works where handoff is on the PATH.
    const template = readFileSync(
      path.join(import.meta.dirname, "../../../templates/opencode/handoff.js"),
      "utf8",
    );
    expect(textOf("handoff hook opencode")).toBe(template);
    expect(textOf(String.raw`'/a "b"/$&\n' hook`)).toContain(
      String.raw`const COMMAND = "'/a \"b\"/$&\\n' hook";`,
    );
  });
});
