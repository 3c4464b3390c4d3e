// handoff init: our hooks and tools in the agents' own settings, and out again. Shows what it changes before it changes it (A1).
import path from "node:path";
import { AGENT_NAMES, type AgentName } from "../../agents/agent.js";
import type { AgentSettings, SettingsPlace, SettingsScope } from "../../agents/agent-settings.js";
import { AGENT_SETTINGS } from "../../agents/settings-registry.js";
import { applyChanges, checkChanges } from "../../install/apply-changes.js";
import { detectAgents } from "../../install/detect-agents.js";
import { findOwnProgram, hookProgram, type OwnProgram } from "../../install/hook-command.js";
import { oneAtATime } from "../../install/one-at-a-time.js";
import { planRun, type ExtraFile, type PlannedFile, type RunPlan } from "../../install/plan-run.js";
import { serverCommand } from "../../install/server-command.js";
import { EXIT, RefusalError, UsageError, type ExitCode } from "../../model/errors.js";
import type { Workbench } from "../../session/open-workbench.js";
import { storePath } from "../../store/store-folder.js";
import { loadSnapshot } from "../../workbench/load-snapshot.js";
import { proposePlaces, type PlaceProposal } from "../../workbench/propose-places.js";
import { choiceOption, flagOption, type Arguments } from "../arguments.js";
import { findPrTemplate, prTemplateChange } from "../init/pr-template.js";
import { actionOf, diffTexts, printDiff, printFile } from "../init/print-plan.js";
import { settingsPlace } from "../init/settings-place.js";
import { askTracking, lookAtTracking, trackingFiles, type PacketTracking } from "../init/track-packets.js";
import { openWorkbench } from "../open-workbench.js";
import { ownMain, packetSchemaFile } from "../own-files.js";
import { printJson, shown, shownPath } from "../report.js";
import type { Terminal } from "../terminal.js";

interface Wish {
  readonly agent: AgentName | "all" | null;
  readonly scope: SettingsScope;
  readonly tracking: "track" | "ignore" | null;
  readonly uninstalls: boolean;
  readonly isDry: boolean;
  readonly prTemplate: boolean;
  /** The tools are part of it. */
  readonly tools: boolean;
  readonly json: boolean;
}

function readWish(args: Arguments): Wish {
  const [track, ignore] = [flagOption(args, "track"), flagOption(args, "ignore")];
  const wish: Wish = {
    agent: choiceOption(args, "agent", [...AGENT_NAMES, "all"]),
    scope: choiceOption(args, "scope", ["project", "user"]) ?? "project",
    tracking: track ? "track" : ignore ? "ignore" : null,
    uninstalls: flagOption(args, "uninstall"),
    isDry: flagOption(args, "dry-run"),
    prTemplate: flagOption(args, "pr-template"),
    tools: !flagOption(args, "no-mcp"),
    json: flagOption(args, "json"),
  };
  const refuse = (what: string): UsageError =>
    new UsageError("usage.arguments", what, "see handoff init --help");
  if (track && ignore) throw refuse("--track and --ignore say the opposite");
  if (wish.uninstalls && wish.tracking !== null)
    throw refuse("--uninstall takes the entry of --ignore out anyway");
  if (wish.scope === "user" && (wish.tracking !== null || wish.prTemplate))
    throw refuse("--track, --ignore and --pr-template are about a project, not --scope user");
  return wish;
}

async function chooseAgents(wish: Wish, place: SettingsPlace): Promise<readonly AgentSettings[]> {
  if (wish.agent === "all" || (wish.agent === null && wish.uninstalls)) return AGENT_SETTINGS;
  const known = AGENT_SETTINGS.map(({ name }) => name).join(", ");
  if (wish.agent !== null) {
    const named = AGENT_SETTINGS.filter(({ name }) => name === wish.agent);
    if (named.length > 0) return named;
    throw new UsageError(
      "init.agent",
      `--agent ${wish.agent} cannot be set up by this version`,
      `there are: ${known}`,
    );
  }
  const detected = await detectAgents(AGENT_SETTINGS, place);
  if (detected.length > 0) return detected;
  throw new RefusalError(
    "init.no_agent",
    "no agent is in use here: no settings folder in the project or the home folder, no program on PATH",
    `name one: handoff init --agent NAME (${known}, all)`,
  );
}

/** Files beside the agents' settings. One named agent says nothing about them. */
async function chooseExtras(
  wish: Wish,
  workbench: Workbench,
  tracking: PacketTracking | null,
  answer: Wish["tracking"],
): Promise<readonly ExtraFile[]> {
  if (wish.scope === "user") return [];
  const isWhole = wish.agent === null || wish.agent === "all";
  const takesOut = wish.uninstalls && (isWhole || wish.prTemplate);
  const template =
    takesOut || (wish.prTemplate && !wish.uninstalls)
      ? [prTemplateChange(await findPrTemplate(workbench.root, workbench.env), wish.uninstalls)]
      : [];
  if (wish.uninstalls) return [...(isWhole ? trackingFiles(tracking, "uninstall") : []), ...template];
  return [...trackingFiles(tracking, answer), ...template];
}

