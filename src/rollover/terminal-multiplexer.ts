// What a rollover needs of a terminal multiplexer: look at a pane, read its screen, type into it. tmux is the one we know
// (tmux.ts); another is one more file.

/** A pane of a server. */
export interface PaneName {
  /** The server's socket, absolute. */
  readonly socket: string;
  /** The multiplexer's own name for it: `%3`. */
  readonly pane: string;
}

/** A pane that is there. */
export interface PaneFacts {
  readonly server_pid: number;
  /** The program that the pane was opened with. */
  readonly pane_pid: number;
  /** Absolute path of its terminal. */
  readonly tty: string;
  /** Why what is typed would not reach its program alone; null: it would. */
  readonly closed: string | null;
}

/** It did not say anything in time, or could not be asked: nothing is known of the pane, and so not that it is gone. */
export const SILENT = Symbol("silent");

export interface TerminalMultiplexer {
  readonly name: string;
  /** null: there is no such pane (any more), or no such server. Never rejects. */
  readonly look: (pane: PaneName) => Promise<PaneFacts | null | typeof SILENT>;
  /** The screen with the sequences that colour it; null: the pane is gone. Never rejects. */
  readonly capture: (pane: PaneName) => Promise<string | null | typeof SILENT>;
  /** Types a text, letter by letter, no key among them. False: it could not. Never rejects. */
  readonly type: (pane: PaneName, text: string) => Promise<boolean>;
  readonly pressEnter: (pane: PaneName) => Promise<boolean>;
  readonly pressBackspace: (pane: PaneName, times: number) => Promise<boolean>;
}
