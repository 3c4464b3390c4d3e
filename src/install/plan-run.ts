// A whole run of init: every file it is about, read once, with what becomes of it. Reads, and writes nothing.
import path from "node:path";
import type { AgentName } from "../agents/agent.js";
import type { AgentSettings, ServersForm, SettingsPlace, SettingsScope } from "../agents/agent-settings.js";
import { lookAtFolders, type FileChange } from "./apply-changes.js";
import {
  parseRecord,
  recordBase,
  recordKey,
  recordPath,
  recordText,
  type InstallRecord,
  type RecordEntry,
} from "./install-record.js";
import { planServer, planServerRemoval, serversIn, type ServersFile } from "./plan-servers.js";
import { hooksIn, planInstall, planRemoval, type TextPlan } from "./plan-settings.js";
import { readText } from "./read-text.js";
import type { ServerCommand } from "./server-command.js";

/** A file beside the agents' settings that a run is about. */
export interface ExtraFile {
  readonly what: "exclude" | "pr_template";
  /** Absolute. */
  readonly path: string;
  /** See {@link FileChange.base}. */
  readonly base?: string;
  /** The text it shall have; null for none. @param text null: there is no file */
  readonly change: (text: string | null) => string | null;
}

/** What is to be done, and where. */
export interface InstallRun {
  readonly scope: SettingsScope;
  readonly place: SettingsPlace;
  readonly uninstalls: boolean;
  readonly agents: readonly AgentSettings[];
  /** The words that call us for an agent, quoted. */
  readonly programFor: (agent: AgentName) => string;
  /** How an agent starts our tool server; null: the tools are left alone. */
  readonly server: ServerCommand | null;
  readonly extras: readonly ExtraFile[];
}

/** A file of a run, and what becomes of it. */
export interface PlannedFile extends FileChange {
  readonly what: AgentName | ExtraFile["what"];
  /** How many hooks of ours it holds: after an installation, before a removal. */
  readonly hooks: number;
  /** How many tool servers of ours: in a file of such. */
  readonly servers: number;
}

/** A planned run. */
export interface RunPlan {
  /** What a person is told of. */
  readonly files: readonly PlannedFile[];
  /** Everything that is to be written, in order. */
  readonly changes: readonly FileChange[];
}

/** Agents keep what is secret in the person's own files, make them so, and leave the bits of one that is there. */
const PRIVATE = 0o600;

/** What is to be remembered of the folders above a file that is made, where without a word `usual` ones would go again. */
async function folderEntry(file: string, usual: number): Promise<RecordEntry> {
  const { missing, isEmpty } = await lookAtFolders(file);
  return missing > usual || (missing < usual && isEmpty) ? { folders: missing } : {};
}

/** An emptied file that nothing is remembered of was made by us. */
function planExtra({ change }: ExtraFile, before: string | null, entry: RecordEntry): TextPlan {
  const after = change(before);
  if (after === before) return { before, after, entry };
  if (after === "") return { before, after: entry.text ?? null, entry: {} };
  return { before, after, entry: before === "" ? { text: "" } : entry };
}

/** What becomes of the file with an agent's tool servers. */
async function planTools(
  form: ServersForm,
  at: string,
  command: ServerCommand,
  { place, uninstalls }: InstallRun,
  old: InstallRecord,
) {
  const file: ServersFile = { form, path: at, text: await readText(at) };
  const entry = old[recordKey(at, place.root)] ?? {};
  const plan = uninstalls ? planServerRemoval(file, entry) : planServer(file, command, entry);
  const isUntouched = uninstalls && plan.before === plan.after;
  const now = { ...file, text: uninstalls ? plan.before : plan.after };
  return { plan, servers: isUntouched ? 0 : serversIn(now).length };
}

/** Reads every file of a run and plans it. Throws UsageError for the first one that cannot be changed without damage. */
export async function planRun(run: InstallRun): Promise<RunPlan> {
  const { scope, place, uninstalls } = run;
  const made = scope === "user" ? { mode: PRIVATE } : {};
  const recordFile = recordPath(scope, place);
  const project = recordBase(scope, place);
  const oldText = await readText(recordFile, project);
  const old = parseRecord(oldText);
  const entries: Record<string, RecordEntry> = { ...old };
  const files: PlannedFile[] = [];
  const add = async (
    what: PlannedFile["what"],
    file: string,
    plan: TextPlan,
    {
      hooks = 0,
      servers = 0,
      usual,
      base,
    }: {
      readonly hooks?: number;
      readonly servers?: number;
      readonly usual: number;
      readonly base?: string | undefined;
    },
  ): Promise<void> => {
    const key = recordKey(file, place.root);
    const { before, after, entry } = plan;
    const folders = old[key]?.folders ?? usual;
    files.push({
      what,
      path: file,
      before,
      after,
      hooks,
      servers,
      folders,
      ...made,
      ...(base === undefined ? {} : { base }),
    });
    entries[key] =
      before === null && after !== null ? { ...entry, ...(await folderEntry(file, usual)) } : entry;
  };
  for (const agent of run.agents) {
    const file = path.join(agent.folder(scope, place), agent.form.file);
    const settings = { agent, path: file, text: await readText(file) };
    const entry = old[recordKey(file, place.root)] ?? {};
    const plan = uninstalls
      ? planRemoval(settings, entry)
      : planInstall(settings, run.programFor(agent.name), entry);
    const isUntouched = uninstalls && plan.before === plan.after;
    const now = { ...settings, text: uninstalls ? plan.before : plan.after };
    const hooks = isUntouched ? 0 : hooksIn(now).length;
    // The agent's folder, and those below it.
    const usual = agent.form.file.split("/").length;
    await add(agent.name, file, plan, { hooks, usual });
    if (run.server !== null && agent.servers !== undefined) {
      const at = agent.servers.file(scope, place);
      const { plan: tools, servers } = await planTools(agent.servers, at, run.server, run, old);
      // Of a folder that was there before the hooks it is known already.
      const known = path.dirname(at) === path.dirname(file) ? entry.folders : undefined;
      await add(agent.name, at, tools, { servers, usual: known ?? agent.servers.folders(scope) });
    }
  }
  for (const extra of run.extras) {
    const entry = old[recordKey(extra.path, place.root)] ?? {};
    const { base } = extra;
    const plan = planExtra(extra, await readText(extra.path, base ?? null), entry);
    await add(extra.what, extra.path, plan, { usual: 1, base });
  }
  const planned = await planRecord(recordFile, recordKey(recordFile, place.root), oldText, entries);
  const record = { ...planned, ...made, ...(project === null ? {} : { base: project }) };
  return { files, changes: uninstalls ? [...files, record] : [record, ...files] };
}

async function planRecord(
  file: string,
  key: string,
  before: string | null,
  entries: InstallRecord,
): Promise<FileChange> {
  const { [key]: own = {}, ...others } = entries;
  const folders = own.folders ?? 1;
  if (recordText(others) === null) return { path: file, before, after: null, folders };
  const kept = before === null ? await folderEntry(file, 1) : own;
  return { path: file, before, after: recordText({ ...others, [key]: kept }), folders };
}
