// handoff mcp: a server of tools on stdin and stdout (L1), with the official SDK. It lives as long as its agent, says nothing
// but the protocol, never ends by what a client sends, and ends when stdin closes or a signal says so.
import type { Readable, Writable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  RootsListChangedNotificationSchema,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { createRedactor } from "../redact/create-redactor.js";
import { isRolloverConfigured } from "../rollover/rollover.js";
import type { Environment } from "../session/open-workbench.js";
import { briefTool } from "./brief-tool.js";
import { rootFolder, toldFolder } from "./call-place.js";
import { generateTool } from "./generate-tool.js";
import { noteTool } from "./note-tool.js";
import { NOT_FOUND, PACKET_RESOURCES, readPacketResource } from "./packet-resource.js";
import { rolloverTool } from "./rollover-tool.js";
import { ProtocolFault } from "./protocol-fault.js";
import { StdioTransport } from "./stdio-transport.js";
import { tellFault } from "./tell-fault.js";
import type { Tool, ToolCall } from "./tool.js";

/** A client that has roots and does not say which is not waited for any longer. */
const ROOTS_MS = 2000;
/** Calls that are under way when stdin closes have this long to end. */
const LAST_CALLS_MS = 30_000;
const SIGNALLED_MS = 2000;

/**
 * Many agents show a model the names of tools only once it asks for them: this they all show. Codex shows no more than its first
 * 247 characters, so all four stand there.
 */
const INSTRUCTIONS =
  "As you go, note with handoff_note what only you know: next action, decisions, dead ends, questions. handoff_brief: what the " +
  "session before left. handoff_generate: write the packet now. handoff_rollover, if the person wants it: a fresh session here." +
  "\nThe next session goes on from these notes and from what is recorded: say the next action again whenever it changes, and " +
  "with decisions and dead ends their reasons.";

const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [noteTool, briefTool, generateTool, rolloverTool].map((tool) => [tool.name, tool]),
);

/** Looser than the SDK's own, whose complaint would be that of a bug: what is wrong is said below. Calls of tools have none. */
const ReadRequest = z.looseObject({ method: z.literal("resources/read"), params: z.unknown() });

/** Where a server runs. */
export interface McpPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it before its input does. */
  readonly signal: AbortSignal;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** Serves until its input ends or it is told to. Resolves when every answer is written, as far as they come in time. */
export async function serveMcp({ cwd, env, version, input, output, signal }: McpPlace): Promise<void> {
  const mcp = new McpServer({ name: "handoff", title: "handoff", version }, { instructions: INSTRUCTIONS });
  const { server } = mcp;
  // Neither list ever changes.
  server.registerCapabilities({ tools: {}, resources: {} });
  let roots: Promise<string | null> | null = null;
  const askRoots = async (): Promise<string | null> => {
    if (server.getClientCapabilities()?.roots === undefined) return null;
    const listed = await server.listRoots({}, { timeout: ROOTS_MS }).catch(() => ({ roots: [] }));
    return rootFolder(listed.roots);
  };
  const findFolder = async (): Promise<string> => toldFolder(env) ?? (await (roots ??= askRoots())) ?? cwd;
  let atStart: Promise<boolean> | null = null;
  const configuredAtStart = (): Promise<boolean> =>
    (atStart ??= findFolder().then((folder) => isRolloverConfigured({ cwd: folder, env })));

  const openToolCall = async (meta: unknown): Promise<ToolCall> => {
    const [folder, configured] = [await findFolder(), await configuredAtStart()];
    const place = { folder, env, meta: fieldsOf(meta), configuredAtStart: configured };
    return { place, gate: createRedactor({ env }) };
  };
  // One after the other: they write in one workbench, and each would wait for the other's lock.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...TOOLS.values()].map(({ name, title, description, annotations, inputSchema }) => ({
      name,
      title,
      description,
      annotations,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  const callTool = (params: unknown, called: AbortSignal): Promise<CallToolResult> => {
    const { name, arguments: args, _meta } = fieldsOf(params);
    const tool = typeof name === "string" ? TOOLS.get(name) : undefined;
    if (tool === undefined)
      throw new ProtocolFault(
        ErrorCode.InvalidParams,
        `there is no such tool; there are ${[...TOOLS.keys()].join(", ")}`,
      );
    return inTurn(async () => {
      const call = await openToolCall(_meta);
      // What was taken back while it waited must not happen any more.
      if (called.aborted || signal.aborted)
        throw new ProtocolFault(ErrorCode.ConnectionClosed, "taken back before it began: nothing was done");
      try {
        const { texts, structured, isError = false } = await tool.run(args, call);
        return {
          content: texts.map((text) => ({ type: "text" as const, text })),
          ...(structured === undefined ? {} : { structuredContent: structured }),
          ...(isError ? { isError } : {}),
        };
      } catch (error) {
        return { content: [{ type: "text", text: tellFault(error, call.gate).text }], isError: true };
      }
    });
  };
  // Registered, the SDK would refuse arguments that are no object in its own words, which help no model.
  server.fallbackRequestHandler = async ({ method, params }, { signal: called }) => {
    if (method === "tools/call") return callTool(params, called);
    throw new ProtocolFault(ErrorCode.MethodNotFound, "there is no such method");
  };
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...PACKET_RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(ReadRequest, async ({ params }) => {
    const { uri, _meta } = fieldsOf(params);
    if (typeof uri !== "string")
      throw new ProtocolFault(ErrorCode.InvalidParams, "the address (uri) of a resource is missing");
    const call = await openToolCall(_meta);
    try {
      return await readPacketResource(uri, call);
    } catch (error) {
      if (error instanceof ProtocolFault) throw error;
      const { code, text } = tellFault(error, call.gate);
      const isThere = code !== "packet.missing" && code !== "mcp.no_project";
      throw new ProtocolFault(isThere ? ErrorCode.InternalError : NOT_FOUND, text, { uri, code });
    }
  });
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    roots = null;
  });
  // What was in the configuration when the client began, whatever is asked for first.
  server.oninitialized = () => void configuredAtStart();

  const transport = new StdioTransport(input, output);
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    input.once("error", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await mcp.connect(transport);
  await ended;
  await Promise.race([transport.whenIdle(), delay(signal.aborted ? SIGNALLED_MS : LAST_CALLS_MS)]);
  await new Promise<void>((resolve) => {
    output.write("", () => resolve());
  });
  await mcp.close();
}
