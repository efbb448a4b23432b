import { type TestOptions, test } from "vitest";
import type { CompanyClock, IsolatedCompany } from "../control/isolated-company.ts";
import { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";
import { namedCompany } from "./sweep/named-company.ts";
import { type SweepOptions, type SweepRun, sweep } from "./sweep/sweep.ts";

/** The fixtures that a test of `sandboxTest()` can use. */
export interface SandboxFixtures {
  /** A running sandbox with its `url`; the tests of a worker share it. */
  readonly sandbox: StartedSandbox;
  /**
   * An isolated company with its `apiKey` and `accountId`, created for this test and deleted when it ends. Its slug
   * derives from the name of the test.
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
    company: async ({ sandbox, task }, use) => {
      const company = await namedCompany(sandbox, task.name);
      await use(company);
      company.delete();
    },
    scenario: ({ company }, use) => use(company.scenario),
    clock: ({ company }, use) => use(company.clock),
  });
}

/**
 * Registers a test that sweeps a client.
 * @param name - the name of the test, from which the slug of the company derives
 * @param run - is called for each cell; it must await everything that the client does
 */
export type SweepTest = (name: string, run: SweepRun, options?: SweepOptions) => void;

/**
 * Registers a test that runs again and again, each time with one fault in one request, and fails if the client leaves
 * something wrong behind: a second card for one order, a card that it does not know of, or a request without a timeout.
 * See `sweep()` of `card-sandbox`.
 *
 * The test may use fake timers for the client's backoff: the sandbox keeps the real ones. The test has no timeout of its
 * own, because the sweep ends each run that takes too long.
 *
 * @example
 * import { sweepTest } from "card-sandbox/vitest";
 * import { expect } from "vitest";
 *
 * sweepTest("gets a token whatever happens", async ({ sandbox, company }) => {
 *   const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
 *     method: "POST",
 *     body: JSON.stringify({ api_key: company.apiKey }),
 *     signal: AbortSignal.timeout(1000),
 *   });
 *   expect(response.status).toBe(200);
 * });
 */
export const sweepTest: SweepTest & { readonly only: SweepTest; readonly skip: SweepTest } = Object.assign(
  register({}),
  { only: register({ only: true }), skip: register({ skip: true }) },
);

function register(testOptions: TestOptions): SweepTest {
  const registered: SweepTest = (name, run, options) => {
    const failure = new Error();
    // The stack shows where the test is.
    Error.captureStackTrace(failure, registered);
    test(name, { ...testOptions, timeout: 0, retry: 0 }, async ({ signal }) => {
      const report = await sweep(run, { name, stop: signal, ...options });
      if (report.exit_code === 0) return;
      failure.message = String(report);
      throw failure;
    });
  };
  return registered;
}
