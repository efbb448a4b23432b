import { describe, expect } from "vitest";
import type { IsolatedCompany } from "../../src/control/isolated-company.ts";
import type { StartedSandbox } from "../../src/node/start-sandbox.ts";
import { sandboxTest } from "../../src/node/vitest.ts";
import { httpClient } from "../support/http-client.ts";

const test = sandboxTest({ clock: "2026-03-10T09:30:00Z" });

/** Orders a card as the company's owner, over the socket. */
async function order({ url }: StartedSandbox, { apiKey, accountId }: IsolatedCompany): Promise<Response> {
  const client = httpClient(url);
  return client.order(accountId, { token: await client.exchange(apiKey) });
}

const companies = new Set<string>();
const slugs = new Set<string>();
let shared: StartedSandbox | undefined;

describe.concurrent("a test with an isolated company", () => {
  test.for([1, 2, 3])("orders a card: %i", async (_, { sandbox, company }) => {
    shared ??= sandbox;
    expect(sandbox).toBe(shared);
    expect(companies.has(company.id)).toBe(false);
    companies.add(company.id);
    slugs.add(company.slug);
    expect((await order(sandbox, company)).status).toBe(201);
    expect(company.requests().requests.map(({ point }) => point)).toEqual(["order.created", "token.issued"]);
  });

  test("arms scenarios for its own company only", async ({ sandbox, company, scenario }) => {
    const armed = scenario("quota-reached", { times: 1 });
    const other = await sandbox.isolatedCompany();
    expect((await order(sandbox, other)).status).toBe(201);
    expect((await order(sandbox, company)).status).toBe(422);
    expect(armed.listing().fired).toBe(1);
    other.delete();
    other.delete();
  });

  test("advances only the clock of its own company", async ({ sandbox, company, clock }) => {
    expect(clock.read()).toEqual({ now: "2026-03-10T09:30:00.000Z", frozen: true });
    await clock.advance("PT15M");
    expect(company.clock.set("2026-03-11T00:00:00Z").now).toBe("2026-03-11T00:00:00.000Z");
    expect(sandbox.clock.read().now).toBe("2026-03-10T09:30:00.000Z");
  });
});

describe("after a test", () => {
  test("its company is deleted", ({ sandbox, company }) => {
    expect(companies.size).toBe(3);
    expect(slugs).toEqual(new Set(["orders-a-card-1", "orders-a-card-2", "orders-a-card-3"]));
    expect(company.slug).toBe("its-company-is-deleted");
    const left = sandbox.world().companies.filter(({ id }) => companies.has(id));
    expect(left).toEqual([]);
  });
});
