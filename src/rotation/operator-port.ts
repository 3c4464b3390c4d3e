// What a run needs of whoever takes a person's requests for a handoff (O3), and what it lets them do to it. Types only: the
// run knows neither sockets nor records.
import type { RunEventLine } from "../model/run-events.js";
import type { Workbench } from "../session/open-workbench.js";

/** A request's new state, as an event has it. */
export type HandoffChange = Pick<
  Extract<RunEventLine, { readonly event: "handoff" }>,
  "request_id" | "state" | "what" | "path"
>;

/** What can be done to a run from outside. Each may be called at any time; a run that is over heeds none. */
export interface OperatorRun {
  readonly run_id: string;
  /** As it was when the run began. */
  readonly workbench: Workbench;
  /** A person wants a handoff: at the next boundary. */
  readonly ask: () => void;
  /** The same, now. */
  readonly force: () => void;
  /** It is not wanted any more. */
  readonly withdraw: () => void;
  /** A request has changed: to be told as an event (R25). Texts in it have passed the gate. */
  readonly tell: (change: HandoffChange) => void;
  /** Something that the live view shows of the request has changed. */
  readonly changed: () => void;
}

/** A request as the live view shows it (O14). Times in milliseconds since 1970. */
export interface PendingHandoff {
  readonly request_id: string;
  readonly state: "accepted" | "delivered" | "begun";
  /** When this state ends by itself. */
  readonly until: number;
}

/** Takes requests while a run goes on. A call that throws is said aloud, and never breaks the run. */
export interface OperatorPort {
  /** The run's folder is there: requests are taken from now on. */
  readonly begin: (run: OperatorRun) => Promise<void>;
  /** The request there is; null: none. */
  readonly pending: () => PendingHandoff | null;
  /** The run has picked the request up. */
  readonly delivered: () => void;
  /** The handoff turn starts. */
  readonly begun: () => void;
  /** Longest handoff turn that leaves time to publish (O5), in milliseconds; null: no limit. */
  readonly writingMs: () => number | null;
  readonly publishing: () => void;
  readonly published: (packet: { readonly packet_id: string; readonly path: string }) => void;
}
