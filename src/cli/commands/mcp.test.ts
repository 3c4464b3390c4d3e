// L1, L2, L3 and S13 with the built command line: the official client library talks to a real child process.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type CallToolResult, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { readOwnIdentity } from "../../io/process-identity.js";
import { plainEnvironment } from "../testing/built-cli.js";
import { put } from "../testing/sample-workbench.js";
import { packetIn, read, SESSION, useCli } from "../testing/use-cli.js";

const { cli, bench, folder, run, start } = useCli();
const TOKEN = `ghp_${"a1B2".repeat(9)}`;

interface Served {
  readonly client: Client;
  readonly call: (name: string, args?: Record<string, unknown>, meta?: object) => Promise<CallToolResult>;
  readonly transport: StdioClientTransport;
  /** What the server said on stderr. */
  readonly stderr: () => string;
}

const open: Served[] = [];
afterEach(async () => {
  for (const { client } of open.splice(0)) await client.close();
});

async function serve(
  cwd: string,
  { env = {}, roots }: { env?: Record<string, string>; roots?: readonly string[] } = {},
): Promise<Served> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli().main, "mcp"],
    cwd,
    env: plainEnvironment(env),
    stderr: "pipe",
  });
  const said: Buffer[] = [];
  transport.stderr?.on("data", (chunk: Buffer) => said.push(chunk));
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: roots === undefined ? {} : { roots: {} } },
  );
  if (roots !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
  await client.connect(transport);
  const served: Served = {
    client,
    transport,
    stderr: () => Buffer.concat(said).toString(),
    call: async (name, args = {}, meta) =>
      (await client.callTool({
        name,
        arguments: args,
        ...(meta === undefined ? {} : { _meta: { ...meta } }),
      })) as CallToolResult,
  };
  open.push(served);
  return served;
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((one) => (one.type === "text" ? one.text : "")).join("\n");

/** Lines in, lines out: what no client library would send. */
function speak(
  cwd: string,
  lines: readonly (string | Buffer)[],
): Promise<{ code: number | null; out: Record<string, unknown>[]; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli().main, "mcp"], { cwd, env: plainEnvironment() });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      const rows = Buffer.concat(out)
        .toString()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      resolve({ code, out: rows, stderr: Buffer.concat(err).toString() });
    });
    for (const line of lines) child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
    child.stdin.end();
  });
}

const HELLO = [
  JSON.stringify({
    jsonrpc: "2.0",
    id: "hello",
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  }),
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];
const PING = '{"jsonrpc":"2.0","id":"last","method":"ping"}';

describe("what is on offer", () => {
  test("L1 four tools with strict schemas, and the active packet as a resource, also when there is none", async () => {
    const { client, stderr } = await serve(folder());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "handoff_note",
      "handoff_brief",
      "handoff_generate",
      "handoff_rollover",
    ]);
    for (const { inputSchema, description } of tools) {
      expect(inputSchema["additionalProperties"]).toBe(false);
      expect(description?.length).toBeGreaterThan(80);
    }
    // So much of them Codex shows; the tools themselves it keeps for a model that looks for them.
    const shown = client.getInstructions()?.slice(0, 247) ?? "";
    for (const { name } of tools) expect(shown).toContain(name);
    // What a session pays for them, always and once it has looked all of them up: see src/mcp/README.md.
    expect(client.getInstructions()?.length).toBeLessThan(500);
    const looked = tools.map(({ name: called, description, inputSchema }) => [
      called,
      description,
      inputSchema,
    ]);
    expect(JSON.stringify(looked).length).toBeLessThan(4200);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["handoff://packet/active", "text/markdown"],
      ["handoff://packet/active.json", "application/json"],
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    await expect(client.readResource({ uri: "handoff://packet/active" })).rejects.toMatchObject({
      code: -32_002,
      message: expect.stringContaining("packet.missing"),
    });
    expect(stderr()).toBe("");
  });

  test("L3 no tool has a parameter for a pane, a session or a lead", async () => {
    const { client } = await serve(folder());
    const { tools } = await client.listTools();
    const names = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(names.filter((name) => /pane|session|lead|target|window|pid/u.test(name))).toEqual([]);
    const rollover = tools.find(({ name }) => name === "handoff_rollover");
    expect(Object.keys(rollover?.inputSchema.properties ?? {})).toEqual([
      "action",
      "reason",
      "token",
      "operator_confirmed",
    ]);
  });
});

