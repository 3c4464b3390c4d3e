// Says on stderr that another writer is waited for.
import type { LockWait } from "../store/store-lock.js";
import { shown } from "./report.js";
import type { Terminal } from "./terminal.js";

export function tellWait(terminal: Terminal): (wait: LockWait) => void {
  return ({ owner, waitMs }) =>
    terminal.err(
      `handoff: the store is in use by ${shown(owner)}; waiting up to ${Math.round(waitMs / 1000)} s\n`,
    );
}
