import { beforeEach, describe, expect, type TestError, vi } from "vitest";
import type { IsolatedCompany } from "../../src/control/isolated-company.ts";
import { refuseFindings } from "../../src/node/failing-findings.ts";
import type { StartedSandbox } from "../../src/node/start-sandbox.ts";
import { sandboxTest } from "../../src/node/vitest.ts";
import { httpClient } from "../support/http-client.ts";

const test = sandboxTest({ failOn: "warn" });

/** The errors of the tests that failed, by name. A test that must fail is marked with `test.fails`. */
const errors = new Map<string, readonly TestError[]>();
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(() => void errors.set(task.name, [...(task.result?.errors ?? [])]));
});

const errorsOf = (name: string) => errors.get(name) ?? [];

interface Fixtures {
  readonly sandbox: StartedSandbox;
  readonly company: IsolatedCompany;
}

const exchange = ({ sandbox, company }: Fixtures, query = "") =>
  fetch(`${sandbox.url}/auth/v1/sandbox/token${query}`, {
    method: "POST",
    body: JSON.stringify({ api_key: company.apiKey }),
  });

/** Succeeds, but is a mistake of severity critical. */
const leak = (fixtures: Fixtures) => exchange(fixtures, `?api_key=${fixtures.company.apiKey}`);

describe("failOn fails a test whose company has a finding", () => {
  describe.concurrent("among concurrent tests", () => {
    let arrived = 0;
    let release = () => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    /** Resolves when all three tests are here. */
    const together = () => {
      if (++arrived === 3) release();
      return all;
    };

    test("which is careful", async ({ sandbox, company }) => {
      await exchange({ sandbox, company });
      await together();
      await exchange({ sandbox, company });
    });
    test.fails("which leaks", async ({ sandbox, company }) => {
      await leak({ sandbox, company });
      await together();
      await leak({ sandbox, company });
    });
    test("which is careful too", async ({ sandbox, company }) => {
      await together();
      await exchange({ sandbox, company });
    });
  });

  test("with the story in plain text", () => {
    expect([...errors.keys()]).toEqual(["which leaks"]);
    const [error, ...others] = errorsOf("which leaks");
    expect(others).toEqual([]);
    expect(error?.message.replace(/request \d+/g, "request N").split("\n")).toEqual([
      "1 finding of severity warn or higher in the requests of company which-leaks",
      "",
      "critical AUTH-1: API key sent outside the token exchange (2 times)",
      "Observed: An API key was sent in the query of the URL",
      "  request N: POST /auth/v1/sandbox/token, 200",
      "Observed: An API key was sent in the query of the URL",
      "  request N: POST /auth/v1/sandbox/token, 200",
      expect.stringMatching(/^Why it matters: Logs, proxies and caches may keep the request\./),
      expect.stringMatching(/^How to fix it: Send the API key only in the body/),
      "",
      "Send the header Sandbox-Test: negative with requests that are wrong on purpose: findings ignore them.",
    ]);
    expect(error).toMatchObject({ name: "FindingsError", stack: `FindingsError: ${error?.message}` });
  });

  let attempts = 0;
  test("but not its retry", { retry: 1 }, async ({ sandbox, company }) => {
    if (attempts++ === 0) await leak({ sandbox, company });
    else await exchange({ sandbox, company });
  });

  test.fails("after its own error", async ({ sandbox, company }) => {
    await leak({ sandbox, company });
    throw new Error("its own");
  });

  test("once per attempt, and last", () => {
    expect(attempts).toBe(2);
    expect(errorsOf("but not its retry").map(({ name }) => name)).toEqual(["FindingsError"]);
    expect(errorsOf("after its own error").map(({ name }) => name)).toEqual(["Error", "FindingsError"]);
  });

  const tornDown: string[] = [];
  const extended = test.extend<{ own: string }>({
    own: async ({ company }, use) => {
      await use(company.slug);
      tornDown.push(company.slug);
    },
  });
  extended.fails("and tears down other fixtures", async ({ sandbox, company, own }) => {
    expect(own).toBe("and-tears-down-other-fixtures");
    await leak({ sandbox, company });
  });

  test("and deletes the company", ({ sandbox }) => {
    expect(tornDown).toEqual(["and-tears-down-other-fixtures"]);
    expect(sandbox.world({ search: "and-tears-down" }).companies).toEqual([]);
  });

  describe("after a reset, which restarts the ids,", () => {
    const ids = new Set<string>();
    test.beforeEach(({ sandbox }) => sandbox.reset());
    test.fails("if it leaks", async ({ sandbox, company }) => {
      ids.add(company.id);
      await leak({ sandbox, company });
    });
    test.for([1, 2])("but not another test: %i", async (_, { sandbox, company }) => {
      ids.add(company.id);
      await exchange({ sandbox, company });
    });
    test("although their companies have the same id", () => {
      expect(errorsOf("if it leaks").map(({ name }) => name)).toEqual(["FindingsError"]);
      expect(ids.size).toBe(1);
    });
  });
});

