// The agent's process as a session's own file (session.json) names it: while it lives, the session may go on by itself (A9).
import type { ProcessIdentity } from "../io/process-identity.js";

/** A process that runs a session. */
export interface SessionProcess extends ProcessIdentity {
  /** It runs others too, and outlives them: that it lives says little about one of them. */
  readonly serves_many: boolean;
}

/** A field of session.json, read; null for anything that names no process. */
export function readSessionProcess(value: unknown): SessionProcess | null {
  if (typeof value !== "object" || value === null) return null;
  const { pid, host, machine, started, serves_many }: Record<string, unknown> = { ...value };
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 1) return null;
  if (typeof machine !== "string" || machine === "") return null;
  return {
    pid,
    host: typeof host === "string" ? host : "",
    machine,
    started: typeof started === "string" ? started : null,
    serves_many: serves_many === true,
  };
}

/** True when both name the same process. */
export function isSameProcess(a: SessionProcess, b: SessionProcess): boolean {
  return a.pid === b.pid && a.machine === b.machine && a.started === b.started;
}
