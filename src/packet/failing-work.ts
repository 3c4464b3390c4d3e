// How much an unresolved failure says about the work (P28): a command that was to pass is work, a look at something that
// answered "no" is not, and what was denied or interrupted says nothing about itself. Programs and places only, no words (P7).
import type { FailedAttempt } from "../model/packet.js";

/** `work`: it was to pass. `look`: it only looked. `unrun`: it never ran to an end of its own. `denied`: it must not run. */
export type FailureWeight = "work" | "look" | "unrun" | "denied";

/** Programs that only show or search: a nonzero exit is their answer, and nothing that has to be mended. */
const LOOKING = new Set(
  (
    "ls ll dir tree find fd stat file du df wc cat bat head tail less more nl strings xxd hexdump od grep egrep fgrep zgrep rg ag ack " +
    "which whereis type readlink realpath dirname basename pwd env printenv id whoami uname hostname date ps pgrep lsof ss man"
  ).split(" "),
);
/** Words of git that only look; `diff` is none of them, since `git diff --exit-code` is a check. */
const LOOKING_GIT = new Set(
  "grep log show status rev-parse rev-list ls-files ls-tree ls-remote cat-file blame describe merge-base check-ignore shortlog reflog".split(
    " ",
  ),
);
/** What may stand beside a look without making it more than that. */
const BESIDE = new Set("cd pushd popd echo printf true false : sort uniq cut tr column xargs".split(" "));
/** A search that is asked to be silent is a check: its exit status is all that it says. */
const SILENT = /^(?:--quiet|--silent|-[A-Za-z]*q[A-Za-z]*)$/u;
/** Our own words for a command without an end of its own (A7), as the agents' folders write them. */
const UNRUN = /^(?:interrupted|did not run)\b/u;
const DENIED = /^denied\b/u;

/** One command of a line, its quoted parts taken out. */
function looks(part: string): "look" | "beside" | "work" {
  const words = part
    .trim()
    .split(/\s+/u)
    .filter((word) => !/^[A-Za-z_]\w*=/u.test(word));
  const [program = "", first = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (name === "" || BESIDE.has(name)) return "beside";
  if (name === "command") return /^-[vV]$/u.test(first) ? "look" : "work";
  if (name === "sed") return first === "-n" && !words.includes("-i") ? "look" : "work";
  // Ours tell how a packet stands, and what `handoff exec` runs has a record of its own.
  if (name === "handoff") return "look";
  if (name === "git") return LOOKING_GIT.has(first) ? "look" : "work";
  return LOOKING.has(name) && !words.some((word) => SILENT.test(word)) ? "look" : "work";
}

/** True for a command line that does nothing but look. In doubt it does more. */
function onlyLooks(command: string): boolean {
  const bare = command
    .replace(/'[^']*'|"(?:[^"\\$`]|\\.)*"/gu, "Q")
    .replace(/\d?>&\d|(?:\d|&)?>\s*\/dev\/null/gu, " ");
  if (/[<>`$(){}]/u.test(bare)) return false;
  const parts = bare.split(/&&|\|\||[;|&\n]/u).map(looks);
  return parts.includes("look") && !parts.includes("work");
}

/** What an unresolved failure of kind `command` is. */
export function weighFailure({ what, why, exit_code }: FailedAttempt): FailureWeight {
  if (exit_code === null && why !== null) {
    if (DENIED.test(why)) return "denied";
    if (UNRUN.test(why)) return "unrun";
  }
  return onlyLooks(what) ? "look" : "work";
}
