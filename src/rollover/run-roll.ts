// Carries a roll out (L6, L11): looks at the pane, asks the table what follows, writes it down, and only then does it. Whoever
// takes a roll up after a crash starts from what was written, by the same way.
import { agentPaneOf } from "../agents/pane-registry.js";
import type { AgentPane } from "../agents/agent-pane.js";
import { leaveHandover, takeHandoverBack } from "../recorder/pane-file.js";
import { decideRoll, hasEnded, type RollEffect } from "./decide-roll.js";
import { isCancelAsked, readRoll, type RollFile, writeRoll } from "./roll-file.js";
import { tellOutcome } from "./roll-folder.js";
import type { TerminalMultiplexer } from "./terminal-multiplexer.js";
import { isSameLine, sendOff, typeLine, type TypingPorts } from "./type-line.js";
import { lookAtPane, type PaneLook } from "./watch-pane.js";
import { LATE, type Seen, watchPickup, WATCHES } from "./watch-phases.js";

/** How often the pane is looked at. */
const POLL_MS = 250;
/** So many looks in a row must find the turn ended, and nothing told in between. */
const CALM_LOOKS = 3;

export interface RollPorts {
  readonly terminal: TerminalMultiplexer;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Milliseconds that only grow. */
  readonly elapsed: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** One roll, while it is carried out. */
class Execution {
  readonly #root: string;
  readonly #key: string;
  readonly #ports: RollPorts;
  readonly #agent: AgentPane;
  #roll: RollFile;

  constructor(root: string, key: string, roll: RollFile, agent: AgentPane, ports: RollPorts) {
    this.#root = root;
    this.#key = key;
    this.#roll = roll;
    this.#agent = agent;
    this.#ports = ports;
  }

  get roll(): RollFile {
    return this.#roll;
  }

