// What every action of a rollover does first: looks around, passes the gates, and only then does what is its own.
import { readPaneFile } from "../recorder/pane-file.js";
import { openWorkbench, type Workbench } from "../session/open-workbench.js";
import { withStoreLock } from "../store/store-lock.js";
import type { Refused, RolloverAnswer } from "./answer.js";
import type { RolloverCaller } from "./caller.js";
import { findPane, type FoundPane, type PaneFinding } from "./find-pane.js";
import { type GateFacts, type GatesPassed, type GATES_OF, passGates } from "./gates.js";
import { readHandover, type ReadHandover } from "./handover.js";
import { helpersAtWork, readStanding } from "./pane-state.js";
import { type Pending, readPending, tokenDigest } from "./pending.js";
import { readRolling, type RollFile } from "./roll-file.js";
import { makePaneFolder, rolloverFolder, tellOutcome } from "./roll-folder.js";
import { type RolloverSettings, settingsOf } from "./rollover-settings.js";
import { createTmux } from "./tmux.js";

export type Action = keyof typeof GATES_OF;

/** What an action starts from. */
export interface Scene {
  readonly workbench: Workbench;
  readonly settings: RolloverSettings | null;
  readonly finding: PaneFinding | null;
  /** null: no pane is known. */
  readonly key: string | null;
  readonly facts: GateFacts;
  readonly pending: Pending | null;
  readonly handover: ReadHandover | null;
  readonly rolling: RollFile | null;
  /** The session in the pane and how much was told of it, at this one look: what is told from here on is newer. */
  readonly session_id: string;
  readonly sequence: number;
  readonly now: Date;
}

async function lookAround(
  workbench: Workbench,
  { env, configuredAtStart = true }: RolloverCaller,
  { token = "", confirmed = false }: { readonly token?: string; readonly confirmed?: boolean },
): Promise<Scene> {
  const { root, config } = workbench;
  const settings = settingsOf(config);
  const now = new Date();
  // Without a block nothing is looked for.
  const finding = settings === null ? null : await findPane(env, process.pid, createTmux(env));
  const key =
    finding?.kind === "found" ? finding.pane.key : finding?.kind === "gone" ? finding.named.key : null;
  const file = key === null ? null : readPaneFile(root, key);
  const pending = key === null ? null : await readPending(root, key);
  const rolling = key === null ? null : await readRolling(root, key);
  const handover = pending === null ? null : await readHandover(root, pending.handover_path);
  const facts: GateFacts = {
    configured: settings === null ? "no" : configuredAtStart ? "yes" : "after_start",
    pane: finding,
    standing:
      finding?.kind === "found"
        ? readStanding(file, { server: finding.pane.server, agent: finding.pane.process })
        : null,
    helpers: helpersAtWork(file, now.getTime()),
    pending,
    token_sha256: tokenDigest(token),
    operator: { needed: settings?.require_operator_confirm ?? true, confirmed },
    handover: handover?.facts ?? null,
    max_doc_age_seconds: settings?.max_doc_age_seconds ?? 0,
    now_ns: BigInt(now.getTime()) * 1_000_000n,
    rolling: rolling?.roll_id ?? null,
  };
  const { session_id = "", sequence = 0 } = file ?? {};
  return { workbench, settings, finding, key, facts, pending, handover, rolling, session_id, sequence, now };
}

/** The answer of a gate that does not let through, kept for whoever looks later. */
export async function refuse(
  action: Action,
  { workbench, key, finding, now }: Scene,
  { gates, refused }: GatesPassed & { readonly refused: NonNullable<GatesPassed["refused"]> },
): Promise<Refused> {
  const { code, why, hint } = refused;
  const pane = finding?.kind === "found" ? finding.pane.pane : "";
  if (key !== null && action === "confirm")
    await tellOutcome(
      workbench.root,
      key,
      {
        at: now.toISOString(),
        what: `refused ${code}`,
        pane,
        session_id: null,
        roll_id: null,
        packet_id: null,
        why,
      },
      workbench.env,
    );
  return { ok: false, action, refusal: code, message: why, hint, gates };
}

/**
 * Takes an action whose gates all let through; one after the other in a workbench, since two leads may ask at once. Throws for a
 * workbench that cannot be read or written, and what `carryOut` throws.
 */
export async function takeAction(
  action: Action,
  caller: RolloverCaller,
  given: Parameters<typeof lookAround>[2],
  carryOut: (
    scene: Scene,
    pane: FoundPane,
    settings: RolloverSettings,
    passed: GatesPassed,
  ) => Promise<RolloverAnswer>,
): Promise<RolloverAnswer> {
  const workbench = await openWorkbench({ cwd: caller.cwd, env: caller.env });
  const look = async (): Promise<RolloverAnswer> => {
    const scene = await lookAround(workbench, caller, given);
    const passed = passGates(action, scene.facts);
    const { settings, finding } = scene;
    if (passed.refused !== null) return refuse(action, scene, { ...passed, refused: passed.refused });
    if (settings === null || finding?.kind !== "found")
      throw new Error("a gate let through what it should not");
    return carryOut(scene, finding.pane, settings, passed);
  };
  if (settingsOf(workbench.config) === null) return look();
  await makePaneFolder(workbench.root, null);
  return withStoreLock(rolloverFolder(workbench.root), {}, look);
}
