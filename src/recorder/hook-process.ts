// The process of a hook: one module, so that the build makes one file of all that every hook needs (A10).
import { processHookIo } from "./hook-io.js";
import { runHook } from "./run-hook.js";

export { runHook };

/** Runs one hook as this process. Never rejects. @param args the words after `handoff hook` */
export async function runHookProcess(args: readonly string[]): Promise<void> {
  await runHook(args, processHookIo());
}
