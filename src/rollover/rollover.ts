// The actions of a rollover, one call each (L1): what the command line and tools of agents call. Values in, an answer out; a
// refusal is an answer, and only what nobody could foresee is thrown.
import path from "node:path";
import { openWorkbench } from "../session/open-workbench.js";
import { cleanLine } from "../text/clean.js";
import { cutText } from "../text/cut.js";
import type { RolloverAnswer } from "./answer.js";
import type { RolloverCaller } from "./caller.js";
import { cancelRoll } from "./cancel-roll.js";
import { startExecutor } from "./execute-roll.js";
import { findPane } from "./find-pane.js";
import { passGates } from "./gates.js";
import { AUTO, handOver } from "./handover.js";
import { dropPending, newToken, pathsOfOthers, writePending } from "./pending.js";
import { askCancel } from "./roll-file.js";
import { tellOutcome } from "./roll-folder.js";
import { handoverPath, settingsOf } from "./rollover-settings.js";
import { readStatus, resumeRolls, type RolloverStatus } from "./rollover-status.js";
import { newRoll, scheduleRoll } from "./schedule-roll.js";
import { refuse, takeAction } from "./take-action.js";
import { createTmux } from "./tmux.js";

export type { RolloverCaller } from "./caller.js";

/** Longest reason that is kept, in bytes. */
const REASON_BYTES = 500;

/** Opens a request: a token, and where the handover is to be written. A second one replaces the first. */
export async function openRollover(
  caller: RolloverCaller & { readonly reason?: string },
): Promise<RolloverAnswer> {
  return takeAction("open", caller, {}, async ({ workbench, pending, session_id, now }, pane, settings) => {
    const { root, redactor, env } = workbench;
    const { key } = pane;
    const place = handoverPath(root, settings, pane, await pathsOfOthers(root, key, now));
    const token = newToken();
    const said = cleanLine(redactor.redactText(caller.reason ?? "").text);
    const reason = said === "" ? null : cutText(said, REASON_BYTES);
    const { max_doc_age_seconds, require_operator_confirm } = settings;
    const asked = {
      pane: pane.pane,
      session_id,
      reason,
      handover_path: place.path,
      max_doc_age_seconds,
      now,
    };
    const times = await writePending(root, key, token, asked);
    await tellOutcome(
      root,
      key,
      {
        at: times.opened_at,
        what: "requested",
        pane: pane.pane,
        session_id,
        roll_id: null,
        packet_id: null,
        why: reason ?? "",
      },
      env,
    );
    const steps = [
      pending === null ? "" : "The request before it was dropped, and its token is void.",
      place.moved ? "Another lead writes to the configured file; this one is yours." : "",
      place.path === AUTO
        ? "Note what comes next (handoff note next), then confirm: the packet is generated."
        : `Now write ${path.relative(root, place.path)}, with the sections Doing, Decided, Dead ends, Next and Scene as headings; then confirm.`,
      require_operator_confirm ? "Ask the person in this session before you confirm." : "",
    ];
    return {
      ok: true,
      action: "open",
      token,
      handover_path: place.path,
      ...times,
      replaced: pending !== null,
      needs_operator: require_operator_confirm,
      pane: pane.pane,
      message: steps.filter((step) => step !== "").join(" "),
    };
  });
}

