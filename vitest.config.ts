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
          exclude: ["test/consumers/**", "test/browser/**", "test/image/**"],
          testTimeout: 20_000,
        },
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
