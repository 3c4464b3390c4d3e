// How long a turn that is to stop gets for each step (R27). On its own: the public types name it, and need nothing of Node.

/** Bounds of each step, in milliseconds. */
export interface Patience {
  /** From SIGINT to SIGTERM. */
  readonly interruptMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly terminateMs: number;
  /** From the end of the process to giving up on pipes that somebody else holds open. */
  readonly drainMs: number;
}
export const PATIENCE: Patience = { interruptMs: 15_000, terminateMs: 5000, drainMs: 2000 };
