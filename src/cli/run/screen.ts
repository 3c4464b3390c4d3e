// Where the live view draws: stderr, with its size and its resizes.
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import type { Terminal } from "../terminal.js";

export interface Screen {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly rows: () => number;
  /** Calls back after each change of size; the result ends that. */
  readonly onResize: (listener: () => void) => () => void;
  readonly colors: Terminal["colors"];
  /** A person looks: a block may be drawn. */
  readonly isLive: boolean;
}

/** Process group of ours, and the one in the terminal's foreground; null where the system does not tell. */
function readGroups(): readonly [number, number] | null {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync("/proc/self/stat", "utf8");
      // The name in brackets may hold anything: state, parent, group, session, terminal, foreground group come after it.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [Number(fields[2]), Number(fields[5])];
    }
    const { stdout } = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], {
      encoding: "utf8",
      timeout: 2000,
    });
    const [group = "", foreground = ""] = stdout.trim().split(/\s+/u);
    return [Number(group), Number(foreground)];
  } catch {
    return null;
  }
}

/** True when the terminal is ours to draw on and to read from: not with `&`, and not after `bg`. */
export function isForeground(): boolean {
  if (process.platform === "win32") return true;
  const groups = readGroups();
  return groups !== null && groups[0] === groups[1];
}

/** stderr of this process. */
export function processScreen({ env, isInteractive, errorColors }: Terminal): Screen {
  const { stderr } = process;
  return {
    write: (text) => void stderr.write(text),
    columns: () => stderr.columns || 80,
    rows: () => stderr.rows || 24,
    onResize: (listener) => {
      stderr.on("resize", listener);
      return () => void stderr.off("resize", listener);
    },
    colors: errorColors,
    isLive: isInteractive && isForeground() && !wantsPlain(env),
  };
}

/** A CI's log is no screen, even where it looks like a terminal. */
function wantsPlain(env: Terminal["env"]): boolean {
  return (env["CI"] ?? "") !== "" && env["CI"] !== "false" && env["CI"] !== "0";
}
