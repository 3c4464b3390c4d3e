// For tests: a start of a run in a process of its own, which kills itself where it is told to: before or after its how-manieth
// write of the record.
import { openScene } from "./attempt-scene.js";
import { finalizeAttempt, type FinalizePorts } from "../finalize-attempt.js";

/** What such a process is told. */
export interface AttemptJob {
  readonly root: string;
  readonly aside: string;
  readonly env: Readonly<Record<string, string>>;
  /** `before 3`: the work of a step is done and not on record; `after 3`: on record and not begun; `work`: in the agent's turn. */
  readonly killAt: string;
}

const job: AttemptJob = JSON.parse(process.argv[2] ?? "");

function dieAt(point: string): void {
  if (job.killAt === point) process.kill(process.pid, "SIGKILL");
}

const scene = await openScene(job.root, job.aside, { ...job.env });
const begun = await scene.begin();
dieAt("begun");
const record = await scene.work(begun);
dieAt("work");
let writes = 0;
const ports = await scene.portsOf(record);
const counted: FinalizePorts = {
  ...ports,
  save: async (changed) => {
    writes += 1;
    dieAt(`before ${writes}`);
    await ports.save(changed);
    dieAt(`after ${writes}`);
  },
};
await counted.save(record);
await finalizeAttempt(record, counted);
process.stdout.write(`${writes}\n`);
