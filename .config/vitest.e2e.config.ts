import { defineConfig } from "vitest/config";

// End to end: the packed package, installed as a user would install it, and the real agents on loopback. Needs the npm
// registry (or a cache with the agents) and tmux, and says so without them.
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["src/**/*.e2e.test.ts", "fixtures/**/*.e2e.test.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
