// What a tool of ours is: a name, a strict schema of its arguments, and a call that answers in words.
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { UsageError } from "../model/errors.js";
import type { Redactor } from "../redact/create-redactor.js";
import { cutText } from "../text/cut.js";
import type { CallPlace } from "./call-place.js";

/** Faults of the arguments that are told one by one. */
const MAX_ISSUES = 8;
const MAX_ISSUE_BYTES = 500;

/** What a call stands on. */
export interface ToolCall {
  readonly place: CallPlace;
  /** The gate against secrets: the environment's until the project's own is known. Failures are told through it. */
  gate: Redactor;
}

/** What a call says. */
export interface ToolAnswer {
  /** For the model, a block each. */
  readonly texts: readonly string[];
  /** The same for programs. Agents that read it do not show the texts: only where it says all of them. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** It was refused. */
  readonly isError?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: ToolAnnotations;
  /** Throws HandoffError for arguments that are not as the schema says, and for what cannot be done. */
  readonly run: (args: unknown, call: ToolCall) => Promise<ToolAnswer>;
}

/** What is wrong with the arguments of a call. */
function argumentFault(tool: string, { issues }: z.ZodError): UsageError {
  const told = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const where = path.length === 0 ? "" : `${path.map(String).join("/")}: `;
    return cutText(`${where}${message}`, MAX_ISSUE_BYTES);
  });
  const more = issues.length > MAX_ISSUES ? ` (and ${issues.length - MAX_ISSUES} more)` : "";
  return new UsageError(
    "mcp.arguments",
    `${tool}: ${told.join("; ")}${more}`,
    "call it again with arguments as its input schema has them; nothing was done",
  );
}

/** Makes a tool of a schema and a call that gets what the schema lets through. */
export function defineTool<S extends z.ZodObject>(
  facts: Omit<Tool, "run" | "inputSchema"> & {
    readonly input: S;
    readonly run: (args: z.output<S>, call: ToolCall) => Promise<ToolAnswer>;
  },
): Tool {
  const { input, run, ...rest } = facts;
  const inputSchema = { ...z.toJSONSchema(input, { io: "input" }) };
  // Not every client knows this word, and the protocol says which it is.
  delete inputSchema.$schema;
  return {
    ...rest,
    inputSchema,
    run: async (args, call) => {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) throw argumentFault(rest.name, parsed.error);
      return run(parsed.data, call);
    },
  };
}
