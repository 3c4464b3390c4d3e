import { defineConfig } from "vitest/config";

// End to end: the packed package, installed as a user would install it. Needs the npm registry and says so without it.
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["src/**/*.e2e.test.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
