import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["src/**/*.test.ts", "fixtures/**/*.test.ts"],
    exclude: ["**/*.e2e.test.ts", "fixtures/workbenches/**"],
    setupFiles: [".config/vitest.setup.ts"],
    // Real processes take many times as long on a machine that has much else to do; what hangs is ended all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    env: { TZ: "UTC" },
  },
});