/** Checks every gate, publishes the packet and schedules the roll. Throws what publishing throws, and `rollover.not_started`. */
export async function confirmRollover(
  caller: RolloverCaller & { readonly token: string; readonly operatorConfirmed: boolean },
): Promise<RolloverAnswer> {
  const given = { token: caller.token, confirmed: caller.operatorConfirmed };
  return takeAction("confirm", caller, given, async (scene, pane, settings, { gates }) => {
    const { root, env, redactor } = scene.workbench;
    const { key } = pane;
    const { session_id } = scene;
    const said = scene.handover?.said ?? null;
    const handed = await handOver(scene.workbench, { session_id, pane, said, now: scene.now });
    if ("refused" in handed) {
      const refused = {
        code: "HANDOVER_INVALID",
        passed: false,
        why: handed.refused,
        hint: handed.hint,
      } as const;
      const { hint: _hint, ...report } = refused;
      const looked = gates.map((gate) => (gate.code === refused.code ? report : gate));
      return refuse("confirm", scene, { gates: looked, refused });
    }
    const { packet_id } = handed.packet;
    const packet_path = redactor.redactText(
      path.relative(root, handed.markdown).replaceAll(path.sep, "/"),
    ).text;
    const roll = newRoll(scene, pane, settings, { packet_id, packet_path, session_id });
    const rolling = await scheduleRoll(scene, key, roll);
    if (rolling !== null) {
      const { gates: looked, refused } = passGates("confirm", { ...scene.facts, rolling });
      if (refused !== null) return refuse("confirm", scene, { gates: looked, refused });
    }
    // From here on the token is used.
    await dropPending(root, key);
    const { roll_id, at } = roll;
    await tellOutcome(
      root,
      key,
      {
        at,
        what: "accepted",
        pane: pane.pane,
        session_id,
        roll_id,
        packet_id,
        why: scene.pending?.reason ?? "",
      },
      env,
    );
    try {
      await startExecutor(root, key, env);
    } catch (error) {
      // One that comes late after all clears nothing: the agent is told so.
      await askCancel(root, key, roll);
      throw error;
    }
    return {
      ok: true,
      action: "confirm",
      roll_id,
      packet_id,
      packet_path,
      pane: pane.pane,
      gates,
      message: `Accepted, and scheduled; nothing is cleared yet. End your turn now, within ${settings.turn_settle_seconds} s: then this pane is cleared, and a fresh session begins with ${packet_path}. What a person types here before that stops it.`,
    };
  });
}

/** Drops the pending request, or a roll that has cleared nothing yet. */
export async function cancelRollover(
  caller: RolloverCaller & { readonly token: string },
): Promise<RolloverAnswer> {
  const { token } = caller;
  const answer = await takeAction("cancel", caller, { token }, async (scene, { key, pane }) => {
    const { root, env } = scene.workbench;
    await dropPending(root, key);
    const session_id = scene.pending?.session_id ?? null;
    const line = { at: scene.now.toISOString(), what: "dropped", pane, session_id, roll_id: null };
    await tellOutcome(root, key, { ...line, packet_id: null, why: "it was asked for" }, env);
    return { ok: true, action: "cancel", pane, message: "The request was dropped; nothing was cleared." };
  });
  if (answer.ok || answer.refusal !== "NO_PENDING") return answer;
  return (await cancelRolling(caller)) ?? answer;
}

/** The token's roll, if it has cleared nothing, be it under way or interrupted; null: there is none. */
async function cancelRolling({
  cwd,
  env,
  token,
}: RolloverCaller & { readonly token: string }): Promise<RolloverAnswer | null> {
  const { root } = await openWorkbench({ cwd, env });
  const finding = await findPane(env, process.pid, createTmux(env));
  if (finding.kind !== "found") return null;
  const { key, pane } = finding.pane;
  const cancelled = await cancelRoll({ root, env }, key, token);
  if (cancelled === null) return null;
  const { roll_id, isOver } = cancelled;
  const message = isOver
    ? `${roll_id} is cancelled: its process had died, and nothing was cleared.`
    : `${roll_id} stops, unless it clears the pane this very moment; handoff rollover status says which.`;
  return { ok: true, action: "cancel", pane, message };
}

/** Where every request and roll of the workbench stands (L10). */
export async function rolloverStatus({
  cwd,
  env,
}: Pick<RolloverCaller, "cwd" | "env">): Promise<RolloverStatus> {
  const { root } = await openWorkbench({ cwd, env });
  return readStatus(root);
}

/** Goes on with rolls whose process died (L11); those that are gone on with. */
export async function resumeRollover({
  cwd,
  env,
}: Pick<RolloverCaller, "cwd" | "env">): Promise<RolloverStatus> {
  const { root } = await openWorkbench({ cwd, env });
  return { panes: await resumeRolls(root, env) };
}

/** True when this workbench has a `rollover` block. Never rejects: a configuration that cannot be read has none. */
export async function isRolloverConfigured({
  cwd,
  env,
}: Pick<RolloverCaller, "cwd" | "env">): Promise<boolean> {
  try {
    return settingsOf((await openWorkbench({ cwd, env })).config) !== null;
  } catch {
    return false;
  }
}
