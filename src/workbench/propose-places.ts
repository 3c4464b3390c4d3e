// Artifacts that lie where nobody looks for them: found by their usual names in other folders and by their content, for a
// person to name in handoff.config.json. Writes nothing.
import type { HandoffConfig } from "../model/config.js";
import type { WorkbenchSnapshot } from "../model/snapshot.js";
import { loadBoard, loadReview, loadState, loadVerification } from "./artifacts/load-artifacts.js";
import type { Bench, LoadedAt } from "./artifacts/load-artifact.js";
import { placesOf, type Places } from "./artifacts/places.js";

/** An artifact that was found elsewhere, and the pattern that would find it. */
export interface PlaceProposal {
  readonly artifact: "state" | "board" | "verification" | "review";
  readonly path: string;
  /** With `<task_id>` or `<session_id>` where the path holds one. */
  readonly pattern: string;
}

/** Usual names, in any folder below the root. */
const ELSEWHERE: Readonly<Record<PlaceProposal["artifact"], readonly string[]>> = {
  state: ["*/**/agent_state.json"],
  board: ["*/**/task_board.json"],
  verification: [
    "*/**/verification/<task_id>.json",
    "*/**/verification_report_<task_id>.json",
    "*/**/verification_report.json",
  ],
  review: ["*/**/review/<task_id>.json", "*/**/review_report_<task_id>.json", "*/**/review_report.json"],
};
/** What lies there is an example, or put away. */
const NOT_MEANT = /(?:^|\/)(?:archive|examples?|fixtures?|samples?|templates?|tests?|testdata|vendor)\//iu;

const LOADERS: Readonly<
  Record<PlaceProposal["artifact"], (bench: Bench, places: Places) => Promise<LoadedAt<unknown>>>
> = { state: loadState, board: loadBoard, verification: loadVerification, review: loadReview };

/** The artifacts that `snapshot` lacks and that lie elsewhere below `root` (real path). */
export async function proposePlaces(
  root: string,
  snapshot: WorkbenchSnapshot,
  config: HandoffConfig,
): Promise<readonly PlaceProposal[]> {
  const ids = { task_id: snapshot.task.id, session_id: snapshot.session.id };
  const bench: Bench = { root, spellings: [], ids };
  const proposals: PlaceProposal[] = [];
  for (const [artifact, patterns] of Object.entries(ELSEWHERE)) {
    if (artifact !== "state" && artifact !== "board" && artifact !== "verification" && artifact !== "review")
      continue;
    if (snapshot[artifact].status !== "missing") continue;
    const places = { ...placesOf(config.artifacts), [artifact]: patterns };
    const { loaded } = await LOADERS[artifact](bench, places);
    if (loaded.status !== "present" || loaded.path === null || NOT_MEANT.test(loaded.path)) continue;
    const { path } = loaded;
    const pattern = ids.task_id === null ? path : path.replaceAll(`${ids.task_id}.json`, "<task_id>.json");
    proposals.push({ artifact, path, pattern });
  }
  return proposals;
}
