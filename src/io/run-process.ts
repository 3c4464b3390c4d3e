// Runs one child process to its end: no shell, bounded output, a time limit. A child's failure is a result, never a throw.
import { spawn, type ChildProcess } from "node:child_process";
import { stat } from "node:fs/promises";

export interface RunProcessOptions {
  readonly cwd: string;
  /** The child's whole environment; default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Most bytes of stdout that are kept; a child that writes more is stopped. */
  readonly maxBytes: number;
  /** Written to stdin, which is then closed; without it stdin is empty. */
  readonly input?: string | Uint8Array;
}

/**
 * How a child ended. `ok`: exit 0. `exit`: another exit code, or a signal from elsewhere (`exitCode` null). `timeout` and
 * `too_large`: we stopped it; `stdout` holds what came until then. `missing`: no such executable. `failed`: could not
 * be started; `reason` is the system's code (EACCES, E2BIG …).
 */
export interface ProcessResult {
  readonly status: "ok" | "exit" | "timeout" | "missing" | "too_large" | "failed";
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The last {@link STDERR_BYTES} bytes, decoded as UTF-8. */
  readonly stderr: string;
  readonly reason: string | null;
}

const STDERR_BYTES = 65_536;
/** Between SIGTERM and SIGKILL, and again between SIGKILL and giving up on pipes that a grandchild still holds. */
const GRACE_MS = 500;

/** Runs `command` with `args` as they are. Never rejects. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: RunProcessOptions,
): Promise<ProcessResult> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env ?? process.env,
        stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
        shell: false,
      });
    } catch (error) {
      // Thrown, not emitted: a NUL in an argument, an argument list that is too long.
      resolve(notStarted("failed", errorCode(error)));
      return;
    }
    watch(child, options, resolve);
  });
}

function watch(
  child: ChildProcess,
  options: RunProcessOptions,
  resolve: (result: ProcessResult) => void,
): void {
  const out: Buffer[] = [];
  let outBytes = 0;
  let err: Buffer = Buffer.alloc(0);
  let stopped: "timeout" | "too_large" | null = null;
  let ended: { code: number | null; signal: NodeJS.Signals | null } | null = null;
  let startFailed = false;
  let settled = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, action: () => void): void => {
    timers.add(setTimeout(action, ms));
  };

  const finish = (result: ProcessResult): void => {
    if (settled) return;
    settled = true;
    for (const timer of timers) clearTimeout(timer);
    child.stdout?.destroy();
    child.stderr?.destroy();
    resolve(result);
  };
  const conclude = (): void => {
    const { code, signal } = ended ?? { code: null, signal: null };
    finish({
      status: stopped ?? (code === 0 ? "ok" : "exit"),
      exitCode: code,
      signal,
      stdout: Buffer.concat(out, outBytes),
      stderr: err.toString("utf8"),
      reason: null,
    });
  };
  const stop = (why: "timeout" | "too_large"): void => {
    if (stopped !== null || settled) return;
    if (ended !== null && why === "timeout") {
      // The child is gone. What is still in its pipes is taken; a grandchild that holds them is not waited for.
      later(GRACE_MS, conclude);
      return;
    }
    stopped = why;
    child.kill("SIGTERM");
    later(GRACE_MS, () => {
      child.kill("SIGKILL");
      later(GRACE_MS, conclude);
    });
  };

  // Where we ourselves were held up, the child's end may be there already and merely not looked at yet: that is done first.
  later(options.timeoutMs, () => setImmediate(() => stop("timeout")));
  child.stdout?.on("data", (chunk: Buffer) => {
    if (stopped !== null) return;
    const room = options.maxBytes - outBytes;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    out.push(kept);
    outBytes += kept.length;
    if (chunk.length > room) stop("too_large");
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    err = Buffer.concat([err, chunk]).subarray(-STDERR_BYTES);
  });
  // A child that ends without reading its input is judged by its exit code, not by our broken pipe.
  child.stdin?.on("error", () => {});
  if (options.input !== undefined) child.stdin?.end(options.input);
  child.on("error", (problem) => {
    startFailed = child.pid === undefined;
    if (startFailed) void explainSpawnError(errorCode(problem), options.cwd).then(finish);
  });
  child.on("exit", (code, signal) => {
    ended = { code, signal };
    if (stopped !== null) conclude();
  });
  child.on("close", () => {
    // After a failed start `close` comes too, and knows nothing.
    if (!startFailed) conclude();
  });
}

/** ENOENT means a missing executable or a missing folder to run in; only the first is `missing`. */
async function explainSpawnError(code: string, cwd: string): Promise<ProcessResult> {
  if (code !== "ENOENT") return notStarted("failed", code);
  const isFolder = await stat(cwd).then(
    (s) => s.isDirectory(),
    () => false,
  );
  return isFolder ? notStarted("missing", code) : notStarted("failed", "no such folder to run in");
}

function notStarted(status: "missing" | "failed", reason: string): ProcessResult {
  return { status, exitCode: null, signal: null, stdout: Buffer.alloc(0), stderr: "", reason };
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
