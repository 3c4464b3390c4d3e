// Guesses a model's context window from its name (R4): the last resort when neither option, environment, agent nor an
// earlier overflow has said it. Pure.

const SAYS_ONE_MILLION = /(?:^|[^a-z0-9])1m(?:[^a-z0-9]|$)/u;
const CLAUDE = /claude|opus|sonnet/u;

/**
 * Window in tokens guessed from a model's name, or null when the name says nothing.
 * `1m` as a word wins (`claude-haiku[1m]`), then `haiku` is 200,000, then every other Claude name is 1,000,000.
 */
export function defaultWindow(model: string | undefined): number | null {
  const name = (model ?? "").toLowerCase();
  if (SAYS_ONE_MILLION.test(name)) return 1_000_000;
  if (name.includes("haiku")) return 200_000;
  return CLAUDE.test(name) ? 1_000_000 : null;
}

const MODEL_VARIABLES = ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL"] as const;

/** The model's name as the environment gives it; an empty variable counts as unset. */
export function modelFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = MODEL_VARIABLES,
): { readonly model: string; readonly from: string } | null {
  for (const from of variables) {
    const model = env[from]?.trim();
    if (model !== undefined && model !== "") return { model, from };
  }
  return null;
}
