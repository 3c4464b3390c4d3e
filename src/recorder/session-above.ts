// The session that a long-lived child of an agent belongs to: the one whose process stands above it. An agent may begin a new
// session in the same process; what it put into the child's environment then names the old one.
import { readAncestry } from "../io/process-ancestry.js";
import { identityOf, readOwnIdentity } from "../io/process-identity.js";
import { isSameProcess } from "../session/session-process.js";
import { readRecorded, type RecordQuestion } from "./recorded-session.js";

/**
 * Id of the newest session on record here that has not ended and runs in a process above `pid`; null: none does. A process
 * that serves many sessions at once names none of them. Never rejects for what is on disk.
 */
export async function findSessionAbove(question: RecordQuestion, pid: number): Promise<string | null> {
  const own = await readOwnIdentity();
  const above = (await readAncestry(pid)).map((ancestor) => ancestor.pid).filter((one) => one !== pid);
  const processes = above.map((one) => ({ ...identityOf(one, own), serves_many: false }));
  const recorded = await readRecorded(question);
  const found = recorded.find(({ file: { process, ended_at } }) => {
    if (ended_at !== null || process === null || process.serves_many) return false;
    return processes.some((one) => isSameProcess(one, process));
  });
  return found?.id ?? null;
}
