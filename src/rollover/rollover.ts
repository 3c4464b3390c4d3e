// The actions of a rollover, one call each (L1): what the command line and tools of agents call. Values in, an answer out; a
// refusal is an answer, and only what nobody could foresee is thrown.
import type { RolloverAnswer } from "./answer.js";

/** Who asks: the caller's own process, which says which pane it is in (L3). */
export interface RolloverCaller {
  /** Absolute folder of the caller. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a server that lives long: was there a `rollover` block when it started? Default: yes. */
  readonly configuredAtStart?: boolean;
}

/** Opens a request: a token, and where the handover is to be written. */
export function openRollover(_asked: RolloverCaller & { readonly reason?: string }): Promise<RolloverAnswer> {
  throw new Error("not built yet");
}

/** Checks every gate and schedules the roll. */
export function confirmRollover(
  _asked: RolloverCaller & { readonly token: string; readonly operatorConfirmed: boolean },
): Promise<RolloverAnswer> {
  throw new Error("not built yet");
}

/** Drops the pending request. */
export function cancelRollover(_asked: RolloverCaller & { readonly token: string }): Promise<RolloverAnswer> {
  throw new Error("not built yet");
}

/** True when this workbench has a `rollover` block. Never rejects: a configuration that cannot be read has none. */
export function isRolloverConfigured(_asked: Pick<RolloverCaller, "cwd" | "env">): Promise<boolean> {
  return Promise.resolve(false);
}
