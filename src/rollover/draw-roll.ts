// The table of a roll as a Mermaid diagram, for the README: drawn from the table itself, so that the two cannot part.
import { decideRoll, hasEnded, MOST_TRIES, ROLL_EVENTS, ROLL_PHASES, type RollState } from "./decide-roll.js";

/** States that the table tells apart. */
function statesOf(phase: RollState["phase"]): readonly RollState[] {
  const tries = phase === "bootstrapping" || phase === "clearing" ? [1, MOST_TRIES] : [0];
  return tries.map((count) => ({ phase, tries: count, ending: null }));
}

/** The diagram, without a fence: an arrow for every event that changes something, with its effects. */
export function drawRoll(): string {
  const arrows = new Set<string>();
  for (const phase of ROLL_PHASES)
    for (const event of ROLL_EVENTS)
      for (const state of statesOf(phase)) {
        const { state: next, effects } = decideRoll(state, event);
        if (next === state) continue;
        const said = next.ending === null ? event : `${event} (${next.ending})`;
        const done = effects.length === 0 ? "" : ` / ${effects.join(", ")}`;
        arrows.add(`    ${phase} --> ${next.phase}: ${said}${done}`);
      }
  const ends = ROLL_PHASES.filter((phase) => hasEnded({ phase })).map((phase) => `    ${phase} --> [*]`);
  return ["stateDiagram-v2", "    [*] --> accepted: confirm", ...arrows, ...ends].join("\n");
}
