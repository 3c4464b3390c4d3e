// Gemini CLI's settings (measured with 0.61.0): settings.json of the project or the person, with hooks by event. Its times
// are milliseconds. It asks nobody before it runs a project's hooks, but reads a project's settings in a trusted folder only.
import path from "node:path";
import type { AgentSettings, HookWish } from "../agent-settings.js";
import { EDITORS, geminiHooks, SHELL } from "./hook-speech.js";

const RECORDING = 10_000;
const GENERATING = 60_000;

const wish = (event: string, timeout: number, matcher: string | null = null): HookWish => ({
  event,
  matcher,
  // Its name is what a person sees in the list of hooks, and switches off by.
  fields: { name: `handoff-${event}`, timeout },
});

const HOOKS: readonly HookWish[] = [
  wish("SessionStart", GENERATING),
  // It gives the brief, too.
  wish("BeforeAgent", GENERATING),
  wish("AfterTool", RECORDING, [SHELL, ...EDITORS].join("|")),
  wish("AfterAgent", GENERATING),
  // Without one it would run, and be waited for, before every request to the model.
  wish("PreCompress", GENERATING, "manual"),
  wish("SessionEnd", geminiHooks.sessionEndSeconds * 1000),
];

const STRING_OR_COMMENT = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\//gu;

/** Comments are read, these two are not. */
function whyIgnored(text: string): string | null {
  if (text.startsWith("\ufeff")) return "it begins with a byte order mark";
  const bare = text.replaceAll(STRING_OR_COMMENT, (found) => (found.startsWith('"') ? '""' : " "));
  return /,\s*[}\]]/u.test(bare) ? "it has a trailing comma" : null;
}

/** Gemini CLI's settings. */
export const geminiSettings: AgentSettings = {
  name: "gemini",
  title: geminiHooks.title,
  program: "gemini",
  folder: (scope, { root, home, env }) =>
    path.join(scope === "project" ? root : env["GEMINI_CLI_HOME"] || home, ".gemini"),
  form: {
    kind: "hooks",
    file: "settings.json",
    hooks: HOOKS,
    // A hook that fails is shown as a warning each time. `;` is understood by bash and by PowerShell, its shell on Windows.
    guard: "; exit 0",
    allowsComments: true,
    whyIgnored,
    ifIgnored: "Gemini CLI itself does not start with a settings.json that it cannot read",
  },
  beforeFirstUse: (scope) =>
    scope === "project"
      ? "start gemini here once and trust the folder: it reads a project's settings, hooks included, in trusted folders only"
      : null,
  examine: async (installed, place) => {
    const { examineGemini } = await import("./examine-hooks.js");
    return examineGemini(installed, place);
  },
};