describe("failOn of a describe block", () => {
  describe("never", () => {
    test.override({ failOn: "never" });
    test("fails no test", async ({ sandbox, company }) => {
      await leak({ sandbox, company });
      expect(company.findings({ final: true }).totals.critical).toBe(1);
    });
  });

  describe("info", () => {
    test.override({ failOn: "info" });
    test.fails("fails on an omission", async ({ sandbox, company, scenario }) => {
      scenario("lost-response", { times: 1 });
      const client = httpClient(sandbox.url);
      const token = await client.exchange(company.apiKey);
      await client.order(company.accountId, { token }).catch(() => {});
      expect(company.findings().findings).toEqual([]);
    });
    test.fails("fails on a request that the client gave up at last", async ({
      sandbox,
      company,
      scenario,
    }) => {
      const client = httpClient(sandbox.url);
      const token = await client.exchange(company.apiKey);
      const armed = scenario("silent-response");
      const giveUp = new AbortController();
      const order = client.order(company.accountId, { token, signal: giveUp.signal });
      order.catch(() => {});
      await vi.waitUntil(() => armed.listing().fired === 1, { interval: 1 });
      giveUp.abort();
      await expect(order).rejects.toThrow();
    });
    test("shows a request without a response", () => {
      for (const name of ["fails on an omission", "fails on a request that the client gave up at last"]) {
        expect(errorsOf(name).map(({ message }) => message)).toEqual([
          expect.stringMatching(/ IDEM-5: .*\nObserved: .*\n {2}request \d+: POST .*, no response\n/),
        ]);
      }
    });
  });

  describe("misspelled", () => {
    // @ts-expect-error no severity has this name
    test.override({ failOn: "warning" });
    test.fails("fails every test", ({ company }) => {
      expect(company).toBeDefined();
    });
  });

  test("must be a severity", () => {
    const allowed = 'failOn must be "critical" or "high" or "warn" or "info" or "never", but is "warning"';
    expect(errorsOf("fails every test").map(({ message }) => message)).toEqual([
      `test.override(): ${allowed}`,
    ]);
    // @ts-expect-error no severity has this name
    expect(() => sandboxTest({ failOn: "warning" })).toThrow(`sandboxTest(): ${allowed}`);
    // @ts-expect-error no option has this name
    expect(() => sandboxTest({ failon: "warn" })).toThrow('unknown option "failon". Did you mean "failOn"?');
  });
});

describe("with a tape", () => {
  test.override({ failOn: "never" });

  test("the story names the command that plays it", async ({ sandbox, company }) => {
    await leak({ sandbox, company });
    expect(() => refuseFindings(company, "warn", "a.tape")).toThrow(
      /, 200\n {2}card-sandbox replay a\.tape --until [0-9]+\n/,
    );
  });
});
