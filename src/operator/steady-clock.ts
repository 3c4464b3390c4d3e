// A clock that is never put back (O5): what is counted from an acceptance goes on when somebody sets the machine's clock, and a machine
// that slept has slept.

/**
 * The time as a function: the wall clock's, and where that was put back, what has passed since. Both arguments answer in
 * milliseconds; `steady` counts from anywhere and never goes back.
 */
export function steadyClock(wall: () => number, steady: () => number): () => Date {
  let ahead = wall() - steady();
  return () => {
    const passed = steady();
    ahead = Math.max(ahead, wall() - passed);
    return new Date(passed + ahead);
  };
}
