// What only Codex can tell of hooks that are installed (A4): it runs none that no person has trusted, and says nothing of it.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { findPrograms } from "../../io/find-program.js";
import { readArtifactFile } from "../../io/read-artifact-file.js";
import { PLUGIN_TOO, type HookFinding, type InstalledHooks, type SettingsPlace } from "../agent-settings.js";
import { listCodexHooks, type ListedHook } from "./list-hooks.js";
import { codexSettings } from "./settings.js";

const REVIEW = "start codex in this folder and choose to trust the hooks, or type /hooks there";

/** As Codex itself writes it (0.171.0). */
const PLUGIN_ENABLED = /^\[plugins\."handoff@[^"\n]*"\][ \t]*\r?\n[ \t]*enabled[ \t]*=[ \t]*true\b/mu;

const finding = (ok: boolean | null, what: string, hint: string | null = null): HookFinding => ({
  ok,
  what,
  hint,
});

function trustOf(hooks: readonly ListedHook[], scope: string): HookFinding {
  const disabled = hooks.filter(({ enabled }) => !enabled).length;
  const waiting = hooks.filter(({ trust }) => trust === "untrusted").length;
  const changed = hooks.filter(({ trust }) => trust === "modified").length;
  const parts = [
    ...(waiting > 0 ? [`${waiting} not trusted`] : []),
    ...(changed > 0 ? [`${changed} changed since they were trusted`] : []),
    ...(disabled > 0 ? [`${disabled} switched off`] : []),
  ];
  if (parts.length === 0) return finding(true, `all ${hooks.length} hooks of the ${scope} are trusted`);
  return finding(
    false,
    `of ${hooks.length} hooks of the ${scope} ${parts.join(", ")}: Codex skips those in silence`,
    REVIEW,
  );
}

/** Asks Codex about them; where it cannot be asked, says so. */
export async function examineCodex(
  installed: readonly InstalledHooks[],
  place: SettingsPlace,
): Promise<readonly HookFinding[]> {
  const { root, env } = place;
  const [program] = findPrograms("codex", env);
  if (program === undefined)
    return [finding(null, "codex is not on PATH: whether its hooks are trusted cannot be asked", REVIEW)];
  const listing = await listCodexHooks(program, root, { ...env });
  if (!listing.asked)
    return [finding(null, `codex could not be asked whether its hooks are trusted: ${listing.why}`, REVIEW)];
  const findings: HookFinding[] = [];
  const config = await readArtifactFile(null, path.join(codexSettings.folder("user", place), "config.toml"));
  if (config.status === "read" && PLUGIN_ENABLED.test(config.text)) findings.push(PLUGIN_TOO);
  for (const { scope, file } of installed) {
    const real = await realpath(file).catch(() => file);
    const hooks = listing.hooks.filter((hook) => hook.file === file || hook.file === real);
    if (hooks.length > 0) findings.push(trustOf(hooks, scope));
    else if (scope === "project" && listing.isFolderUntrusted)
      findings.push(
        finding(
          false,
          "this folder is not trusted: Codex skips its hooks in silence",
          "start codex in this folder, and trust the folder and then the hooks when it asks",
        ),
      );
    else
      findings.push(
        finding(
          false,
          `Codex does not see the hooks of the ${scope}`,
          listing.warnings[0] ?? "hooks may be switched off: look for [features] hooks in config.toml",
        ),
      );
  }
  return findings;
}
