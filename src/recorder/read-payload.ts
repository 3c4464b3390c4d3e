// The payload on standard input: bounded in size and in time, so that an agent that forgets to close it holds nobody up. A long one
// that comes piece by piece, as it does on a busy machine, is read on for as long as it comes.
import type { Readable } from "node:stream";

export interface PayloadLimits {
  readonly maxBytes: number;
  /** For the next piece. */
  readonly silenceMs: number;
  /** For all of it. */
  readonly waitMs: number;
}

/** `timeout`: the input was not closed in time; `text` is what had come until then. */
export type ReadPayload =
  | { readonly status: "read" | "timeout"; readonly text: string }
  | { readonly status: "too_large" };

/** Reads it to its end or its limits, then closes it. Never rejects. */
export function readPayload(
  stdin: Readable,
  { maxBytes, silenceMs, waitMs }: PayloadLimits,
): Promise<ReadPayload> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (status: "read" | "timeout" | "too_large"): void => {
      clearTimeout(silence);
      clearTimeout(whole);
      stdin.removeAllListeners("data");
      stdin.destroy();
      if (status === "too_large") resolve({ status });
      else resolve({ status, text: Buffer.concat(chunks, bytes).toString("utf8") });
    };
    // Where we ourselves were held up, the next piece may be there already and merely not read yet: that is done first.
    const silence = setTimeout(() => {
      const before = bytes;
      setImmediate(() => {
        if (bytes === before) finish("timeout");
      });
    }, silenceMs);
    const whole = setTimeout(() => setImmediate(() => finish("timeout")), waitMs);
    stdin.on("data", (chunk: Buffer) => {
      silence.refresh();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) finish("too_large");
    });
    stdin.on("end", () => finish("read"));
    stdin.on("error", () => finish("read"));
    stdin.on("close", () => finish("read"));
  });
}
