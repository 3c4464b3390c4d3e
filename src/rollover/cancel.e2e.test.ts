// L1, L11: a roll whose executor died is cancelled like one that lives, with a scripted lead in a real pane.
import { expect, test } from "vitest";
import { put } from "../cli/testing/sample-workbench.js";
import { HANDOVER, rollOf, useLeads } from "../cli/testing/use-leads.js";

const leads = useLeads();
/** Kills the executor of the one pane that there is. */
const KILL = `kill -9 "$(sed -n 's/^ *"pid": \\([0-9]*\\),$/\\1/p' .handoff/rollover/*/executor.json)"\n`;

test("L1 L11 killed while it waits, then cancelled by its token: nobody can go on with it, and nothing is cleared", async () => {
  const root = leads.project();
  const lead = await leads.open(root);
  const token = /^token\s+(?<token>\S+)/mu.exec(await lead.handoff("rollover open"))?.groups?.["token"] ?? "";
  put(root, "handover.md", HANDOVER);
  const kill = put(root, ".handoff/kill.sh", KILL);
  // In one turn, whose end the roll waits for.
  const said = await lead.handoff(
    `rollover confirm --token ${token}; sh ${kill}; node "$HANDOFF_MAIN" rollover cancel --token ${token}`,
  );
  const roll = rollOf(root);
  expect([roll?.phase, roll?.ending]).toEqual(["cancelled", "CANCELLED"]);
  expect(said).toContain(`${roll?.roll_id} is cancelled: its process had died, and nothing was cleared.`);
  expect((await leads.outside(root, "rollover", "resume")).stdout).toContain("no roll is interrupted");
  expect(lead.log().filter(({ sent }) => sent === "/clear")).toEqual([]);
});
