// Why a scenario failed: one line for people. Everything else that is thrown in one is a fault of the harness.

/** An expectation that was not met. */
export class ScenarioFailure extends Error {
  override readonly name = "ScenarioFailure";
}

/** Fails the scenario unless it holds. `what` says what is wrong, not what was expected. */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ScenarioFailure(what);
}

/** Fails unless the two are the same as JSON. */
export function expectSame(after: unknown, before: unknown, what: string): void {
  expectThat(JSON.stringify(after) === JSON.stringify(before), what);
}
