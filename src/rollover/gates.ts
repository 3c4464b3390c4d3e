// The gates of an action (L4): each a named look at facts, all of them looked at and reported in one order, the first that does
// not let through the answer. Pure: facts in, reports out.
import type { GateReport, Refusal } from "./answer.js";
import type { PaneFinding } from "./find-pane.js";
import type { PaneStanding } from "./pane-state.js";

/** A request that was opened, as far as gates look at it. */
export interface PendingFacts {
  readonly token_sha256: string;
  /** ISO 8601 in UTC. */
  readonly expires_at: string;
  /** When it was opened, in nanoseconds of the file system's clock. */
  readonly opened_ns: bigint;
}

/** The handover file. `auto`: none is asked for. */
export type HandoverFacts =
  | { readonly kind: "auto" }
  | { readonly kind: "missing"; readonly path: string; readonly why: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly modified_ns: bigint;
      /** What it says is to be done next; null: nothing. */
      readonly next_action: string | null;
    };

export interface GateFacts {
  readonly configured: "yes" | "no" | "after_start";
  /** null: not looked for, as there is no configuration. */
  readonly pane: PaneFinding | null;
  readonly standing: PaneStanding | null;
  /** Names of the session's helpers that are at work. */
  readonly helpers: readonly string[];
  readonly pending: PendingFacts | null;
  /** Digest of the token that was given. */
  readonly token_sha256: string;
  readonly operator: { readonly needed: boolean; readonly confirmed: boolean };
  readonly handover: HandoverFacts | null;
  readonly max_doc_age_seconds: number;
  /** Nanoseconds since the epoch. */
  readonly now_ns: bigint;
  /** The roll that is under way in this pane; null: none. */
  readonly rolling: string | null;
}

type Verdict = Omit<GateReport, "code"> & { readonly hint: string };
type Gate = (facts: GateFacts) => Verdict;

const passed = (why: string): Verdict => ({ passed: true, why, hint: "" });
const failed = (why: string, hint: string): Verdict => ({ passed: false, why, hint });
const unknown = (why: string): Verdict => ({ passed: null, why, hint: "" });

const AGAIN = "open a new request (handoff rollover open), then write the handover, then confirm";
const NS = 1_000_000_000n;

function whyNotPrimary({ standing, helpers }: GateFacts): Verdict | null {
  if (standing !== null && standing.standing === "UNKNOWN")
    return failed(
      `which session is in the pane is not known: ${standing.why}`,
      "handoff init puts the hooks in that tell it; they count from the session's next prompt",
    );
  if (helpers.length > 0)
    return failed(
      `${helpers.length === 1 ? "a helper" : `${helpers.length} helpers`} of this session at work`,
      "wait until they are done; helpers cannot roll the lead",
    );
  return null;
}

