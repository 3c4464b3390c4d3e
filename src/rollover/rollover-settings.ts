// The configuration block of a rollover with its defaults (L2), and the texts that follow from it.
import path from "node:path";
import type { HandoffConfig } from "../model/config.js";
import type { NamedPane } from "../recorder/pane-key.js";
import { AUTO } from "./handover.js";

export interface RolloverSettings {
  /** As configured: relative to the workbench, with `{pane}`, or `auto`. */
  readonly handover_path: string;
  readonly require_operator_confirm: boolean;
  readonly max_doc_age_seconds: number;
  readonly turn_settle_seconds: number;
  readonly clear_settle_seconds: number;
  readonly bootstrap_text: string;
}

const BOOTSTRAP = "Read {path} and go on from there: begin with its next action.";

/** null: there is no block, and no rollover. */
export function settingsOf({ rollover }: HandoffConfig): RolloverSettings | null {
  if (rollover === undefined) return null;
  const {
    handover_path,
    require_operator_confirm = true,
    max_doc_age_seconds = 3600,
    turn_settle_seconds = 20,
    clear_settle_seconds = 20,
    bootstrap_text = BOOTSTRAP,
  } = rollover;
  return {
    handover_path,
    require_operator_confirm,
    max_doc_age_seconds,
    turn_settle_seconds,
    clear_settle_seconds,
    bootstrap_text,
  };
}

/** The fresh session's first prompt. */
export function bootstrapText({ bootstrap_text }: RolloverSettings, packetPath: string): string {
  return bootstrap_text.replaceAll("{path}", packetPath);
}

/** A file's name with a pane's name in front of its ending. */
function withPane(file: string, name: string): string {
  const { dir, name: stem, ext } = path.parse(file);
  return path.join(dir, `${stem}.pane-${name}${ext}`);
}

/**
 * Where the lead of a pane writes its handover, absolute, or `auto`. Two leads never get one file: where another pane's
 * request has it already, this one's gets the pane's number, and where another server's pane has that, its key too.
 */
export function handoverPath(
  root: string,
  { handover_path }: RolloverSettings,
  { pane, key }: Pick<NamedPane, "pane" | "key">,
  taken: ReadonlySet<string>,
): { readonly path: string; readonly moved: boolean } {
  if (handover_path === AUTO) return { path: AUTO, moved: false };
  const number = pane.replace("%", "");
  const file = path.resolve(root, handover_path.replaceAll("{pane}", number));
  if (!taken.has(file)) return { path: file, moved: false };
  const numbered = withPane(file, number);
  const own = withPane(file, `${number}-${key.slice(0, 8)}`);
  return { path: taken.has(numbered) ? own : numbered, moved: true };
}
