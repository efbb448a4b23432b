import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SweepReport } from "../../../src/journal/sweep-report.ts";
import { type SweepOptions, sweep } from "../../../src/node/sweep/sweep.ts";
import { temporaryFolder } from "../../support/command-line.ts";
import { order } from "./client.ts";

function verdictsOf({ cells }: SweepReport): Record<string, string> {
  return Object.fromEntries(cells.map(({ id, verdict }) => [id, verdict]));
}

/** The report without durations, and without the requests, whose keys and times differ. */
function timeless({ reference, cells, ...report }: SweepReport) {
  return {
    ...report,
    reference: { ...reference, duration_ms: 0 },
    cells: cells.map((cell) => ({ ...cell, duration_ms: 0, evidence: [] })),
  };
}

describe("a sweep of a function", () => {
  test("finds a careful client undamaged, whatever the fault", { timeout: 60_000 }, async () => {
    // Many at a time, because some of them wait for the client's timeout.
    const report = await sweep((fixtures) => order(fixtures), { name: "Ordering survives!", jobs: 8 });
    expect(report).toMatchObject({
      client: "Ordering survives!",
      exit_code: 0,
      problem: null,
      reference: { calls: 2, operations: 2 },
      totals: { hung: 0, crashed: 0, damaged: 0, not_reached: 0 },
    });
    expect(report.calls.map(({ id, label }) => [id, label])).toEqual([
      ["exchangeSandboxKey#1", "ordering-survives"],
      ["orderPhysicalCard#1", "ordering-survives"],
    ]);
    expect(report.totals.survived).toBeGreaterThan(15);
    // A refusal, which the client reports.
    expect(verdictsOf(report)["orderPhysicalCard#1:quota-reached"]).toBe("failed");
  });

  test("reports the same twice, but for durations and evidence", async () => {
    const run = () =>
      sweep((fixtures) => order(fixtures, { newKey: true }), {
        only: ["lost-response", "rate-limited", "forbidden", "created-but-502", "in-flight"],
      });
    expect(timeless(await run())).toEqual(timeless(await run()));
  });

  test("finds a second card for one order, and repeats the cell", async () => {
    const run = (options: SweepOptions) => sweep((fixtures) => order(fixtures, { newKey: true }), options);
    const report = await run({ only: ["lost-response", "issuer-unavailable"] });
    expect(verdictsOf(report)).toEqual({
      "exchangeSandboxKey#1:lost-response": "survived",
      "orderPhysicalCard#1:lost-response": "damaged",
      "orderPhysicalCard#1:issuer-unavailable": "survived",
    });
    expect(report.exit_code).toBe(1);
    const damaged = report.cells.find(({ verdict }) => verdict === "damaged");
    expect(damaged).toMatchObject({
      reason: "2 cards for one order",
      repeat: '{ cell: "orderPhysicalCard#1:lost-response" }',
    });
    const [lost, repeated] = damaged?.evidence?.filter(({ path }) => path.endsWith("/physical")) ?? [];
    expect([lost?.status, lost?.response, repeated?.status]).toEqual([null, null, 201]);
    expect(JSON.parse(repeated?.request?.body ?? "").pin).toBe("…");
    expect(repeated?.request?.headers["idempotency-key"]).not.toBe(lost?.request?.headers["idempotency-key"]);
    expect(`${report}`).not.toContain("Replay:");
    const again = await run({ cell: damaged?.id ?? "" });
    expect(timeless(again).cells).toEqual(timeless(report).cells.filter(({ id }) => id === damaged?.id));
    expect(`${report}`).toContain("orderPhysicalCard #1, response lost: 2 cards for one order.");
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test("shows no part of a token, even in the middle of a long error", async () => {
    const token = "k".repeat(43);
    const report = await sweep(async (fixtures) => {
      await order(fixtures);
      throw new Error(`unexpected body:\n${"x y\n".repeat(1993)}${token}`);
    });
    expect(report.problem).toContain("unexpected body:");
    expect(report.output).toMatch(/x y\n…\n/);
    expect(report.output).not.toContain("kk");
  });

  test("may have the name of a company of the fixtures", async () => {
    const report = await sweep((fixtures) => order(fixtures), {
      name: "Northwind",
      only: ["issuer-unavailable"],
    });
    expect(verdictsOf(report)).toEqual({ "orderPhysicalCard#1:issuer-unavailable": "survived" });
  });

  test("finds a client without a timeout", async () => {
    const report = await sweep((fixtures) => order(fixtures, { noTimeout: true }), {
      only: ["silent-response"],
      patienceMs: 200,
    });
    expect(report.cells.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["hung", expect.stringMatching(/exchangeSandboxKey #1.*no timeout within 0.2 s/)],
      ["hung", expect.stringMatching(/orderPhysicalCard #1.*no timeout within 0.2 s/)],
    ]);
    expect(report.exit_code).toBe(1);
  });

  test("lists errors that the client throws, which fail the sweep only on request", async () => {
    const run = (options: SweepOptions) =>
      sweep((fixtures) => order(fixtures, { noRetry: true }), { only: ["issuer-unavailable"], ...options });
    const report = await run({});
    expect(report.cells).toMatchObject([
      { verdict: "failed", reason: "no card: status 503", output: expect.stringContaining("client.ts:") },
    ]);
    expect(report.exit_code).toBe(0);
    expect((await run({ failOn: "failed" })).exit_code).toBe(1);
  });

  test("says when a fault did not act", async () => {
    let runs = 0;
    const report = await sweep(
      async ({ sandbox }) => {
        runs++;
        // The reference runs are the first two.
        if (runs <= 2) await sandbox.fetch("http://sandbox/developer/cards");
        await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST" });
      },
      { only: ["listCards", "lost-response"], jobs: 1 },
    );
    expect(verdictsOf(report)).toEqual({ "listCards#1:lost-response": "not_reached" });
    expect(report.exit_code).toBe(0);
  });

  test("distinguishes the calls of several companies", async () => {
    const report = await sweep(
      async (fixtures) => {
        const company = await fixtures.sandbox.isolatedCompany({ slug: "branch" });
        await order(fixtures);
        await order({ ...fixtures, company });
      },
      { name: "head office", only: ["lost-response", "branch", "orderPhysicalCard"] },
    );
    expect(report.calls.map(({ id }) => id)).toContain("head-office/orderPhysicalCard#1");
    expect(verdictsOf(report)).toEqual({ "branch/orderPhysicalCard#1:lost-response": "survived" });
  });

  test("leaves out unstable calls unless they are asked for", async () => {
    const run = () => {
      let runs = 0;
      return async ({ sandbox }: { readonly sandbox: { readonly fetch: typeof fetch } }) => {
        runs++;
        if (runs !== 2) await sandbox.fetch("http://sandbox/developer/cards");
        await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST" });
      };
    };
    const options = { only: ["lost-response"], jobs: 1 };
    const report = await sweep(run(), options);
    expect(report.calls.find(({ operation }) => operation === "listCards")?.unstable).toMatch(
      /did not repeat/,
    );
    expect(Object.keys(verdictsOf(report))).toEqual(["exchangeSandboxKey#1:lost-response"]);
    const all = await sweep(run(), { ...options, unstable: true });
    expect(Object.keys(verdictsOf(all))).toHaveLength(2);
  });

  test("passes on the options of the sandbox", async () => {
    const seen: unknown[] = [];
    await sweep(
      async (fixtures) => {
        seen.push(fixtures.clock.read().now, fixtures.sandbox.world().companies.length);
        await order(fixtures);
      },
      { clock: "2026-03-10T09:30:00Z", only: ["lost-response"], jobs: 1 },
    );
    expect(seen.slice(0, 2)).toEqual(["2026-03-10T09:30:00.000Z", expect.any(Number)]);
  });
});

describe("the report of a sweep", () => {
  test("is written to files, and is the baseline of a later sweep", async () => {
    const file = join(temporaryFolder(), "sweep.json");
    const run = (options: SweepOptions) =>
      sweep((fixtures) => order(fixtures, { newKey: true }), { only: ["lost-response"], ...options });
    const report = await run({ report: [file] });
    expect(JSON.parse(readFileSync(file, "utf8")).totals).toEqual(report.totals);
    const later = await run({ baseline: file });
    expect(later).toMatchObject({ exit_code: 0, accepted: ["orderPhysicalCard#1:lost-response"] });
  });

  test.each([
    ["the client sends no requests", () => {}, /received no requests.*sweepTest/],
    [
      "the client fails without faults",
      () => {
        throw new Error("no account");
      },
      /fails without faults: no account/,
    ],
  ])("has a problem if %s", async (_, run, problem) => {
    const report = await sweep(run);
    expect(report).toMatchObject({ exit_code: 1, problem: expect.stringMatching(problem), cells: [] });
    expect(`${report}`).toContain(report.problem);
  });

  test("lists the cells that were not run when it is interrupted", async () => {
    const stop = new AbortController();
    const report = await sweep((fixtures) => order(fixtures), {
      stop: stop.signal,
      jobs: 1,
      onProgress: ({ done }) => done === 3 && stop.abort(),
    });
    expect(report.cells).toHaveLength(3);
    expect(report.not_run.length).toBeGreaterThan(10);
    expect(report.not_run_reason).toBe("interrupted");
  });
});

describe("after a run", () => {
  test("requests of a client that still runs have no effect, and no error is unhandled", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const outcomes: string[] = [];
    let late: Promise<void> | undefined;
    const report = await sweep(
      async (fixtures) => {
        await order(fixtures, { noTimeout: true });
        // Without await: a background task, which nobody waits for.
        late = fixtures.sandbox
          .fetch("http://sandbox/developer/cards")
          .then(() => void outcomes.push("response"))
          .finally(() => void outcomes.push("end"));
        throw new Error("too early");
      },
      { only: ["silent-response"], patienceMs: 100 },
    );
    expect(report.problem).toMatch(/too early/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(late).toBeDefined();
    expect(outcomes).toEqual([]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("a client that retries forever without a pause is ended", async () => {
    const report = await sweep(
      async ({ sandbox, company }) => {
        let response: Response | undefined;
        const body = JSON.stringify({ api_key: company.apiKey });
        while (!response?.ok) {
          const broken = response && "?again";
          response = await sandbox.fetch(`http://sandbox/auth/v1/sandbox/token${broken ?? ""}`, {
            method: broken ? "PUT" : "POST",
            body,
          });
        }
      },
      { only: ["invalid-request"], patienceMs: 100 },
    );
    expect(report.cells).toMatchObject([{ verdict: "hung" }]);
  });
});

describe("with fake timers", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("runs one cell at a time, and the sandbox keeps the real timers", async () => {
    let running = 0;
    let most = 0;
    const report = await sweep(
      async (fixtures) => {
        vi.useFakeTimers();
        running++;
        most = Math.max(most, running);
        const pause = async (ms: number) => {
          const over = new Promise<void>((resolve) => setTimeout(resolve, ms * 1000));
          await vi.advanceTimersByTimeAsync(ms * 1000);
          await over;
        };
        await order(fixtures, {}, pause);
        running--;
        vi.useRealTimers();
      },
      { only: ["lost-response", "issuer-unavailable", "slow-response", "rate-limited"], jobs: 4 },
    );
    expect(report.totals).toMatchObject({ survived: report.cells.length, hung: 0 });
    expect(most).toBe(1);
  });
});

describe("options of sweep()", () => {
  test.each<[options: unknown, message: string]>([
    [{ dept: 2 }, 'sweep(): unknown option "dept". Did you mean "depth"?'],
    [{ db: "cards.db" }, 'sweep(): unknown option "db".'],
    [{ depth: 3 }, "sweep(): depth must be 1 or 2, but is 3"],
    [{ jobs: 0 }, "sweep(): jobs must be a positive integer, but is 0"],
    [{ budgetMs: 0 }, "sweep(): budgetMs must be a positive integer, but is 0"],
    [{ patienceMs: 0 }, "sweep(): patienceMs must be a positive integer, but is 0"],
    [{ timeScale: 2 }, "sweep(): timeScale must be a number from 0 to 1, but is 2"],
    [{ failOn: "hung" }, 'sweep(): failOn must be "damaged" or "failed", but is "hung"'],
    [{ stop: {} }, "sweep(): stop must be an AbortSignal, but is an object"],
    [{ only: ["lost"] }, '"lost" is no operation, fault or label'],
    [{ cell: "orderPhysicalCard#2:lost-response" }, 'no cell "orderPhysicalCard#2:lost-response"'],
    [{ report: ["sweep.txt"] }, "must end in one of .md, .json, .xml, .html"],
    [{ baseline: "nowhere.json" }, 'baseline: cannot read "nowhere.json"'],
    [{ scenario: "slow" }, 'unknown scenario "slow"'],
  ])("refuses %j", async (options, message) => {
    await expect(sweep((fixtures) => order(fixtures), options as SweepOptions)).rejects.toThrow(message);
  });

  test("refuses a baseline that is no report", async () => {
    const baseline = join(temporaryFolder(), "other.json");
    writeFileSync(baseline, '{ "format": 1 }');
    await expect(sweep((fixtures) => order(fixtures), { baseline })).rejects.toThrow(
      /is not a report of a sweep/,
    );
  });

  test("refuses something other than a function", async () => {
    await expect(sweep("npm test" as never)).rejects.toThrow(
      "sweep(): the first argument must be a function",
    );
  });
});
