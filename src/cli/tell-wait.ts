// Says on stderr that another writer is waited for, once a command.
import type { LockWait } from "../store/store-lock.js";
import { shown } from "./report.js";
import type { Terminal } from "./terminal.js";

export function tellWait(terminal: Terminal): (wait: LockWait) => void {
  let told = false;
  return ({ owner, waitMs }) => {
    if (told) return;
    told = true;
    const seconds = Math.round(waitMs / 1000);
    terminal.err(`handoff: the store is in use by ${shown(owner)}; waiting up to ${seconds} s\n`);
  };
}
