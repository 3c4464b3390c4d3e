// Where Claude Code keeps transcripts (2.1.332): `projects/<folder>/<session>.jsonl` in its configuration folder, subagents'
// in `<session>/subagents/agent-<id>.jsonl` beside, with a `.meta.json` that says what kind each is.
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { parseJson } from "../../text/parse-json.js";
import { isFields, textAt } from "../payload-fields.js";
import type { SubagentFile, TranscriptPlace } from "../transcript.js";

const MAX_META_BYTES = 64 * 1024;

function home({ env }: TranscriptPlace): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/** The session's transcript; should several folders have one, the one written to last. */
export async function findClaudeTranscript(
  sessionId: string,
  place: TranscriptPlace,
): Promise<string | null> {
  const root = place.env["CLAUDE_CONFIG_DIR"] || path.join(home(place), ".claude");
  const projects = path.join(root, "projects");
  const folders = await readdir(projects).catch((): string[] => []);
  let newest: { readonly file: string; readonly at: number } | null = null;
  for (const folder of folders) {
    const file = path.join(projects, folder, `${sessionId}.jsonl`);
    const facts = await stat(file).catch(() => null);
    if (facts?.isFile() === true && (newest === null || facts.mtimeMs > newest.at))
      newest = { file, at: facts.mtimeMs };
  }
  return newest?.file ?? null;
}

/** What kind of subagent it was; null: nobody says. The fork that compacts a session has an empty one. */
async function typeOf(file: string): Promise<string | null> {
  const read = await readArtifactFile(null, file.replace(/\.jsonl$/u, ".meta.json"), MAX_META_BYTES);
  const parsed = read.status === "read" ? parseJson(read.text) : null;
  if (parsed?.ok !== true || !isFields(parsed.value)) return null;
  return parsed.value["agentType"] === "" ? "" : textAt(parsed.value, "agentType");
}

/** The files of a session's subagents. A fork that compacts is no subagent. */
export async function findClaudeSubagents(
  transcript: string,
  sessionId: string,
): Promise<readonly SubagentFile[]> {
  const folder = path.join(path.dirname(transcript), sessionId, "subagents");
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const found: SubagentFile[] = [];
  for (const name of names.toSorted()) {
    const id = /^agent-(.+)\.jsonl$/u.exec(path.basename(name))?.[1];
    if (id === undefined || id.startsWith("acompact-")) continue;
    const file = path.join(folder, name);
    const type = await typeOf(file);
    if (type !== "") found.push({ file, subagent: { id, type } });
  }
  return found;
}
