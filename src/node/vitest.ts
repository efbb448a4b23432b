import { test } from "vitest";
import type { CompanyClock, IsolatedCompany } from "../control/isolated-company.ts";
import { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";

/** What a test is given. */
export interface SandboxFixtures {
  /** The sandbox, with its `url`: one for all tests of a worker. */
  readonly sandbox: StartedSandbox;
  /** A company of the test's own, with its `apiKey` and `accountId`; it is deleted at the test's end. */
  readonly company: IsolatedCompany;
  /** Arms a scenario for that company. */
  readonly scenario: IsolatedCompany["scenario"];
  /** That company's time. */
  readonly clock: CompanyClock;
}

/**
 * Vitest's `test`, each with an isolated company: they may run in parallel, against one sandbox.
 *
 *     const test = sandboxTest();
 *     test("a full quota is told", async ({ sandbox, company, scenario }) => …);
 *
 * @param options - as `startSandbox` takes them; the port is a free one unless it is given
 */
export function sandboxTest(options: StartOptions = {}) {
  return test.extend<SandboxFixtures>({
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture needs
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