  #look(): Promise<PaneLook> {
    const place = { root: this.#root, key: this.#key, terminal: this.#ports.terminal, agent: this.#agent };
    return lookAtPane(place, this.#roll);
  }

  #typing(): TypingPorts {
    const { terminal, elapsed, sleep } = this.#ports;
    return { terminal, pane: this.#roll, look: () => this.#look(), sleep: () => sleep(POLL_MS / 5), elapsed };
  }

  /** Takes an event: the step is on disk before any of it is done. Gives what there is to be watched. */
  async take({ event, why = "", new_session }: Seen): Promise<RollEffect | null> {
    const before = this.#roll;
    const { state, effects } = decideRoll(before, event);
    const now = this.#ports.now().toISOString();
    this.#roll = { ...before, ...state, at: now, why, new_session: new_session ?? before.new_session };
    await writeRoll(this.#root, this.#key, this.#roll);
    const isNews = state.phase !== before.phase || state.tries !== before.tries;
    if (isNews) await this.#tell(state.tries > 1 && state.phase === "bootstrapping" ? "tries again" : null);
    for (const effect of effects) {
      if (WATCHES[effect] !== undefined) return effect;
      const failed = await this.#carryOut(effect);
      if (failed !== null) return this.take(failed);
    }
    return null;
  }

  async #tell(other: string | null): Promise<void> {
    const { roll_id, pane, phase, ending, session_id, new_session, packet_id, why, at } = this.#roll;
    const said = [ending, why].filter((part) => part !== null && part !== "").join(", ");
    await tellOutcome(
      this.#root,
      this.#key,
      {
        at,
        what: other ?? (phase === "bootstrapping" ? "cleared" : phase),
        pane,
        session_id: new_session ?? session_id,
        roll_id,
        packet_id,
        why: said,
      },
      this.#ports.env,
    );
  }

  /** Does one thing; what went otherwise, as an event. */
  async #carryOut(effect: RollEffect): Promise<Seen | null> {
    const { session_id: from_session, packet_id, bootstrap_text } = this.#roll;
    if (effect === "leave_packet") leaveHandover(this.#root, this.#key, { packet_id, from_session });
    else if (effect === "take_packet_back") takeHandoverBack(this.#root, this.#key);
    else if (effect === "send_bootstrap") await this.#sendBootstrap(bootstrap_text);
    else if (effect === "send_clear") {
      const sent = await typeLine(this.#agent.clearCommand, this.#typing());
      if (!sent) return { event: "disturbed", why: "what was typed did not stand alone in its input line" };
    }
    return null;
  }

  /** Into an empty line, or, where our own text stands unsent, only the key that sends it. Else the next try has its turn. */
  async #sendBootstrap(line: string): Promise<void> {
    const { elapsed, sleep } = this.#ports;
    const until = elapsed() + this.#roll.clear_settle_seconds * 1000;
    for (let look = await this.#look(); look.gone === null; look = await this.#look()) {
      if (watchPickup(this.#roll, look) !== null) return;
      // Where no hook tells which session it is, the screen does.
      const isOurs = this.#roll.new_session !== null || look.isFresh;
      if (isOurs && isSameLine(look.typed, line)) {
        await sendOff(this.#typing());
        return;
      }
      if (isOurs && look.unsettled === null && (await typeLine(line, this.#typing()))) return;
      if (elapsed() >= until) return;
      await sleep(POLL_MS);
    }
  }

  /** Waits for what a phase waits for, and says what it was. */
  async watch(effect: RollEffect): Promise<Seen> {
    const { elapsed, sleep } = this.#ports;
    const { turn_settle_seconds, clear_settle_seconds } = this.#roll;
    const limit = effect === "watch_turn" ? turn_settle_seconds : clear_settle_seconds;
    const until = elapsed() + limit * 1000;
    let calm = { looks: 0, sequence: -1 };
    let look: PaneLook | null = null;
    for (;;) {
      look = await this.#look();
      if (look.gone !== null) return { event: "pane_gone", why: look.gone };
      if (effect === "watch_turn" && (await isCancelAsked(this.#root, this.#key, this.#roll)))
        return { event: "cancel_asked", why: "it was asked for" };
      const seen = WATCHES[effect]?.(this.#roll, look, this.#agent) ?? null;
      if (seen !== null && seen.event !== "settled") return seen;
      const sequence = look.file?.sequence ?? -1;
      calm = { looks: seen === null ? 0 : sequence === calm.sequence ? calm.looks + 1 : 1, sequence };
      if (seen !== null && calm.looks >= CALM_LOOKS) return seen;
      if (elapsed() >= until) return { event: "deadline", why: LATE[effect]?.(look) ?? "" };
      await sleep(POLL_MS);
    }
  }
}

/** A roll that waited for so long that its handover is too old to be used (L4): a restart does not clear by it. */
function isTooOld({ phase, accepted_at, max_doc_age_seconds }: RollFile, now: Date): boolean {
  const isWaiting = phase === "accepted" || phase === "settling";
  return isWaiting && now.getTime() - Date.parse(accepted_at) > max_doc_age_seconds * 1000;
}

/**
 * Carries the pane's roll out to its end, from wherever it stands. The caller is its only executor.
 * @returns the roll at its end; null: there is none
 * Throws UsageError where it cannot be written down.
 */
export async function runRoll(root: string, key: string, ports: RollPorts): Promise<RollFile | null> {
  const roll = await readRoll(root, key);
  const agent = roll === null ? null : agentPaneOf(roll.agent);
  if (roll === null || agent === null) return roll;
  const execution = new Execution(root, key, roll, agent, ports);
  let next = await execution.take(
    isTooOld(roll, ports.now())
      ? { event: "deadline", why: "it was interrupted, and its handover is too old by now" }
      : { event: "begun" },
  );
  while (next !== null && !hasEnded(execution.roll)) next = await execution.take(await execution.watch(next));
  return execution.roll;
}
