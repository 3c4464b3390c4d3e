// For tests: a process that is called like an agent and starts other processes for it, as agents start hooks and commands.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

/** What is to be started. */
export interface AgentErrand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

interface ErrandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentProcess {
  readonly pid: number;
  /** Starts a child of it, and waits for its end. */
  readonly run: (errand: AgentErrand) => Promise<ErrandRun>;
  /** Ends it at once, and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

const SCRIPT = `
const { spawn } = require("node:child_process");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { program, args, cwd, env, stdin } = JSON.parse(line);
  const child = spawn(program, args, { cwd, env });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (said[name] += chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  child.on("close", (code) => process.stdout.write(JSON.stringify({ code, ...said }) + "\\n"));
});
`;

/**
 * Starts it. Errands are run one after another.
 * @param folder an empty one, for its script
 * @param words its command line, program first: `codex app-server`
 */
export function startAgentProcess(
  folder: string,
  [name = "", script = "agent"]: readonly string[],
): AgentProcess {
  writeFileSync(path.join(folder, script), SCRIPT);
  const child = spawn(process.execPath, [script], {
    argv0: name,
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the agent's process did not start");
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    pid,
    run: async (errand) => {
      child.stdin.write(`${JSON.stringify(errand)}\n`);
      const { value } = await answers.next();
      const run: ErrandRun = JSON.parse(String(value));
      return run;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
