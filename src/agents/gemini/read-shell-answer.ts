// How a command ended, from the text that Gemini CLI shows its model (measured with 0.61.0): `Output: …`, then lines that are
// only there where they have something to say. There is no field for the exit status in a hook's payload.
import type { CommandFact } from "../agent.js";

type Outcome = Pick<CommandFact, "exit_code" | "error" | "stdout">;

/** The lines behind the output, in the order in which Gemini CLI writes them. */
const TAIL =
  /^(?:\nError: (?<error>[^]*?))?(?:\nExit Code: (?<exit>\d{1,10}))?(?:\nSignal: (?<signal>\S+))?(?:\nBackground PIDs: [\d, ]+)?(?:\nProcess Group PGID: \d+)?\s*$/u;
/** The same where it is not known where the output ends: as late as it can. */
const LAST_LINES =
  /(?:\nExit Code: (?<exit>\d{1,10}))?(?:\nSignal: (?<signal>\S+))?(?:\nBackground PIDs: [\d, ]+)?(?:\nProcess Group PGID: \d+)?\s*$/u;
/** Far more than those lines have; the patterns above look at no more. */
const MAX_TAIL = 4096;
const STOPPED =
  /^(?<why>Command was automatically cancelled because it exceeded the timeout[^]*? without output\.|Command was cancelled by user before it could complete\.)(?: Below is the output before it was cancelled:\n(?<output>[^]*)| There was no output before it was cancelled\.)?$/u;
const IN_BACKGROUND = /^Command (?:moved to background \(PID: |is running in background\. PID: )/u;
const NOTHING = "(empty)";

/** Tool output comes in a tag that tells the model not to trust it. */
function unwrap(text: string): string {
  const inner = /^\s*<untrusted_context>\n(?<inner>[^]*)\n<\/untrusted_context>/u.exec(text)?.groups?.[
    "inner"
  ];
  return (inner ?? text).replaceAll("&lt;/untrusted_context&gt;", "</untrusted_context>");
}

function outcomeOf(output: string, tail: RegExpExecArray | null): Outcome {
  const { exit, signal, error } = tail?.groups ?? {};
  const stdout = output === NOTHING ? "" : output;
  if (signal !== undefined) return { exit_code: null, error: `ended by signal ${signal}`, stdout };
  if (error !== undefined)
    return { exit_code: exit === undefined ? null : Number(exit), error: error.trim(), stdout };
  // Only a status that is not 0 is told.
  return { exit_code: exit === undefined ? 0 : Number(exit), error: null, stdout };
}

/**
 * The outcome; null: the command goes on in the background, and nothing will tell how it ends.
 * @param answer what the model is shown
 * @param display what a person is shown: the output alone, where there was any
 */
export function readShellAnswer(answer: string, display: string | null): Outcome | null {
  const text = unwrap(answer);
  if (IN_BACKGROUND.test(text)) return null;
  const stopped = STOPPED.exec(text)?.groups;
  if (stopped !== undefined) {
    const why = stopped["why"] ?? "";
    const timedOut = why.startsWith("Command was automatically");
    return {
      exit_code: null,
      error: timedOut ? why : "cancelled by the user",
      stdout: stopped["output"] ?? "",
    };
  }
  if (!text.startsWith("Output: ")) return { exit_code: null, error: null, stdout: text };
  const rest = text.slice("Output: ".length);
  // An output may end in lines that look like these: what a person sees says where it ends.
  for (const output of [display, NOTHING])
    if (output !== null && output !== "" && rest.startsWith(output)) {
      const tail = TAIL.exec(rest.slice(output.length, output.length + MAX_TAIL));
      if (tail !== null) return outcomeOf(output, tail);
    }
  const from = Math.max(0, rest.length - MAX_TAIL);
  const tail = LAST_LINES.exec(rest.slice(from));
  return outcomeOf(rest.slice(0, tail === null ? rest.length : from + tail.index), tail);
}
