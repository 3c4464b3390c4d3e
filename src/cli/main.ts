#!/usr/bin/env node
// What this process is: an agent's hook, which starts fast and never fails (A6, A10), or a command line.
// Nothing is imported here: a hook must not load what only a command line needs.

async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === "hook") {
    try {
      const { runHookProcess } = await import("../recorder/hook-process.js");
      await runHookProcess(argv.slice(1));
    } catch {
      // An installation that lacks a part of itself: the agent must not notice.
    }
    process.exit(0);
  }
  const { runCommandLine } = await import("./run-command-line.js");
  process.exitCode = await runCommandLine(argv);
}

void main(process.argv.slice(2));
