// <store>/runs/<run_id>/requests.json: the requests of a run on disk (O1), the owner's alone (0600) and git's never.
import path from "node:path";
import { readArtifactFile } from "../io/read-artifact-file.js";
import { RefusalError } from "../model/errors.js";
import { runFolder, setAside } from "../rotation/run-folder.js";
import { parseJson } from "../text/parse-json.js";
import { newBook, reconcileBook, takeEvent } from "./request-book.js";
import type { RequestEvent } from "./decide-request.js";
import { isOver, type RequestBook, requestBookSchema } from "./request-record.js";
import { type RunPlace, writeRunFile } from "./run-file.js";

/** The name of the file in the run's folder. */
export const REQUESTS_FILE = "requests.json";
const MAX_BYTES = 8 * 1024 * 1024;

/** The requests of a run; an empty book where it has none. Throws RefusalError `request.unreadable`. */
export async function readRequests({ root, outDir }: RunPlace, runId: string): Promise<RequestBook> {
  const folder = runFolder(root, outDir, runId);
  const file = path.join(folder, REQUESTS_FILE);
  const read = await readArtifactFile(folder, file, MAX_BYTES);
  if (read.status === "missing") return newBook(runId);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  const book = parsed?.ok === true ? requestBookSchema.safeParse(parsed.value) : null;
  if (book?.success === true && book.data.run_id === runId) return book.data;
  throw new RefusalError(
    "request.unreadable",
    `the requests of the run ${runId} cannot be read`,
    "move the file away: it says what was asked of the run, and nothing of its work",
    { path: file },
  );
}

/** Replaces the file whole. Throws UsageError for what the system refuses. */
export function writeRequests(place: RunPlace, book: RequestBook): Promise<void> {
  return writeRunFile(place, book.run_id, REQUESTS_FILE, book);
}

/** Moves a file that cannot be read out of the way; the run goes on with none. */
export function setRequestsAside({ root, outDir }: RunPlace, runId: string): Promise<string> {
  return setAside(runFolder(root, outDir, runId), REQUESTS_FILE);
}

/** Ends what a runner that is gone left alive (O9). Only for a run that nobody runs. Twice is once. */
export async function reconcileRequests(place: RunPlace, runId: string, at: string): Promise<RequestBook> {
  const before = await readRequests(place, runId);
  const { book } = reconcileBook(before, at);
  if (book !== before) await writeRequests(place, book);
  return book;
}

/** The end that a finalization has for a request of a run that nobody runs (O9). One that is over stays as it is. */
export async function completeRequest(
  place: RunPlace,
  {
    runId,
    requestId,
    verdict,
  }: {
    readonly runId: string;
    readonly requestId: string;
    readonly verdict: Omit<RequestEvent<"finalized">, "kind">;
  },
): Promise<void> {
  const before = await readRequests(place, runId);
  const known = before.requests.find(({ request_id }) => request_id === requestId);
  if (known === undefined || isOver(known)) return;
  const { book } = takeEvent(before, requestId, { kind: "finalized", ...verdict });
  await writeRequests(place, book);
}
