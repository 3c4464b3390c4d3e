// The line between a client and us: one JSON-RPC message a line on stdin, answers on stdout, nothing else on either. A line
// that is no message is answered where anybody can be told, and passed over; none of them ends the server.
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { splitLines } from "../io/line-splitter.js";

/** Longest message, in bytes: far more than any call of our tools says. */
const MAX_LINE = 4 * 1024 * 1024;

/** A line that could not be taken. */
interface Refused {
  readonly code: ErrorCode;
  readonly message: string;
  /** null: it names no request. */
  readonly id: RequestId | null;
}

function idOf(value: unknown): RequestId | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  const { id } = value;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}

/** The message of a line, or why it is none. */
function readMessage(line: string): JSONRPCMessage | Refused {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { code: ErrorCode.ParseError, message: "the line is no JSON", id: null };
  }
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const what = Array.isArray(value)
    ? "batches are not taken: one message a line"
    : 'no message of JSON-RPC 2.0: it takes "jsonrpc": "2.0", a "method", an "id" that is a text or a whole number, and "params" that are an object';
  return { code: ErrorCode.InvalidRequest, message: what, id: idOf(value) };
}

/** A transport for the SDK's server. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #asked = new Set<RequestId>();
  readonly #input: Readable;
  readonly #output: Writable;
  #whenIdle: (() => void) | null = null;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  /** Begins to read. */
  start(): Promise<void> {
    const lines = splitLines((line) => this.#take(line), MAX_LINE);
    this.#input.on("data", (piece: Buffer) => lines.push(piece));
    this.#input.on("end", () => lines.end());
    return Promise.resolve();
  }

  #take(line: string | null): void {
    if (line?.trim() === "") return;
    const message =
      line === null
        ? {
            code: ErrorCode.InvalidRequest,
            message: `a message of more than ${MAX_LINE} bytes is not read`,
            id: null,
          }
        : readMessage(line);
    if ("jsonrpc" in message) {
      if (isJSONRPCRequest(message)) this.#asked.add(message.id);
      // The SDK answers no request that was cancelled.
      if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        const id = message.params?.["requestId"];
        if (typeof id === "string" || typeof id === "number") this.#answered(id);
      }
      this.#hand(message);
      return;
    }
    const { id, ...error } = message;
    this.#write({ jsonrpc: "2.0", ...(id === null ? {} : { id }), error });
  }

  /** Hands it on. What is nested beyond all sense may be more than the SDK can look at. */
  #hand(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch {
      if (!isJSONRPCRequest(message)) return;
      const error = { code: ErrorCode.InternalError, message: "the request cannot be looked at" };
      this.#write({ jsonrpc: "2.0", id: message.id, error });
      this.#answered(message.id);
    }
  }

  #write(message: unknown): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  #answered(id: RequestId): void {
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#whenIdle?.();
  }

  /** Writes a message. */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      // A reader that is slow makes us wait, one that is gone ends the process (its `error` is the caller's).
      this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
      if (!("method" in message) && message.id !== undefined) this.#answered(message.id);
    });
  }

  /** Resolves when every request has its answer. */
  whenIdle(): Promise<void> {
    if (this.#asked.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** Stops reading. */
  close(): Promise<void> {
    this.#input.removeAllListeners("data");
    this.#input.pause();
    this.onclose?.();
    return Promise.resolve();
  }
}
