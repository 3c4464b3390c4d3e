// What every call needs first: the root, its configuration, the store's place, the project's own templates and its gate
// against secrets (S13). Nothing of a terminal: command line, hooks and rotation open a workbench alike.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { gateBranch } from "../generate/gate-branch.js";
import { isInside, readArtifactFile } from "../io/read-artifact-file.js";
import type { HandoffConfig } from "../model/config.js";
import { UsageError } from "../model/errors.js";
import { createRedactor, type Redactor } from "../redact/create-redactor.js";
import {
  TEMPLATE_NAMES,
  type TemplateName,
  type TemplateOverride,
  type TemplateOverrides,
} from "../render/templates.js";
import { findRoot } from "../workbench/find-root.js";
import { CONFIG_FILE, loadConfig } from "../workbench/load-config.js";
import { DEFAULT_OUT } from "../workbench/load-snapshot.js";
import { readBranch } from "../workbench/read-branch.js";

/** Where the scan's cursor lies, relative to the root (P20). */
export const CACHE_FOLDER = ".handoff/cache";
const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** Variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A workbench that was found and whose configuration is right. */
export interface Workbench {
  /** Absolute real path. */
  readonly root: string;
  readonly config: HandoffConfig;
  /** The store's root: absolute when the caller named it, else relative to the root. */
  readonly outDir: string;
  readonly templates: TemplateOverrides;
  /** The gate (S13): the environment's secrets and the project's own patterns. */
  readonly redactor: Redactor;
  readonly env: Environment;
  /** The branch that is checked out; git is asked once. Packets have it as {@link gatedBranch} gives it. */
  readonly branch: () => Promise<string | null>;
}

/** How to find one. */
export interface WorkbenchPlace {
  /** Absolute folder to look from. */
  readonly cwd: string;
  readonly env: Environment;
  /** The root itself, relative to `cwd`; null: the nearest folder upwards that is one. */
  readonly root?: string | null;
  /** A configuration file, relative to `cwd`; null: the root's own, if there is one. */
  readonly config?: string | null;
  /** The store's root, relative to `cwd`; null: as configured. */
  readonly out?: string | null;
  /** Ids that were given by option, by the option's name: one that holds a secret is refused. */
  readonly ids?: Readonly<Record<string, string | null>>;
  /** The gate when the project adds nothing to it. Default: one made of `env`. */
  readonly redactor?: Redactor;
  /** Called with the gate as soon as it is known: failures after it are to be told through it. */
  readonly onRedactor?: (redactor: Redactor) => void;
}

/** What holds a gate. */
type Gated = Pick<Workbench, "redactor">;

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
export function isSecret(id: string, { redactor }: Gated): boolean {
  return redactor.redactText(id).text !== id;
}

/** A branch's name as packets and the index have it: through the gate (S13). */
export function gatedBranch(branch: string | null, { redactor }: Gated): string | null {
  return gateBranch(branch, redactor);
}

/** How a brief names the file of a packet: from the root where it lies there, through the gate (S13). */
export function briefPath(root: string, file: string, { redactor }: Gated): string {
  const way = path.relative(root, file).replaceAll(path.sep, "/");
  return redactor.redactText(way.startsWith("../") || path.isAbsolute(way) ? file : way).text;
}

function refuseSecretIds(
  ids: Readonly<Record<string, string | null>>,
  { topic }: HandoffConfig,
  gated: Gated,
): void {
  const hint = "ids stand in packets and file names: choose one that holds no secret";
  for (const [name, id] of Object.entries(ids))
    if (id !== null && isSecret(id, gated))
      throw new UsageError("usage.bad_id", `--${name} ${JSON.stringify(id)} holds a secret`, hint);
  if (topic !== undefined && isSecret(topic, gated))
    throw new UsageError("config.invalid", `/topic: ${JSON.stringify(topic)} holds a secret`, hint, {
      path: CONFIG_FILE,
    });
}

function gateOf(
  { redaction }: HandoffConfig,
  { env, redactor }: Pick<WorkbenchPlace, "env" | "redactor">,
): Redactor {
  if (redaction === undefined) return redactor ?? createRedactor({ env });
  const { patterns, allow } = redaction;
  return createRedactor({
    env,
    ...(patterns === undefined ? {} : { patterns }),
    ...(allow === undefined ? {} : { allow }),
  });
}

/** Finds and reads it. Throws UsageError for a root, configuration, template or id that cannot be used. */
export async function openWorkbench(place: WorkbenchPlace): Promise<Workbench> {
  const { cwd, env, root: rootOption = null, config: configOption = null, out = null, ids = {} } = place;
  const root = await realpath(await findRoot(cwd, rootOption));
  const config = await loadConfig(root, configOption === null ? null : path.resolve(cwd, configOption));
  const outDir = out === null ? outOf(root, config) : path.resolve(cwd, out);
  const redactor = gateOf(config, place);
  place.onRedactor?.(redactor);
  refuseSecretIds(ids, config, { redactor });
  let asked: Promise<string | null> | null = null;
  const branch = (): Promise<string | null> => (asked ??= readBranch(root, { ...env }));
  return { root, config, outDir, templates: await readTemplates(root, config), redactor, env, branch };
}
