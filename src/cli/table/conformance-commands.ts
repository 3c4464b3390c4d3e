// The command that tests executors of other makes, and ours.
import { type Command, flag, JSON_RESULT, text } from "./command.js";

export const CONFORMANCE_COMMANDS: readonly Command[] = [
  {
    name: "conformance",
    positionals: "",
    describe: "does an executor keep the rules of a handoff that a person asks for? Plays scenarios with it",
    options: {
      executor: text("the program, with its arguments: it speaks JSON lines on stdin and stdout", "CMD"),
      capabilities: text("what it can do, with commas; default: what it says itself", "LIST"),
      scenario: text("this one only", "NAME"),
      timeout: text("seconds for one answer; default: 30", "S"),
      junit: text("write the results as JUnit XML, too", "FILE"),
      serve: flag("be the executor: handoff run, led over stdin and stdout"),
      ...JSON_RESULT,
    },
    examples: [
      ["$0 conformance --executor './my-executor --strict'", "all scenarios, one line each"],
      ["$0 conformance --executor ./my-executor --scenario handoff-crash", "one of them"],
      ["$0 conformance --executor '$0 conformance --serve' --junit results.xml", "our own, for a CI server"],
    ],
    load: () => import("../commands/conformance.js"),
  },
];
