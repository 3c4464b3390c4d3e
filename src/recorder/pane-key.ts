// Which pane of a terminal multiplexer a process was started in, by its own environment (L3): the name under which hooks keep
// how that pane's session stands, and a rollover looks it up. Synchronous and small: hooks load it.
import { readFileSync } from "node:fs";
import { sha256Hex } from "../text/digest.js";

/** A pane as the environment names it. Nothing in it has been checked. */
export interface NamedPane {
  /** Names its files: 16 hex digits. */
  readonly key: string;
  /** tmux's own name, `%3`. */
  readonly pane: string;
  /** The server's socket, absolute. */
  readonly socket: string;
  readonly server_pid: number;
}

/** The pane of this environment; null: it is in none. */
export function namedPane(env: Readonly<Record<string, string | undefined>>): NamedPane | null {
  const pane = env["TMUX_PANE"] ?? "";
  // socket,pid,session; the socket's path may hold commas.
  const parts = /^(?<socket>\/.+),(?<pid>\d+),\d+$/u.exec(env["TMUX"] ?? "")?.groups;
  if (!/^%\d{1,9}$/u.test(pane) || parts === undefined) return null;
  const { socket = "", pid = "" } = parts;
  const key = sha256Hex(JSON.stringify([socket, pid, pane])).slice(0, 16);
  return { key, pane, socket, server_pid: Number(pid) };
}

/** When a process started, in the system's own ticks; null where it does not tell, or there is no such process. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold anything, brackets too.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
