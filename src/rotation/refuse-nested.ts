// No run inside a run (R29): it would take its own agent for a leftover, and rotate what is being rotated.
import { UsageError } from "../model/errors.js";
import { RUN_VARIABLE } from "../recorder/recorder.js";

/** Throws UsageError `run.nested` in the environment of an agent that is being run. */
export function refuseNested(env: Readonly<Record<string, string | undefined>>): void {
  const outer = env[RUN_VARIABLE] ?? "";
  if (outer === "") return;
  throw new UsageError(
    "run.nested",
    `this is inside the run ${outer}: an agent that is being run starts no run of its own`,
    "do the work in this session; its run hands over by itself",
  );
}
