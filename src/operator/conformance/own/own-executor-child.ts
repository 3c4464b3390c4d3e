// For tests: our own executor, and its puppets, as one program; `--broken NAME` breaks one rule.
import { serveOwnExecutor, type OwnExecutorOptions } from "./own-executor.js";
import { playPuppet } from "./puppet.js";

const [first, second] = process.argv.slice(2);
if (first === "--agent") process.exit(await playPuppet(process.env));

/** O7's fault: what the packet says is asked once more when the tree has gone. */
const noteAfterCleanUp: OwnExecutorOptions["between"] = (ports) => ({
  ...ports,
  judge: async (record, isRecovery) => {
    const verdict = await ports.judge(record, isRecovery);
    const fault = await ports.validate(record).catch(() => "the note is gone");
    return fault === null || verdict.reason !== null || !record.done.some(({ step }) => step === "clean_up")
      ? verdict
      : { ...verdict, state: "not_fulfilled", reason: "packet_invalid", detail: fault };
  },
});
/** O9's fault: a request of a killed start is answered with yes. */
const completesAfterCrash: OwnExecutorOptions["between"] = (ports) => ({
  ...ports,
  judge: async (record, isRecovery) => {
    const verdict = await ports.judge(record, isRecovery);
    return isRecovery ? { ...verdict, state: "completed", reason: null } : verdict;
  },
});
/** O5's fault: with every timer that ran the time before it is forgotten. */
const renewsClock: OwnExecutorOptions["patch"] = (run) => {
  let forgotten = 0;
  const now = (): Date => new Date(run.clock.now().getTime() - forgotten);
  const after: typeof run.clock.after = (ms, action) =>
    run.clock.after(ms, () => {
      forgotten += ms;
      action();
    });
  return { ...run, clock: { ...run.clock, now, after } };
};
/** O3's fault. */
const beginsTwice: OwnExecutorOptions["patch"] = (run) => ({
  ...run,
  onReport: (report) => {
    run.onReport(report);
    if (report.state === "begun") run.onReport(report);
  },
});
const BROKEN: Readonly<Record<string, Pick<OwnExecutorOptions, "between" | "patch">>> = {
  "note-after-clean-up": { between: noteAfterCleanUp },
  "completes-after-a-crash": { between: completesAfterCrash },
  "renews-the-clock": { patch: renewsClock },
  "begins-twice": { patch: beginsTwice },
};
const broken = first === "--broken" ? BROKEN[second ?? ""] : undefined;

await serveOwnExecutor({
  env: process.env,
  puppetWords: [process.execPath, process.argv[1] ?? "", "--agent"],
  ...broken,
});
process.exit(0);
