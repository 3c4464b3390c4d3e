// Every command: its options, its examples and where its code is. Light on purpose: the code is loaded when it runs.
import { AGENT_COMMANDS } from "./table/agent-commands.js";
import type { Command } from "./table/command.js";
import { CONFORMANCE_COMMANDS } from "./table/conformance-commands.js";
import { PACKET_COMMANDS } from "./table/packet-commands.js";
import { RUN_COMMANDS } from "./table/run-commands.js";
import { ROLLOVER_COMMANDS } from "./table/rollover-commands.js";
import { SETUP_COMMANDS } from "./table/setup-commands.js";

/** In the order in which help names them. */
export const COMMANDS: readonly Command[] = [
  ...PACKET_COMMANDS,
  ...AGENT_COMMANDS,
  ...RUN_COMMANDS,
  ...ROLLOVER_COMMANDS,
  ...SETUP_COMMANDS,
  ...CONFORMANCE_COMMANDS,
];
