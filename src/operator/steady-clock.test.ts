// O5: clocks that jump.
import { expect, test } from "vitest";
import { steadyClock } from "./steady-clock.js";

test("O5 time goes on when a clock is put back, and jumps with one that is put forward", () => {
  let wall = 1_000_000;
  let steady = 5;
  const pass = (ms: number): void => {
    wall += ms;
    steady += ms;
  };
  const now = steadyClock(
    () => wall,
    () => steady,
  );
  const read = (): number => now().getTime();
  expect(read()).toBe(1_000_000);
  pass(60_000);
  expect(read()).toBe(1_060_000);
  wall -= 3_600_000;
  expect(read()).toBe(1_060_000);
  pass(60_000);
  expect(read()).toBe(1_120_000);
  // Put right again: nothing is counted twice.
  wall += 3_600_000;
  expect(read()).toBe(1_120_000);
  // A machine that slept: the steady clock has stood still.
  wall += 600_000;
  expect(read()).toBe(1_720_000);
  pass(1000);
  expect(read()).toBe(1_721_000);
});
