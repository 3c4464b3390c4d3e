// Which window a generation has, and who says so (R4). Pure: the environment and what was measured are handed in.
import type { WindowSource } from "../model/run-ledger.js";
import { defaultWindow, modelFromEnvironment } from "./default-window.js";

/** What there is to choose from; null or left out where there is nothing. */
export interface WindowFacts {
  /** `--window`. */
  readonly option?: number | null | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that name the agent's model; default: `ANTHROPIC_MODEL`, then `ANTHROPIC_DEFAULT_OPUS_MODEL`. */
  readonly modelVariables?: readonly string[] | undefined;
  /** `rotation.window` of the configuration. */
  readonly config?: number | null | undefined;
  /** The agent's own report. */
  readonly agent?: { readonly model?: string | null; readonly window?: number | null } | null | undefined;
  /** The window an earlier overflow of the same endpoint and model showed. */
  readonly calibration?: number | null | undefined;
}

/** What is worth saying aloud. */
export type WindowWarning =
  | { readonly code: "window.env_ignored"; readonly value: string }
  | { readonly code: "window.unknown"; readonly model: string | null }
  | { readonly code: "window.guessed"; readonly model: string; readonly window: number };

/** A generation's window. */
export interface ChosenWindow {
  /** Tokens; null: unknown, only an overflow rotates. */
  readonly window: number | null;
  readonly source: WindowSource;
  /** The model's name as far as one is known. */
  readonly model: string | null;
  readonly warnings: readonly WindowWarning[];
}

function usable(window: number | null | undefined): window is number {
  return typeof window === "number" && Number.isSafeInteger(window) && window > 0;
}

/** `HANDOFF_WINDOW`: a positive whole number, or a value to warn of; null when it is not set. */
function windowFromEnvironment(
  env: WindowFacts["env"],
): { readonly window: number } | { readonly ignored: string } | null {
  const value = env["HANDOFF_WINDOW"]?.trim();
  if (value === undefined || value === "") return null;
  const window = /^\+?\d{1,15}$/u.test(value) ? Number(value) : 0;
  return usable(window) ? { window } : { ignored: value };
}

/**
 * Chooses the window (R4), first that there is: option, `HANDOFF_WINDOW`, configuration, the agent's own report, an earlier
 * overflow, the model's name. The name is the agent's own report, else the environment's. A window that rests on a name, or
 * that nobody knows, is warned of; so is an environment variable that is no number.
 */
export function chooseWindow(facts: WindowFacts): ChosenWindow {
  const reported = facts.agent?.model?.trim();
  const model =
    reported === undefined || reported === ""
      ? (modelFromEnvironment(facts.env, facts.modelVariables)?.model ?? null)
      : reported;
  const fromEnv = windowFromEnvironment(facts.env);
  const ignored: readonly WindowWarning[] =
    fromEnv !== null && "ignored" in fromEnv ? [{ code: "window.env_ignored", value: fromEnv.ignored }] : [];
  const offers: readonly (readonly [WindowSource, number | null | undefined])[] = [
    ["option", facts.option],
    ["environment", fromEnv !== null && "window" in fromEnv ? fromEnv.window : null],
    ["config", facts.config],
    ["agent", facts.agent?.window],
    ["calibration", facts.calibration],
  ];
  for (const [source, window] of offers)
    if (usable(window)) return { window, source, model, warnings: ignored };
  const guess = defaultWindow(model ?? undefined);
  if (model === null || guess === null)
    return {
      window: null,
      source: "unknown",
      model,
      warnings: [...ignored, { code: "window.unknown", model }],
    };
  return {
    window: guess,
    source: "model_name",
    model,
    warnings: [...ignored, { code: "window.guessed", model, window: guess }],
  };
}

/** A warning in words for a person. */
export function windowWords(warning: WindowWarning): string {
  if (warning.code === "window.env_ignored")
    return `HANDOFF_WINDOW is ${JSON.stringify(warning.value)}, which is no positive whole number: it is ignored`;
  if (warning.code === "window.guessed")
    return `the window is taken to be ${warning.window} tokens, by the name of the model alone (${warning.model}); --window names it`;
  return `nobody says how large the window of ${warning.model ?? "this model"} is: only an overflow rotates; --window names it`;
}
