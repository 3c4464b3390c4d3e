// A roll that is cancelled before it cleared anything (L1): by its executor, or, where that died, at once and for good.
import { withStoreLock } from "../store/store-lock.js";
import { decideRoll } from "./decide-roll.js";
import { tokenDigest } from "./pending.js";
import { askCancel, readExecutor, readRoll, type RollFile, writeRoll } from "./roll-file.js";
import { makePaneFolder, tellOutcome } from "./roll-folder.js";

/** A roll that is cancelled. */
export interface CancelledRoll {
  readonly roll_id: string;
  /** False: its executor was asked, and may be faster. */
  readonly isOver: boolean;
}

async function readOwn(root: string, key: string, token: string): Promise<RollFile | null> {
  const roll = await readRoll(root, key);
  if (roll === null || roll.token_sha256 !== tokenDigest(token)) return null;
  return roll.phase === "accepted" || roll.phase === "settling" ? roll : null;
}

/** Cancels the token's roll; null: there is none that has cleared nothing. Throws UsageError. */
export async function cancelRoll(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string | undefined>> },
  key: string,
  token: string,
): Promise<CancelledRoll | null> {
  if ((await readOwn(root, key, token)) === null) return null;
  // Under the lock under which executors take their place: nobody goes on with it in between.
  return withStoreLock(await makePaneFolder(root, key), {}, async () => {
    const roll = await readOwn(root, key, token);
    if (roll === null) return null;
    const { roll_id, pane, session_id, packet_id } = roll;
    if ((await readExecutor(root, key)) === "alive") {
      await askCancel(root, key, roll);
      return { roll_id, isOver: false };
    }
    const at = new Date().toISOString();
    const why = "it was asked for";
    await writeRoll(root, key, { ...roll, ...decideRoll(roll, "cancel_asked").state, at, why });
    const line = { at, what: "cancelled", pane, session_id, roll_id, packet_id };
    await tellOutcome(root, key, { ...line, why: `CANCELLED, ${why}` }, env);
    return { roll_id, isOver: true };
  });
}