const GATES: Readonly<Record<Refusal, Gate>> = {
  NOT_CONFIGURED: ({ configured }) => {
    if (configured === "yes") return passed("the configuration has a rollover block");
    return configured === "no"
      ? failed(
          "handoff.config.json has no rollover block",
          'add "rollover": {"handover_path": "handover.md"} (or "auto") to it; a server that runs has to be started anew',
        )
      : failed(
          "the rollover block was added after this server had started",
          "start the agent anew (or its server: /mcp), or use handoff rollover on the command line",
        );
  },
  NOT_PRIMARY: (facts) => {
    const { pane } = facts;
    if (pane === null) return unknown("not looked for");
    if (pane.kind === "gone") return unknown(pane.why);
    if (pane.kind === "not_primary") return failed(pane.why, pane.hint);
    return whyNotPrimary(facts) ?? passed(`pane ${pane.pane.pane}, ${pane.pane.agent.name}`);
  },
  NO_PENDING: ({ pending }) =>
    pending === null
      ? failed("nothing was opened in this pane, or it was used or dropped", AGAIN)
      : passed("opened"),
  TOKEN_MISMATCH: ({ pending, token_sha256 }) => {
    if (pending === null) return unknown("nothing was opened");
    return pending.token_sha256 === token_sha256
      ? passed("the token is the one that open gave")
      : failed(
          "the token is not that of this pane's newest request",
          "use the token of the last open; each open makes the one before it void",
        );
  },
  PENDING_EXPIRED: ({ pending, now_ns }) => {
    if (pending === null) return unknown("nothing was opened");
    return now_ns <= BigInt(Date.parse(pending.expires_at)) * 1_000_000n
      ? passed(`valid until ${pending.expires_at}`)
      : failed(`the request was valid until ${pending.expires_at}`, AGAIN);
  },
  OPERATOR_NOT_CONFIRMED: ({ operator: { needed, confirmed } }) => {
    if (!needed) return passed("nobody has to be asked");
    return confirmed
      ? passed("a person has agreed")
      : failed(
          "a person has to agree first (require_operator_confirm)",
          "ask the person in this session; when they agree, confirm once more and say so (--operator-confirmed)",
        );
  },
  HANDOVER_MISSING: ({ handover }) => {
    if (handover === null) return unknown("nothing was opened");
    if (handover.kind === "auto") return passed("the packet is generated");
    return handover.kind === "missing"
      ? failed(`${handover.path}: ${handover.why}`, `write the handover to ${handover.path}, then confirm`)
      : passed(handover.path);
  },
  HANDOVER_STALE: ({ handover, pending, now_ns }) => {
    if (handover?.kind !== "file" || pending === null) return skipped(handover);
    return handover.modified_ns > pending.opened_ns
      ? passed("written after the request was opened")
      : failed(
          `${handover.path} is as old as the request, or older: it was written before open`,
          // Where the clock was set back meanwhile, what is written now is older than the request for long.
          pending.opened_ns > now_ns + NS
            ? `the clock went back since the request: ${AGAIN}`
            : "write it anew now, then confirm with the same token: first open, then write, then confirm",
        );
  },
  HANDOVER_TOO_OLD: ({ handover, now_ns, max_doc_age_seconds }) => {
    if (handover?.kind !== "file") return skipped(handover);
    const age = (now_ns - handover.modified_ns) / NS;
    return age <= BigInt(max_doc_age_seconds)
      ? passed(`${age < 0n ? 0n : age} s old`)
      : failed(
          `${handover.path} is ${age} s old, and at most ${max_doc_age_seconds} s are allowed (max_doc_age_seconds)`,
          "bring it up to date, then confirm",
        );
  },
  HANDOVER_INVALID: ({ handover }) => {
    if (handover?.kind !== "file") return skipped(handover);
    return handover.next_action === null
      ? failed(
          `${handover.path} does not say what to do next`,
          "give it the sections Doing, Decided, Dead ends, Next and Scene as headings; Next says what to do first",
        )
      : passed("it says what comes next");
  },
  PANE_GONE: ({ pane }) => {
    if (pane?.kind === "gone")
      return failed(pane.why, "the pane was closed: start the agent anew; it begins with the brief");
    return pane?.kind === "found" ? passed(`pane ${pane.pane.pane} is there`) : unknown("not looked for");
  },
  ROLL_IN_PROGRESS: ({ rolling }) =>
    rolling === null
      ? passed("no roll is under way here")
      : failed(
          `${rolling} is under way in this pane`,
          "end your turn: it is waited for; handoff rollover status shows where it stands",
        ),
};

function skipped(handover: HandoverFacts | null): Verdict {
  if (handover === null) return unknown("nothing was opened");
  return handover.kind === "auto" ? passed("the packet is generated") : unknown("there is no handover");
}

/** The gates of each action, in the order in which they count. */
export const GATES_OF = {
  open: ["NOT_CONFIGURED", "NOT_PRIMARY", "PANE_GONE", "ROLL_IN_PROGRESS"],
  confirm: [
    "NOT_CONFIGURED",
    "NOT_PRIMARY",
    "NO_PENDING",
    "TOKEN_MISMATCH",
    "PENDING_EXPIRED",
    "OPERATOR_NOT_CONFIRMED",
    "HANDOVER_MISSING",
    "HANDOVER_STALE",
    "HANDOVER_TOO_OLD",
    "HANDOVER_INVALID",
    "PANE_GONE",
    "ROLL_IN_PROGRESS",
  ],
  cancel: ["NOT_CONFIGURED", "NOT_PRIMARY", "NO_PENDING", "TOKEN_MISMATCH"],
} as const satisfies Readonly<Record<string, readonly Refusal[]>>;

/** Gates, looked at. `refused`: the first that does not let through; null: all do. */
export interface GatesPassed {
  readonly gates: readonly GateReport[];
  readonly refused: (GateReport & { readonly hint: string }) | null;
}

/** Looks at all gates of an action. What could not be looked at lets nothing through, but is no answer of its own. */
export function passGates(action: keyof typeof GATES_OF, facts: GateFacts): GatesPassed {
  const looked = GATES_OF[action].map((code) => ({ code, ...GATES[code](facts) }));
  return {
    gates: looked.map(({ code, passed: went, why }) => ({ code, passed: went, why })),
    refused:
      looked.find((gate) => gate.passed === false) ?? looked.find((gate) => gate.passed === null) ?? null,
  };
}
