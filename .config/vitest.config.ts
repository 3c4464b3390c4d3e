import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["src/**/*.test.ts", "fixtures/**/*.test.ts"],
    exclude: ["**/*.e2e.test.ts", "fixtures/workbenches/**"],
    setupFiles: [".config/vitest.setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TZ: "UTC" },
  },
});