/** What is worth knowing beside the files. */
function notesOf(
  wish: Wish,
  {
    scope,
    agents,
    plan,
    own,
  }: { scope: SettingsScope; agents: readonly AgentSettings[]; plan: RunPlan; own: OwnProgram },
): string[] {
  if (wish.uninstalls) return [];
  const first = agents.flatMap(({ name, title, beforeFirstUse, servers }) => {
    const changed = plan.files.filter((file) => file.what === name && file.before !== file.after);
    const todo = [
      changed.some(({ hooks }) => hooks > 0) ? beforeFirstUse(scope) : null,
      changed.some((file) => file.servers > 0) ? (servers?.beforeFirstUse(scope) ?? null) : null,
    ];
    return todo.flatMap((one) => (one === null ? [] : [`${title}: ${one}`]));
  });
  const isBound = own.kind === "files" && scope === "project";
  return [
    ...first,
    ...(isBound
      ? [
          `the hooks${wish.tools ? " and tools" : ""} name files of this machine, since the handoff on PATH is not this one: for settings that are shared, install it (npm install --global handoff-packet) and run this again`,
        ]
      : []),
  ];
}

async function lookElsewhere(workbench: Workbench): Promise<readonly PlaceProposal[]> {
  const { root, config, outDir, env } = workbench;
  const snapshot = await loadSnapshot(root, { config, outDir, env });
  return proposePlaces(root, snapshot, config);
}

function trackingNote(wish: Wish, tracking: PacketTracking | null, answer: Wish["tracking"]): string | null {
  if (wish.scope === "user" || wish.uninstalls || tracking === null) return null;
  if (answer === null)
    return tracking.isDecided
      ? null
      : "packets: git sees them as it sees any file; --ignore keeps them out of it, --track says that they belong there";
  return answer === "track" && tracking.ignoredBy !== null
    ? `packets: still ignored by ${shown(tracking.ignoredBy)}`
    : null;
}

/** Runs it. Exit 1 when no agent is in use here, 2 when a file cannot be changed without damage; nothing is changed then. */
export async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const wish = readWish(args);
  const workbench = await openWorkbench(args, terminal);
  const { root, outDir, env } = workbench;
  const place = settingsPlace(root, env);
  const agents = await chooseAgents(wish, place);
  const own = await findOwnProgram(ownMain(), process.execPath, env);
  const out = storePath(root, outDir);
  const tracking = wish.scope === "user" ? null : await lookAtTracking(root, out, env);
  const programFor = (agent: AgentName): string => hookProgram(own, agent, process.platform);
  const files = { node: process.execPath, main: ownMain() };
  const server = wish.tools ? serverCommand(own, files, process.platform) : null;
  const planFor = async (answer: Wish["tracking"]): Promise<RunPlan> => {
    const extras = await chooseExtras(wish, workbench, tracking, answer);
    const { scope, uninstalls } = wish;
    return planRun({ scope, place, uninstalls, agents, programFor, server, extras });
  };
  const proposals = wish.uninstalls || wish.scope === "user" ? [] : await lookElsewhere(workbench);
  let answer = wish.tracking;
  const mayAsk = answer === null && !wish.uninstalls && !wish.isDry && !wish.json;
  const asks = mayAsk && tracking?.isDecided === false;
  const carryOut = (isShown: (file: PlannedFile) => boolean, writes: boolean): Promise<RunPlan> =>
    oneAtATime(async () => {
      const planned = await planFor(answer);
      await checkChanges(planned.changes);
      if (!wish.json) for (const file of planned.files.filter(isShown)) printDiff(terminal, file);
      if (writes) await applyChanges(planned.changes);
      return planned;
    });
  let plan = await carryOut(() => true, !wish.isDry && !asks);
  if (asks) {
    const folder = shown(path.relative(root, out).replaceAll(path.sep, "/"));
    answer = await askTracking(terminal, folder);
    // Read anew: a person may take their time.
    plan = await carryOut(({ what }) => what === "exclude", true);
  }
  const notes = notesOf(wish, { scope: wish.scope, agents, plan, own });
  const aboutTracking = trackingNote(wish, tracking, answer);
  if (wish.json) {
    const rows = plan.files.map((file) => ({
      what: file.what,
      path: file.path,
      action: actionOf(file),
      hooks: file.hooks,
      servers: file.servers,
      diff: diffTexts(file),
    }));
    const rest = { schema: packetSchemaFile(), elsewhere: proposals, notes };
    printJson(
      terminal,
      { ok: true },
      { scope: wish.scope, dry_run: wish.isDry, uninstall: wish.uninstalls, files: rows, ...rest },
    );
    return EXIT.ok;
  }
  const NAMES = { exclude: "git", pr_template: "pull requests" };
  for (const file of plan.files) {
    const { what } = file;
    const name =
      what === "exclude" || what === "pr_template"
        ? NAMES[what]
        : (AGENT_SETTINGS.find((agent) => agent.name === what)?.title ?? what);
    printFile(terminal, file, { name, uninstalls: wish.uninstalls, isDry: wish.isDry });
  }
  for (const { artifact, path: file, pattern } of proposals)
    terminal.out(
      `elsewhere      ${shown(file)} looks like the ${artifact}; in handoff.config.json ${shown(JSON.stringify({ artifacts: { [artifact]: [pattern] } }))} has it read\n`,
    );
  if (aboutTracking !== null) terminal.out(`${aboutTracking}\n`);
  for (const note of notes) terminal.out(`${terminal.colors.yellow("note:")} ${shown(note)}\n`);
  if (!wish.uninstalls)
    terminal.out(
      `${terminal.colors.dim(`every handoff.json follows ${shownPath(packetSchemaFile(), terminal.cwd)}`)}\n`,
    );
  return EXIT.ok;
}
