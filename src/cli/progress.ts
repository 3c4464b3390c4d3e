// A bar for long scans (P44): on a terminal only, on stderr only, and not before the wait is worth it.
import type { Terminal } from "./terminal.js";

/** How far a scan is, in bytes. */
export interface ScanProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

const SHOW_AFTER_MS = 300;
const REDRAW_EVERY_MS = 100;
const WIDTH = 16;
const CLEAR_LINE = "\r\u001b[2K";

/** `512 B`, `1.5 KiB`, `3.2 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `8 s`, `2 min 5 s`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The bar's line after `elapsedMs`: share, bytes, rate and time left. */
export function progressLine({ bytes, totalBytes: total }: ScanProgress, elapsedMs: number): string {
  const share = total > 0 ? Math.min(1, bytes / total) : 1;
  const full = Math.round(share * WIDTH);
  const bar = `${"█".repeat(full)}${"░".repeat(WIDTH - full)}`;
  const rate = elapsedMs > 0 ? (bytes / elapsedMs) * 1000 : 0;
  const left = rate > 0 && bytes < total ? `, ${formatSeconds((total - bytes) / rate)} left` : "";
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${bar} ${percent} %  ${formatBytes(bytes)} of ${formatBytes(total)}, ${formatBytes(Math.round(rate))}/s${left}`;
}

/** Draws progress; `done` clears the line, as often as need be. Both do nothing when no person is watching. */
export interface ProgressBar {
  readonly update: (progress: ScanProgress) => void;
  readonly done: () => void;
}

/** A bar for one scan, which starts now. `clock` in milliseconds, monotonic. */
export function progressBar(
  terminal: Pick<Terminal, "isInteractive" | "columns" | "err">,
  clock: () => number = () => performance.now(),
): ProgressBar {
  if (!terminal.isInteractive) return { update: () => undefined, done: () => undefined };
  const startedAt = clock();
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    update: (progress) => {
      const now = clock();
      if (now - startedAt < SHOW_AFTER_MS || now - drawnAt < REDRAW_EVERY_MS) return;
      drawnAt = now;
      // A line that wraps could not be cleared again.
      const line = progressLine(progress, now - startedAt).slice(0, terminal.columns - 1);
      terminal.err(`${CLEAR_LINE}${line}`);
    },
    done: () => {
      if (drawnAt !== Number.NEGATIVE_INFINITY) terminal.err(CLEAR_LINE);
      drawnAt = Number.NEGATIVE_INFINITY;
    },
  };
}
