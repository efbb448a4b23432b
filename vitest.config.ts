import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/consumers/**", "test/browser/**", "test/image/**", "test/**/*.slow.test.ts"],
          testTimeout: 20_000,
          // Each file would load the sources anew, which takes longer than most of their tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "slow", include: ["test/**/*.slow.test.ts"], testTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: "consumers",
          include: ["test/consumers/*.test.ts"],
          globalSetup: "test/consumers/install.ts",
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: { name: "browser", include: ["test/browser/*.test.ts"], testTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: "image",
          include: ["test/image/*.test.ts"],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