describe("the tools", () => {
  test("A11 a note is the one that handoff note writes", async () => {
    const [here, there] = [bench(), bench()];
    const { call } = await serve(here);
    const said = await call("handoff_note", {
      kind: "dead-end",
      text: "a global lock",
      why: "it deadlocks on reload",
    });
    expect(textOf(said)).toMatch(/^noted dead end: a global lock .*\(agent_state\.json\)$/u);
    await run(there, "note", "dead-end", "a global lock", "--why", "it deadlocks on reload");
    const plain = (root: string): string =>
      read(root, "agent_state.json").replaceAll(/"updated_at": "[^"]*"/gu, "");
    expect(plain(here)).toBe(plain(there));
    expect(textOf(await call("handoff_note", { kind: "dead-end", text: "a global lock" }))).toMatch(
      /^already noted/u,
    );
  });

  test("L1 generate writes the packet, brief and both resources tell it", async () => {
    const root = bench();
    const { client, call } = await serve(root);
    const written = textOf(await call("handoff_generate"));
    const packet = packetIn(root);
    expect(written).toContain(`written: ${SESSION}/handoff.md (${String(packet["packet_id"])}`);
    expect(textOf(await call("handoff_generate"))).toMatch(/^unchanged/u);
    expect(textOf(await call("handoff_brief"))).toContain(String(packet["next_action"]));
    const markdown = await client.readResource({ uri: "handoff://packet/active" });
    expect(markdown.contents).toEqual([
      {
        uri: "handoff://packet/active",
        mimeType: "text/markdown",
        text: read(root, `${SESSION}/handoff.md`),
      },
    ]);
    const json = await client.readResource({ uri: "handoff://packet/active.json" });
    const [content] = json.contents as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toEqual(packet);
  });

  test("P28 generate refuses where nothing says what comes next, says what to do, and degrades when asked", async () => {
    const { call } = await serve(folder());
    const refused = await call("handoff_generate");
    // What to do, in the words of the tools.
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      expect.stringMatching(
        /^handoff: next_action\.unknown: .*\n.*\(handoff_note, kind "next"\).* with "task", .*"allow_degraded"$/u,
      ),
    ]);
    expect(textOf(await call("handoff_brief"))).toMatch(/packet\.missing: .*\nhandoff_generate writes one$/u);
    expect(textOf(await call("handoff_generate", { allow_degraded: true }))).toContain(
      "degraded: no_next_action",
    );
  });

  test("L1 problems in the input are told with what to do, in the words of the tools", async () => {
    const root = folder();
    put(root, "agent_state.json", { session_id: "s-other", next_action: "their own thing" });
    const { call } = await serve(root, { env: { HANDOFF_SESSION_ID: "s-1" } });
    expect(textOf(await call("handoff_generate", { allow_degraded: true }))).toMatch(
      /artifact\.other_session: .*; handoff_note records/u,
    );
  });

  test("S8 a brief that is taken over is noted in the store, once", async () => {
    const root = bench();
    await run(root, "generate");
    const { call } = await serve(root, { env: { HANDOFF_SESSION_ID: "s-next" } });
    for (let i = 0; i < 2; i += 1) await call("handoff_brief", { consume: true });
    const { stdout } = await run(root, "list", "--json");
    const { packets } = JSON.parse(stdout) as { packets: { consumed_by: { by: string }[] }[] };
    expect(packets[0]?.consumed_by.map(({ by }) => by)).toEqual(["s-next"]);
  });

  test("S8 a session does not take over its own packet, and is told so; it may look at it", async () => {
    const root = bench();
    const { call } = await serve(root, { env: { HANDOFF_SESSION_ID: "s-2041" } });
    await call("handoff_generate");
    const refused = await call("handoff_brief", { consume: true });
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      expect.stringMatching(/^handoff: packet\.own: /u),
    ]);
    const { stdout } = await run(root, "list", "--json");
    expect((JSON.parse(stdout) as { packets: { consumed_by: object[] }[] }).packets[0]?.consumed_by).toEqual(
      [],
    );
    const shown = await call("handoff_brief");
    expect([shown.isError, textOf(shown)]).toEqual([
      undefined,
      expect.stringContaining("this is the packet of s-2041 itself"),
    ]);
  });

  test("S4 many calls at once all have their answer, and nothing is lost", async () => {
    const root = bench();
    const { call } = await serve(root);
    const texts = Array.from({ length: 24 }, (_, i) => `risk number ${i} of many`);
    const answers = await Promise.all([
      ...texts.map((text) => call("handoff_note", { kind: "risk", text })),
      ...Array.from({ length: 3 }, () => call("handoff_generate")),
      ...Array.from({ length: 3 }, () => call("handoff_brief")),
    ]);
    expect(answers.filter(({ isError }) => isError === true)).toEqual([]);
    const state = read(root, "agent_state.json");
    expect(texts.filter((text) => !state.includes(`"${text}"`))).toEqual([]);
  });
});

