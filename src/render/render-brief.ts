// The brief: what the next agent reads first (A13). Short enough for a hook's output, the next action within its first
// 1,000 bytes, everything that came from logs, reports and file names framed as data (S17).
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { cleanLine } from "../text/clean.js";
import { byteLength, cutText } from "../text/cut.js";
import { planBrief } from "./brief-sections.js";
import { tidyBlankLines } from "./markdown-lines.js";
import { packetView } from "./packet-view.js";
import { loadTemplate, type TemplateOverrides } from "./templates.js";

/** Claude Code replaces a hook's output above 10,000 characters, Codex cuts its middle at about as many bytes. */
export const BRIEF_MAX_BYTES = 9500;
/** Where the next action must have ended. */
const HEAD_BYTES = 1000;
const DRIFT_LINES = 2;
/** Most bytes of the task, and how much of the brief that may be. */
const TASK_BYTES = 2000;
const TASK_SHARE = 0.2;
/** In a shorter brief every line is needed for the work itself: it does not teach the verbs (A11). */
const TEACHING_BYTES = 4000;

export interface BriefOptions {
  /** Where the full packet lies, as the next agent would open it. Never cut. */
  readonly path?: string;
  /** Most UTF-8 bytes of the whole brief, the final newline included. */
  readonly maxBytes?: number;
  /** What changed since the packet, a sentence each, worst first. The first two are shown, the rest counted. */
  readonly drift?: readonly string[];
  /** The same in full, with what came from outside (commit subjects, file names): rows of the data, worst first. */
  readonly changes?: readonly string[];
  /** The job as it was given, if known: its first 2,000 bytes are shown, fewer in a short brief. */
  readonly task?: string;
  readonly overrides?: TemplateOverrides;
}

/**
 * The brief, at most `maxBytes` long. Lists shrink by worth and say how many rows are missing; opening, next action and
 * ending always stay. Same packet and options, same bytes. Throws UsageError when even those do not fit.
 */
export function renderBrief(packet: HandoffPacket, options: BriefOptions = {}): string {
  const {
    path = null,
    maxBytes = BRIEF_MAX_BYTES,
    drift = [],
    changes = [],
    task = null,
    overrides,
  } = options;
  const template = loadTemplate("brief", overrides);
  const plan = planBrief(packet, changes);
  const view = packetView(packet);
  const whole = cleanLine(packet.next_action);
  const render = (size: number, next: string): string => {
    const brief = {
      ...plan.take(size),
      path,
      task:
        task === null
          ? null
          : cutText(cleanLine(task), Math.min(TASK_BYTES, Math.floor(maxBytes * TASK_SHARE))),
      drift: drift.slice(0, DRIFT_LINES).map((line) => cutText(cleanLine(line), 90)),
      more_drift: Math.max(0, drift.length - DRIFT_LINES),
      changes_below: changes.length > 0,
      teaches: maxBytes >= TEACHING_BYTES,
      next_action: next,
      next_action_whole: next === whole ? null : whole,
    };
    return `${tidyBlankLines(template({ ...view, brief }))}\n`;
  };
  const next = fitIntoHead(whole, (text) => render(0, text));
  const least = render(0, next);
  if (byteLength(least) > maxBytes) {
    throw new UsageError(
      "brief.too_small",
      `a brief of this packet takes at least ${byteLength(least)} bytes, more than ${maxBytes}`,
      "allow more with --max-bytes",
    );
  }
  let fits = 0;
  let above = plan.pieces + 1;
  while (above - fits > 1) {
    const middle = Math.floor((fits + above) / 2);
    if (byteLength(render(middle, next)) <= maxBytes) fits = middle;
    else above = middle;
  }
  return render(fits, next);
}

/** The next action, cut only if it would not end within the head; the whole of it then follows in the data. */
function fitIntoHead(whole: string, render: (next: string) => string): string {
  const text = render(whole);
  const at = text.indexOf(whole);
  const end = at === -1 ? 0 : byteLength(text.slice(0, at + whole.length));
  if (end <= HEAD_BYTES) return whole;
  return cutText(whole, Math.max(80, byteLength(whole) - (end - HEAD_BYTES)));
}
