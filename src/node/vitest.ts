import { test } from "vitest";
import type { CompanyClock, IsolatedCompany } from "../control/isolated-company.ts";
import { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";

/** The fixtures that a test of `sandboxTest()` can use. */
export interface SandboxFixtures {
  /** A running sandbox with its `url`; the tests of a worker share it. */
  readonly sandbox: StartedSandbox;
  /**
   * An isolated company with its `apiKey` and `accountId`, created for this test and deleted when it ends.
   */
  readonly company: IsolatedCompany;
  /** Arms a scenario for this company. */
  readonly scenario: IsolatedCompany["scenario"];
  /** The clock of this company. */
  readonly clock: CompanyClock;
}

/**
 * Creates a `test` function of Vitest that gives each test an isolated company, so that tests can run in
 * parallel on one sandbox.
 *
 * @example
 * import { sandboxTest } from "card-sandbox/vitest";
 * import { expect } from "vitest";
 *
 * const test = sandboxTest();
 *
 * test("gets no token during an outage", async ({ sandbox, company, scenario }) => {
 *   scenario("token-unavailable");
 *   const response = await fetch(`${sandbox.url}/auth/v1/sandbox/token`, {
 *     method: "POST",
 *     body: JSON.stringify({ api_key: company.apiKey }),
 *   });
 *   expect(response.status).toBe(503);
 * });
 *
 * @param options - the options of `startSandbox()`; by default, the port is a free one
 */
export function sandboxTest(options: StartOptions = {}) {
  return test.extend<SandboxFixtures>({
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads a fixture's dependencies from the pattern
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
