// What every command needs first: the root, its configuration, the store's place and the project's own templates.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { isInside, readArtifactFile } from "../io/read-artifact-file.js";
import type { HandoffConfig } from "../model/config.js";
import { UsageError } from "../model/errors.js";
import { gateBranch } from "../generate/gate-branch.js";
import { createRedactor } from "../redact/create-redactor.js";
import {
  TEMPLATE_NAMES,
  type TemplateName,
  type TemplateOverride,
  type TemplateOverrides,
} from "../render/templates.js";
import { findRoot } from "../workbench/find-root.js";
import { CONFIG_FILE, loadConfig } from "../workbench/load-config.js";
import { DEFAULT_OUT } from "../workbench/load-snapshot.js";
import { textOption, type Arguments } from "./arguments.js";
import type { Terminal } from "./terminal.js";

/** Where the scan's cursor lies, relative to the root (P20). */
export const CACHE_FOLDER = ".handoff/cache";
const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** A workbench as the options and the configuration describe it. */
export interface OpenWorkbench {
  /** Absolute real path. */
  readonly root: string;
  readonly config: HandoffConfig;
  /** The store's root: absolute when given as an option, else relative to the root. */
  readonly outDir: string;
  readonly templates: TemplateOverrides;
}

/** Reads a template; inside `folder` only, or anywhere when that is null. Throws UsageError. */
export async function readTemplate(folder: string | null, file: string): Promise<TemplateOverride> {
  const read = await readArtifactFile(folder, file, MAX_TEMPLATE_BYTES);
  if (read.status === "read") return { path: file, source: read.text };
  throw new UsageError(
    "template.unreadable",
    `the template cannot be read: ${read.status.replaceAll("_", " ")}`,
    "name a readable file inside the workbench, or leave it out to use the built-in one",
    { path: file },
  );
}

async function readTemplates(root: string, { templates = {} }: HandoffConfig): Promise<TemplateOverrides> {
  const overrides: Partial<Record<TemplateName, TemplateOverride>> = {};
  for (const name of TEMPLATE_NAMES) {
    const file = templates[name];
    if (file !== undefined) overrides[name] = await readTemplate(root, file);
  }
  return overrides;
}

/** A configuration comes with the repository: it may not send what we write elsewhere. A person may, with --out. */
function outOf(root: string, { out = DEFAULT_OUT }: HandoffConfig): string {
  if (isInside(path.resolve(root, out), root)) return out;
  throw new UsageError(
    "config.invalid",
    `/out: ${JSON.stringify(out)} leads outside the workbench`,
    "name a folder inside it, or use --out",
    { path: CONFIG_FILE },
  );
}

/** True for an id that holds a secret (S13): it would stand in file names, where nothing can be taken out of it. */
export function isSecret(id: string, { redactor }: Terminal): boolean {
  return redactor.redactText(id).text !== id;
}

/** A branch's name as packets and the index have it: through the gate (S13). */
export function gatedBranch(branch: string | null, { redactor }: Terminal): string | null {
  return gateBranch(branch, redactor);
}

/** How a brief names the file of a packet: from the root where it lies there, through the gate (S13). */
export function briefPath(root: string, file: string, { redactor }: Terminal): string {
  const way = path.relative(root, file).replaceAll(path.sep, "/");
  return redactor.redactText(way.startsWith("../") || path.isAbsolute(way) ? file : way).text;
}

/** Options that become ids. */
const ID_OPTIONS = ["session", "task", "topic", "by", "for"] as const;

function refuseSecretIds(args: Arguments, config: HandoffConfig, terminal: Terminal): void {
  const hint = "ids stand in packets and file names: choose one that holds no secret";
  for (const name of ID_OPTIONS) {
    const id = textOption(args, name);
    if (id !== null && isSecret(id, terminal))
      throw new UsageError("usage.bad_id", `--${name} ${JSON.stringify(id)} holds a secret`, hint);
  }
  const { topic } = config;
  if (topic !== undefined && isSecret(topic, terminal))
    throw new UsageError("config.invalid", `/topic: ${JSON.stringify(topic)} holds a secret`, hint, {
      path: CONFIG_FILE,
    });
}

/** Finds and reads it. Throws UsageError for a root, configuration, template or id that cannot be used. */
export async function openWorkbench(args: Arguments, terminal: Terminal): Promise<OpenWorkbench> {
  const root = await realpath(await findRoot(terminal.cwd, textOption(args, "root")));
  const configOption = textOption(args, "config");
  const config = await loadConfig(
    root,
    configOption === null ? null : path.resolve(terminal.cwd, configOption),
  );
  const outOption = textOption(args, "out");
  const outDir = outOption === null ? outOf(root, config) : path.resolve(terminal.cwd, outOption);
  if (config.redaction !== undefined) {
    const { patterns, allow } = config.redaction;
    terminal.redactor = createRedactor({
      env: terminal.env,
      ...(patterns === undefined ? {} : { patterns }),
      ...(allow === undefined ? {} : { allow }),
    });
  }
  refuseSecretIds(args, config, terminal);
  return { root, config, outDir, templates: await readTemplates(root, config) };
}
