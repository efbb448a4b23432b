import { test } from "vitest";
import type { CompanyClock, IsolatedCompany } from "../control/isolated-company.ts";
import { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";

/** The fixtures of a test. */
export interface SandboxFixtures {
  /** The sandbox, with its `url`; shared by the tests of a worker. */
  readonly sandbox: StartedSandbox;
  /** An isolated company with its `apiKey` and `accountId`; deleted when the test ends. */
  readonly company: IsolatedCompany;
  /** Arms a scenario for that company. */
  readonly scenario: IsolatedCompany["scenario"];
  /** The clock of that company. */
  readonly clock: CompanyClock;
}

/**
 * Vitest's `test` with an isolated company for each test, so that tests can run in parallel against one sandbox.
 *
 *     const test = sandboxTest();
 *     test("reports a full quota", async ({ sandbox, company, scenario }) => …);
 *
 * @param options - the options of `startSandbox`; the default port is a free one
 */
export function sandboxTest(options: StartOptions = {}) {
  return test.extend<SandboxFixtures>({
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from the pattern
      async ({}, use) => {
        const sandbox = await startSandbox({ port: 0, ...options });
        await use(sandbox);
        await sandbox.close();
      },
      { scope: "worker" },
    ],
    company: async ({ sandbox }, use) => {
      const company = await sandbox.isolatedCompany();
      await use(company);
      company.delete();
    },
    scenario: ({ company }, use) => use(company.scenario),
    clock: ({ company }, use) => use(company.clock),
  });
}
