// Thrown failures. Each carries a stable code, an exit code (P41) and a hint that says what to do.
// Problems in input are diagnostics, not errors: see diagnostic.ts.

/** Exit codes of the command line (P41); 3 and 130 are of `run`: its agent failed for good, a person interrupted it. */
export const EXIT = { ok: 0, refused: 1, usage: 2, agent_failed: 3, bug: 70, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What an error points at, printed as `(<path>:<line>)`. */
export interface ErrorPlace {
  readonly path: string;
  readonly line?: number;
}

/** Base of every failure we throw on purpose. `message` says what is wrong, `hint` what to do about it. */
export class HandoffError extends Error {
  override readonly name: string = "HandoffError";
  constructor(
    readonly code: string,
    message: string,
    readonly exitCode: ExitCode,
    readonly hint: string,
    readonly place: ErrorPlace | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A rule said no, or a check found something (exit 1). Nothing was written. */
export class RefusalError extends HandoffError {
  override readonly name = "RefusalError";
  constructor(code: string, message: string, hint: string, place: ErrorPlace | null = null) {
    super(code, message, EXIT.refused, hint, place);
  }
}

/** A wrong option, a broken configuration or an input or output that cannot be used at all (exit 2). */
export class UsageError extends HandoffError {
  override readonly name = "UsageError";
  constructor(
    code: string,
    message: string,
    hint: string,
    place: ErrorPlace | null = null,
    options?: ErrorOptions,
  ) {
    super(code, message, EXIT.usage, hint, place, options);
  }
}
