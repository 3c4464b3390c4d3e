// What a roll does next (L12): one table of every phase and every event. Pure: effects are declared here and carried out by the
// executor, which writes the phase down first, so that going on after a crash is the same path as going on.

export const ROLL_PHASES = [
  "accepted",
  "settling",
  "clearing",
  "bootstrapping",
  "bootstrapped",
  "refused",
  "cancelled",
] as const;
export type RollPhase = (typeof ROLL_PHASES)[number];

/**
 * `begun`: an executor takes the roll up, for the first time or after a crash. `disturbed`: what was typed was not sent off, and
 * taken back. `astray`: the first prompt went into the session that was to be cleared. `overtaken`: somebody else was faster.
 */
export const ROLL_EVENTS = [
  "begun",
  "settled",
  "disturbed",
  "cleared",
  "picked_up",
  "astray",
  "overtaken",
  "deadline",
  "pane_gone",
  "cancel_asked",
] as const;
export type RollEvent = (typeof ROLL_EVENTS)[number];

export const ROLL_EFFECTS = [
  "watch_turn",
  "leave_packet",
  "send_clear",
  "watch_clear",
  "send_bootstrap",
  "watch_pickup",
  "take_packet_back",
] as const;
export type RollEffect = (typeof ROLL_EFFECTS)[number];

/** How a roll can end, but for well. */
export const ROLL_ENDINGS = [
  "TURN_NOT_SETTLED",
  "CLEAR_NOT_SEEN",
  "BOOTSTRAP_NOT_SEEN",
  "BOOTSTRAP_ASTRAY",
  "PANE_GONE",
  "OVERTAKEN",
  "CANCELLED",
] as const;
export type RollEnding = (typeof ROLL_ENDINGS)[number];

/** The first prompt is sent at most so often (L6), and clearing is tried so often while nothing of it was sent off. */
export const MOST_TRIES = 3;

export interface RollState {
  readonly phase: RollPhase;
  /** How often the first prompt was sent; before that, how often clearing was typed and taken back. */
  readonly tries: number;
  /** null: it has not ended, or well. */
  readonly ending: RollEnding | null;
}

export interface RollStep {
  readonly state: RollState;
  readonly effects: readonly RollEffect[];
}

type Rule = (state: RollState) => RollStep;

const stay: Rule = (state) => ({ state, effects: [] });
const to =
  (phase: RollPhase, ...effects: readonly RollEffect[]): Rule =>
  (state) => ({ state: { ...state, phase }, effects });
const end =
  (phase: "refused" | "cancelled", ending: RollEnding, ...effects: readonly RollEffect[]): Rule =>
  (state) => ({ state: { ...state, phase, ending }, effects });
const bootstrap =
  (tries: number): Rule =>
  (state) => ({
    state: { ...state, phase: "bootstrapping", tries },
    effects: ["send_bootstrap", "watch_pickup"],
  });

/** Nothing happens to a roll that has ended. */
const ENDED: Readonly<Record<RollEvent, Rule>> = {
  begun: stay,
  settled: stay,
  disturbed: stay,
  cleared: stay,
  picked_up: stay,
  astray: stay,
  overtaken: stay,
  deadline: stay,
  pane_gone: stay,
  cancel_asked: stay,
};

/** What is `stay` is meant: it cannot change what the phase waits for. */
const TABLE: Readonly<Record<RollPhase, Readonly<Record<RollEvent, Rule>>>> = {
  accepted: {
    begun: to("settling", "watch_turn"),
    settled: stay,
    disturbed: stay,
    cleared: end("cancelled", "OVERTAKEN"),
    picked_up: stay,
    astray: stay,
    overtaken: end("cancelled", "OVERTAKEN"),
    deadline: end("refused", "TURN_NOT_SETTLED"),
    pane_gone: end("refused", "PANE_GONE"),
    cancel_asked: end("cancelled", "CANCELLED"),
  },
  settling: {
    begun: to("settling", "watch_turn"),
    settled: to("clearing", "leave_packet", "send_clear", "watch_clear"),
    disturbed: stay,
    // A person cleared it by hand, before we did.
    cleared: end("cancelled", "OVERTAKEN"),
    picked_up: stay,
    astray: stay,
    overtaken: end("cancelled", "OVERTAKEN"),
    deadline: end("refused", "TURN_NOT_SETTLED"),
    pane_gone: end("refused", "PANE_GONE"),
    cancel_asked: end("cancelled", "CANCELLED"),
  },
  clearing: {
    // Whether it was sent before the crash nobody knows: it is looked for, and never sent again (L11).
    begun: to("clearing", "watch_clear"),
    settled: stay,
    disturbed: (state) =>
      state.tries + 1 < MOST_TRIES
        ? to("settling", "take_packet_back", "watch_turn")({ ...state, tries: state.tries + 1 })
        : end("refused", "TURN_NOT_SETTLED", "take_packet_back")(state),
    cleared: bootstrap(1),
    picked_up: stay,
    astray: stay,
    overtaken: end("cancelled", "OVERTAKEN", "take_packet_back"),
    deadline: end("refused", "CLEAR_NOT_SEEN", "take_packet_back"),
    pane_gone: end("refused", "PANE_GONE", "take_packet_back"),
    // Too late.
    cancel_asked: stay,
  },
  bootstrapping: {
    // What was sent before the crash has its time to show; then it counts as a try that failed.
    begun: to("bootstrapping", "watch_pickup"),
    settled: stay,
    disturbed: stay,
    cleared: stay,
    picked_up: to("bootstrapped", "take_packet_back"),
    astray: end("refused", "BOOTSTRAP_ASTRAY", "take_packet_back"),
    overtaken: end("cancelled", "OVERTAKEN", "take_packet_back"),
    deadline: (state) =>
      state.tries < MOST_TRIES
        ? bootstrap(state.tries + 1)(state)
        : end("refused", "BOOTSTRAP_NOT_SEEN", "take_packet_back")(state),
    pane_gone: end("refused", "PANE_GONE", "take_packet_back"),
    cancel_asked: stay,
  },
  bootstrapped: ENDED,
  refused: ENDED,
  cancelled: ENDED,
};

/** A roll as confirm leaves it. */
export const SCHEDULED: RollState = { phase: "accepted", tries: 0, ending: null };

/** True when nothing will happen any more. */
export function hasEnded({ phase }: Pick<RollState, "phase">): boolean {
  return TABLE[phase] === ENDED;
}

/** What an event does to a roll. Every phase takes every event. */
export function decideRoll(state: RollState, event: RollEvent): RollStep {
  return TABLE[state.phase][event](state);
}
