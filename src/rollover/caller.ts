// Who asks for an action of a rollover.

/** Who asks: the caller's own process, which says which pane it is in (L3). */
export interface RolloverCaller {
  /** Absolute folder of the caller. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a server that lives long: was there a `rollover` block when it started? Default: yes. */
  readonly configuredAtStart?: boolean;
}