describe("malformed calls", () => {
  const CASES: readonly (readonly [string, unknown, string])[] = [
    ["handoff_note", {}, "kind"],
    ["handoff_note", { kind: "next" }, "text"],
    ["handoff_note", { kind: "gossip", text: "x y z" }, "kind"],
    ["handoff_note", { kind: "next", text: 5 }, "text"],
    ["handoff_note", { kind: "next", text: "go on", session: "s-1" }, "session"],
    ["handoff_note", { kind: "next", text: "go on", waits_for: "human" }, "waits_for"],
    ["handoff_note", { kind: "next", text: "go on", severity: "warn" }, "severity"],
    ["handoff_note", { kind: "next", text: " \u0000\u001b " }, "a text is missing"],
    ["handoff_note", { kind: "next", text: "TODO" }, "says nothing"],
    ["handoff_note", { kind: "decided", text: "long ".repeat(4000) }, "bytes"],
    ["handoff_note", { kind: "decided", text: "x".repeat(70_000) }, "text"],
    ["handoff_note", { kind: "__proto__", text: "x y z" }, "kind"],
    ["handoff_brief", { max_bytes: "many" }, "max_bytes"],
    ["handoff_brief", { max_bytes: 7 }, "max_bytes"],
    ["handoff_brief", { ref: "no-such-packet" }, "packet.missing"],
    ["handoff_brief", { topic: "../../etc" }, "topic"],
    ["handoff_generate", { task: "a/../b" }, "task"],
    ["handoff_generate", { allow_degraded: "yes" }, "allow_degraded"],
    ["handoff_rollover", {}, "action"],
    ["handoff_rollover", { action: "clear" }, "action"],
    ["handoff_rollover", { action: "confirm" }, "token"],
    ["handoff_rollover", { action: "cancel" }, "token"],
    ["handoff_rollover", { action: "open", token: "t" }, "token"],
    ["handoff_rollover", { action: "open", pane: "%1" }, "pane"],
    ["handoff_rollover", { action: "confirm", token: "t", operator_confirmed: "yes" }, "operator_confirmed"],
    ["handoff_rollover", { action: "cancel", token: "t", operator_confirmed: true }, "operator_confirmed"],
  ];

  test("L1 each says what is wrong and what to do, in a result that is an error; nothing is written", async () => {
    const root = bench();
    const before = read(root, "agent_state.json");
    const { call, client, stderr } = await serve(root);
    for (const [name, args, word] of CASES) {
      const said = await call(name, args as Record<string, unknown>);
      expect([name, args, said.isError]).toEqual([name, args, true]);
      expect(textOf(said)).toMatch(/^handoff: [a-z_]+\.[a-z_]+: .+\n.+$/u);
      expect(textOf(said)).toContain(word);
      expect(textOf(said)).not.toMatch(/\n\s+at |\u001b/u);
    }
    await expect(call("handoff_delete")).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toMatchObject({ code: -32_602 });
    expect([read(root, "agent_state.json"), stderr()]).toEqual([before, ""]);
  });

  test("L1 lines that are no message are answered or passed over, and the server goes on", async () => {
    const root = folder();
    const deep = "[".repeat(200_000);
    const nested = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
    const lines: (string | Buffer)[] = [
      ...HELLO,
      "no json",
      "{",
      "",
      "null",
      "[]",
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      Buffer.from([0xff, 0xfe, 0x00]),
      deep,
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"handoff_note","arguments":{"kind":${deep}}}}`,
      `{"jsonrpc":"2.0","id":3,"method":"ping","params":"${"x".repeat(5_000_000)}"}`,
      '{"jsonrpc":"1.0","id":4,"method":"ping"}',
      '{"jsonrpc":"2.0","id":5,"method":7}',
      '{"jsonrpc":"2.0","id":6,"method":"tools/call"}',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}',
      '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"handoff_note","arguments":[]}}',
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":"handoff_note"}',
      '{"jsonrpc":"2.0","id":10,"method":"no/such"}',
      '{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":["handoff://packet/active"]}}',
      '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
      '{"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"handoff_note","arguments":null}}',
      '{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"handoff_note","arguments":"{}"}}',
      '{"jsonrpc":"2.0","id":18,"method":"tools/call","params":{"name":"handoff_rollover","arguments":[null]}}',
      '{"jsonrpc":"2.0","id":19,"method":"__proto__"}',
      '{"jsonrpc":"2.0","id":999,"result":{}}',
      `{"jsonrpc":"2.0","id":998,"result":${nested}}`,
      `{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"handoff_note","arguments":${nested}}}`,
      `{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"no","_meta":${nested}}}`,
      `{"jsonrpc":"2.0","id":15,"method":"ping","params":${nested}}`,
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
      PING,
    ];
    const { code, out, stderr } = await speak(root, lines);
    expect([code, stderr]).toEqual([0, ""]);
    const byId = new Map(out.map((row) => [row["id"], row]));
    for (const id of [4, 5, 6, 7, 9, 10, 11, 12, 19])
      expect([id, byId.get(id)?.["error"] ?? byId.get(id)?.["result"]]).toEqual([
        id,
        expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }),
      ]);
    // Arguments that are none are the model's, who is told so by a result.
    for (const id of [8, 13, 16, 17, 18])
      expect([id, byId.get(id)?.["result"]]).toEqual([
        id,
        {
          isError: true,
          content: [{ type: "text", text: expect.stringMatching(/^handoff: mcp\.arguments: /u) }],
        },
      ]);
    expect(byId.get(14)?.["error"]).toMatchObject({ code: -32_602 });
    expect(["last", 15].map((id) => byId.get(id)?.["result"])).toEqual([{}, {}]);
    expect(JSON.stringify(out)).not.toMatch(/\\n\s+at /u);
    expect(existsSync(path.join(root, ".handoff"))).toBe(false);
  });
});

describe("a workbench in any state", () => {
  test("P43 a configuration that is none is an error of the call, and one that is mended works at once", async () => {
    const root = bench();
    put(root, "handoff.config.json", '{"out": 5}');
    const { call, stderr } = await serve(root);
    for (const [name, args] of [
      ["handoff_note", { kind: "next", text: "go on with it" }],
      ["handoff_generate", {}],
      ["handoff_brief", {}],
    ] as const) {
      const said = await call(name, args);
      expect([said.isError, textOf(said)]).toEqual([
        true,
        expect.stringMatching(/^handoff: config\.invalid: .*handoff\.config\.json/u),
      ]);
    }
    rmSync(path.join(root, "handoff.config.json"));
    expect((await call("handoff_generate")).isError).toBeUndefined();
    expect(stderr()).toBe("");
  });

  test("P43 without git, with a state that is no JSON, in a folder that is gone", async () => {
    const root = folder();
    put(root, "agent_state.json", "{ half");
    const { call, stderr } = await serve(root);
    expect((await call("handoff_note", { kind: "next", text: "go on with it" })).isError).toBe(true);
    rmSync(path.join(root, "agent_state.json"));
    expect((await call("handoff_note", { kind: "next", text: "go on with it" })).isError).toBeUndefined();
    expect((await call("handoff_generate")).isError).toBeUndefined();
    rmSync(root, { recursive: true });
    for (const [name, args] of [
      ["handoff_generate", {}],
      ["handoff_brief", {}],
      ["handoff_rollover", { action: "open" }],
    ] as const)
      expect(textOf(await call(name, args))).toMatch(/^handoff: mcp\.no_project: /u);
    expect(stderr()).toBe("");
  });

  test("P43 in the home folder nothing is written", async () => {
    const home = folder();
    put(home, "handoff.config.json", { rollover: { handover_path: "auto" } });
    const { call } = await serve(home, { env: { HOME: home } });
    for (const [name, args] of [
      ["handoff_note", { kind: "next", text: "go on with it" }],
      ["handoff_rollover", { action: "open" }],
    ] as const)
      expect(textOf(await call(name, args))).toContain("mcp.no_project");
    expect(existsSync(path.join(home, ".handoff"))).toBe(false);
  });

  test("S13 secrets go into no file and no answer: the environment's, known kinds, and the project's own patterns", async () => {
    const root = bench();
    put(root, "handoff.config.json", { redaction: { patterns: { ticket: "SECRET-[0-9]+" } } });
    const { call } = await serve(root, { env: { DEPLOY_PASSWORD: "hunter2hunter2" } });
    const text = `use ${TOKEN} and hunter2hunter2 for SECRET-4711`;
    const said = textOf(await call("handoff_note", { kind: "next", text }));
    const asked = textOf(await call("handoff_brief", { ref: TOKEN }));
    const wrong = textOf(await call("handoff_note", { kind: "next", text: "go on", [TOKEN]: 1 }));
    await call("handoff_generate");
    const all = [said, asked, wrong, read(root, "agent_state.json"), read(root, `${SESSION}/handoff.json`)];
    for (const one of all) expect(one).not.toMatch(/ghp_|hunter2|SECRET-4711/u);
    expect(said).toContain("[redacted:");
  });
});

describe("rollover", () => {
  const BLOCK = { rollover: { handover_path: "HANDOVER.md" } };
  const ACTIONS = [
    { action: "open", reason: "the context is nearly full" },
    { action: "confirm", token: "t-1", operator_confirmed: true },
    { action: "cancel", token: "t-1" },
  ] as const;

  test("L2 without the block every action is refused, in words and for programs; one added later needs a restart", async () => {
    const root = bench();
    const { call } = await serve(root);
    const refused = async (): Promise<CallToolResult[]> => {
      const all: CallToolResult[] = [];
      for (const args of ACTIONS) all.push(await call("handoff_rollover", args));
      return all;
    };
    for (const said of await refused()) {
      expect(said).toMatchObject({
        isError: true,
        structuredContent: { ok: false, refusal: "NOT_CONFIGURED" },
      });
      expect(JSON.parse(textOf(said))).toEqual(said.structuredContent);
    }
    put(root, "handoff.config.json", BLOCK);
    for (const said of await refused()) {
      expect(said.structuredContent).toMatchObject({ ok: false, refusal: "NOT_CONFIGURED" });
      expect(textOf(said)).toMatch(/added after this server had started[^]*start the agent anew/u);
    }
    // A server that starts now has it, and looks at the next gate.
    const later = await serve(root);
    for (const args of ACTIONS) {
      const said = await later.call("handoff_rollover", args);
      expect(said.structuredContent).toMatchObject({ ok: false, refusal: "NOT_PRIMARY" });
      expect(textOf(said)).not.toContain("after this server had started");
    }
    // Taken out again, it is off at once.
    rmSync(path.join(root, "handoff.config.json"));
    expect((await later.call("handoff_rollover", ACTIONS[0])).structuredContent).toMatchObject({
      refusal: "NOT_CONFIGURED",
    });
  });

  test("L2 a configuration that is broken is an error of the call, not of the server", async () => {
    const root = bench();
    put(root, "handoff.config.json", BLOCK);
    const { call } = await serve(root);
    put(root, "handoff.config.json", { rollover: { handover_path: 5 } });
    expect(textOf(await call("handoff_rollover", ACTIONS[0]))).toMatch(/^handoff: config\.invalid: /u);
  });
});

describe("whose call it is", () => {
  async function record(root: string, id: string, own: boolean, started: string): Promise<void> {
    const process = own ? { ...(await readOwnIdentity()), serves_many: false } : null;
    const session = { schema_version: 1, session_id: id, agent: "claude-code", started_at: started, process };
    put(root, `.handoff/sessions/${id}/session.json`, session);
  }
  const noted = (root: string, id: string): boolean =>
    existsSync(path.join(root, `.handoff/sessions/${id}/agent_state.json`));
  const NOTE = { kind: "next", text: "go on with it" };

  test("A11 the newest session of the process that started us, though the environment has the one before", async () => {
    const root = folder();
    await record(root, "s-old", true, "2026-11-29T10:00:00Z");
    await record(root, "s-new", true, "2026-11-29T11:00:00Z");
    await record(root, "s-other", false, "2026-11-29T12:00:00Z");
    const { call } = await serve(root, { env: { CLAUDE_CODE_SESSION_ID: "s-old" } });
    await call("handoff_note", NOTE);
    expect(["s-old", "s-new", "s-other"].map((id) => noted(root, id))).toEqual([false, true, false]);
  });

  test("A11 the session that the call itself names, if it is on record here", async () => {
    const root = folder();
    await record(root, "s-1", false, "2026-11-29T10:00:00Z");
    await record(root, "s-2", false, "2026-11-29T11:00:00Z");
    const { call } = await serve(root);
    await call("handoff_note", NOTE, { sessionId: "s-1" });
    expect(["s-1", "s-2"].map((id) => noted(root, id))).toEqual([true, false]);
    await call("handoff_note", NOTE, { sessionId: "../s-3" });
    expect(noted(root, "s-2")).toBe(true);
    expect(existsSync(path.join(root, ".handoff/s-3"))).toBe(false);
  });

  test("L1 the folder that the agent names, else the client's first root, else where it was started", async () => {
    const [named, rooted, started] = [folder(), folder(), folder()];
    const at = async (env: Record<string, string>, roots?: readonly string[]): Promise<void> => {
      const { call } = await serve(started, roots === undefined ? { env } : { env, roots });
      expect((await call("handoff_note", NOTE)).isError).toBeUndefined();
    };
    const hit = (): boolean[] =>
      [named, rooted, started].map((one) => existsSync(path.join(one, ".handoff/agent_state.json")));
    await at({ CLAUDE_PROJECT_DIR: named }, [rooted]);
    expect(hit()).toEqual([true, false, false]);
    await at({ CLAUDE_PROJECT_DIR: "/no/such/folder" }, [path.join(rooted, "gone"), rooted]);
    expect(hit()).toEqual([true, true, false]);
    await at({}, []);
    expect(hit()).toEqual([true, true, true]);
  });
});

describe("its life", () => {
  test("L1 it ends with its stdin, after the calls that are under way", async () => {
    const root = bench();
    const call = { name: "handoff_generate", arguments: {} };
    const asked = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    const { code, out, stderr } = await speak(root, [...HELLO, asked]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.stringify(out.at(-1))).toContain("written: ");
    expect((await speak(root, [])).code).toBe(0);
  });

  test("L1 a call that is taken back before its turn has come does nothing, and the next one is served", async () => {
    const root = bench();
    const call = (id: number, name: string, args: object): string =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
    const back = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
    // In one piece: it is taken back while the first call is still at work.
    const lines = [
      ...HELLO,
      call(1, "handoff_generate", {}),
      call(2, "handoff_note", { kind: "risk", text: "said by mistake" }),
      JSON.stringify(back),
      call(3, "handoff_note", { kind: "risk", text: "said on purpose" }),
    ].join("\n");
    const { code, out } = await speak(root, [lines]);
    expect([code, out.map(({ id }) => id)]).toEqual([0, ["hello", 1, 3]]);
    expect(read(root, "agent_state.json")).toContain("said on purpose");
    expect(read(root, "agent_state.json")).not.toContain("said by mistake");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("L1 it ends with exit 0 on %s", async (signal) => {
    const child = spawn(process.execPath, [cli().main, "mcp"], { cwd: folder(), env: plainEnvironment() });
    const ended = new Promise<unknown>((resolve) => {
      child.on("close", (code, by) => resolve([code, by]));
    });
    const said: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    const ready = new Promise<void>((resolve) => {
      child.stdout.once("data", () => resolve());
    });
    child.stdin.write(`${HELLO[0]}\n`);
    await ready;
    child.kill(signal);
    expect([await ended, Buffer.concat(said).toString()]).toEqual([[0, null], ""]);
  });

  test("A10 no other command loads the protocol's library", async () => {
    const root = bench();
    const spy = path.join(folder(), "spy.cjs");
    const list = path.join(root, "loaded.json");
    writeFileSync(
      spy,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))));`,
    );
    const loadsIt = async (...args: string[]): Promise<boolean> => {
      await start(args, { cwd: root, env: { NODE_OPTIONS: `--require=${spy}` } });
      const files = JSON.parse(readFileSync(list, "utf8")) as string[];
      expect(files).toContain(cli().main);
      return files.some((file) => readFileSync(file, "utf8").includes("notifications/roots/list_changed"));
    };
    mkdirSync(path.join(root, ".claude"));
    expect(await loadsIt("mcp")).toBe(true);
    for (const args of [
      ["--version"],
      ["note", "next", "go on with it"],
      ["generate"],
      ["brief"],
      ["init", "--dry-run"],
      ["doctor"],
    ])
      expect([args, await loadsIt(...args)]).toEqual([args, false]);
  });
});
