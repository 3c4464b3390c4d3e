// handoff mcp: the tool server that an agent starts for itself. stdin and stdout are the protocol's; it ends with either.
import { EXIT, type ExitCode } from "../../model/errors.js";
import { serveMcp } from "../../mcp/serve-mcp.js";
import type { Arguments } from "../arguments.js";
import { ownVersion } from "../own-version.js";
import type { Terminal } from "../terminal.js";

/** How agents ask their servers to end. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Runs it, until the agent is done with it. Exit 0. */
export async function run(_args: Arguments, { cwd, env }: Terminal): Promise<ExitCode> {
  const stop = new AbortController();
  for (const signal of SIGNALS) process.on(signal, () => stop.abort());
  const { stdin: input, stdout: output } = process;
  await serveMcp({ cwd, env, version: ownVersion(), input, output, signal: stop.signal });
  // Something may still hold the process: a call that was not waited for.
  process.exit(EXIT.ok);
}
