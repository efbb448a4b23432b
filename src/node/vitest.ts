import { type TestOptions, test } from "vitest";
import type { CompanyClock, IsolatedCompany } from "../control/isolated-company.ts";
import { type Severity, severities } from "../journal/findings/finding.ts";
import { connectionsClosed, refuseFindings } from "./failing-findings.ts";
import { refuseInvalidOptions } from "./known-options.ts";
import { type StartedSandbox, type StartOptions, startOptions, startSandbox } from "./start-sandbox.ts";
import { namedCompany } from "./sweep/named-company.ts";
import { type SweepOptions, type SweepRun, sweep } from "./sweep/sweep.ts";

/** The options of `sandboxTest()`. Unknown options and invalid values are errors. */
export interface SandboxTestOptions extends StartOptions {
  /**
   * Fails each test whose `company` has a finding of at least this severity when the test is over. Default `never`. To
   * override it for a `describe` block, call `test.override({ failOn: "never" })` in it.
   */
  readonly failOn?: Severity | "never" | undefined;
}

const failOnValues = [...severities, "never"] as const;

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
  /** The lowest severity of a finding that fails the test: the option, unless a `describe` block overrides it. */
  readonly failOn: Severity | "never";
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
 * @param options - `failOn`, and the options of `startSandbox()`; by default, the port is a free one
 * @throws SetupError if an option is unknown or invalid
 */
export function sandboxTest(options: SandboxTestOptions = {}) {
  refuseInvalidOptions("sandboxTest", options, { ...startOptions, failOn: failOnValues });
  const { failOn = "never", ...started } = options;
  return test.extend<SandboxFixtures>({
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads a fixture's dependencies from the pattern
      async ({}, use) => {
        const sandbox = await startSandbox({ port: 0, ...started });
        await use(sandbox);
        await sandbox.close();
      },
      { scope: "worker" },
    ],
    failOn,
    company: async ({ sandbox, task, failOn, onTestFinished }, use) => {
      refuseInvalidOptions("test.override", { failOn }, { failOn: failOnValues });
      const isJudged = failOn !== "never";
      const company = await namedCompany(sandbox, task.name);
      // An error in the teardown of a fixture would keep Vitest from tearing down the others.
      if (isJudged) onTestFinished(() => refuseFindings(company, failOn, sandbox.tape));
      await use(company);
      if (isJudged) await connectionsClosed();
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
