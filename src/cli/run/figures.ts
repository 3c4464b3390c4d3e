// Numbers as a person reads them at a glance. Rounded down: what is not yet reached must not look reached.

/** `950`, `96.4k`, `150k`, `1.25M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 1_000_000 ? `${Math.floor(tokens / 100) / 10}k` : `${Math.floor(tokens / 10_000) / 100}M`;
}

/** `0:07`, `12:05`, `1:02:09`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`;
}

/** `$0.84`; `$0.0042` where cents say nothing. */
export function formatCost(usd: number): string {
  return `$${usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** `1 command`, `2 commands`. */
export function count(many: number, one: string): string {
  return `${many} ${one}${many === 1 ? "" : "s"}`;
}

/** The time of day where the person is: `14:02:11`. */
export function timeOfDay(time: string | number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

/** A session's id in few letters: of a UUID the first eight, of others the end, without the run's own id in it. */
export function shortSession(id: string, runId: string | null): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/iu.test(id)) return id.slice(0, 8);
  const short = runId === null ? id : id.replace(runId, "…");
  return short.length <= 20 ? short : `…${short.slice(-19)}`;
}
