// A reading: how many tokens of context one message of the main thread used (R5). Pure.

/** Token counts of one model call, in Anthropic's names; what is missing counts as 0. Input, cache reads and writes exclude each other. */
export interface Usage {
  readonly input_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly output_tokens?: number | null | undefined;
}

/** A count as a whole number of tokens; 0 for anything that is none. */
function tokens(count: number | null | undefined): number {
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}

/** Tokens of context a call filled: input, cache reads and cache writes (R5). Output is not counted: it is input of the next call. */
export function contextOf(usage: Usage): number {
  return (
    tokens(usage.input_tokens) +
    tokens(usage.cache_read_input_tokens) +
    tokens(usage.cache_creation_input_tokens)
  );
}

/** Tokens a call produced. */
export function outputOf(usage: Usage): number {
  return tokens(usage.output_tokens);
}
