// What every step of a hook works with: the workbench, the session's folder, the event, and where faults are told.
import type { HookEvent, HookSpeech } from "../agents/agent.js";
import type { HookConfig } from "./hook-config.js";
import type { HookIo } from "./hook-io.js";

export interface Recorder {
  readonly io: HookIo;
  readonly speech: HookSpeech;
  readonly event: HookEvent;
  /** Real path. */
  readonly root: string;
  /** The session's own, which may not exist yet. */
  readonly folder: string;
  readonly config: HookConfig;
  /** Inside our own run: record, publish nothing, say nothing (A6). */
  readonly isNested: boolean;
  /** One line into the recorder's log. Never throws. */
  readonly tell: (what: string) => void;
}

/** Set by the runner for the agents it starts. */
export const RUN_VARIABLE = "HANDOFF_RUN";
