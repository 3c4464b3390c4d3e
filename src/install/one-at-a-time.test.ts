// A1 one installation at a time, by a name that the system lends.
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.js";

test.runIf(process.platform === "linux" || process.platform === "win32")(
  "A1 never two at once, each in the end, and what fails keeps nobody waiting",
  async () => {
    let inside = 0;
    let most = 0;
    const run = (n: number): Promise<number> =>
      oneAtATime(async () => {
        inside += 1;
        most = Math.max(most, inside);
        await delay(3);
        inside -= 1;
        if (n === 1) throw new Error("it failed");
        return n;
      });
    const ends = await Promise.allSettled([0, 1, 2, 3, 4].map(run));
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)))).toEqual([
      0,
      "Error: it failed",
      2,
      3,
      4,
    ]);
    expect(most).toBe(1);
  },
);
