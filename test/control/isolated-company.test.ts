import { describe, expect, onTestFinished, test } from "vitest";
import type { IsolatedCompany } from "../../src/control/isolated-company.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { physicalOrder } from "../support/physical-order.ts";

function openSandbox() {
  const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z" });
  onTestFinished(() => sandbox.close());
  /** Exchanges a key, which is a mistake if the key is in the query too. */
  const exchange = (apiKey: string, query = "") =>
    sandbox.fetch(`http://sandbox/auth/v1/sandbox/token${query}`, {
      method: "POST",
      body: JSON.stringify({ api_key: apiKey }),
    });
  const leak = ({ apiKey }: IsolatedCompany) => exchange(apiKey, `?key=${apiKey}`);
  return { ...sandbox, exchange, leak };
}

const timesOf = (company: IsolatedCompany) =>
  company.findings().findings.flatMap(({ occurrences }) => occurrences.map((each) => each.company));
const metOf = (company: IsolatedCompany) =>
  company.coverage().points.flatMap(({ id, times }) => (times > 0 ? [`${id} ${times}`] : []));

describe("findings() and coverage() of an isolated company", () => {
  test("are about its own requests, also after it was deleted", async () => {
    const { leak, ...sandbox } = openSandbox();
    const one = await sandbox.isolatedCompany();
    const other = await sandbox.isolatedCompany();
    await leak(one);
    await leak(other);
    await leak(other);
    for (const company of [one, other]) company.delete();
    expect(timesOf(one)).toEqual([one.slug]);
    expect(timesOf(other)).toEqual([other.slug, other.slug]);
    expect(metOf(one)).toEqual(["token.issued 1"]);
    expect(metOf(other)).toEqual(["token.issued 2"]);
  });

  test("are not about an earlier company, whose id it has after a reset", async () => {
    const { leak, ...sandbox } = openSandbox();
    const earlier = await sandbox.isolatedCompany();
    await leak(earlier);
    sandbox.control.state.reset();
    const company = await sandbox.isolatedCompany();
    expect(company.id).toBe(earlier.id);
    const seen = (of: IsolatedCompany) => [timesOf(of), metOf(of), of.requests().requests.length];
    expect(seen(company)).toEqual([[], [], 0]);
    await leak(company);
    company.delete();
    for (const each of [earlier, company]) {
      expect(seen(each)).toEqual([[each.slug], ["token.issued 1"], 1]);
    }
  });

  test("take the filters of the sandbox", async () => {
    const { exchange, ...sandbox } = openSandbox();
    const company = await sandbox.isolatedCompany();
    const { access_token: token } = (await (await exchange(company.apiKey)).json()) as {
      access_token: string;
    };
    company.scenario("lost-response");
    const order = sandbox.fetch("http://sandbox/developer/cards/physical", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Idempotency-Key": crypto.randomUUID(),
        "Content-Type": "application/json",
      },
      body: JSON.stringify(physicalOrder(company.accountId)),
    });
    await expect(order).rejects.toThrow();
    expect(company.findings().findings).toEqual([]);
    expect(company.findings({ final: true }).findings.map(({ id }) => id)).toEqual(["IDEM-5"]);
    const { points, total } = company.coverage({ exclude: ["token.*"] });
    expect(total.met).toBe(points.filter(({ times, excluded }) => times > 0 && !excluded).length);
    expect(total.met).toBe(1);
    // @ts-expect-error final is a boolean
    expect(() => company.findings({ final: "true" })).toThrow("final: must be true or false");
    // @ts-expect-error the company is this one
    expect(() => company.coverage({ company: "northwind" })).not.toThrow();
    expect(() => company.coverage({ exclude: ["order.create"] })).toThrow('Did you mean "order.created"?');
  });

  test("do not contain requests whose caller is unknown", async () => {
    const { exchange, ...sandbox } = openSandbox();
    const company = await sandbox.isolatedCompany();
    await exchange("sk_live_unknown");
    expect(company.findings().findings).toEqual([]);
    expect(sandbox.findings().findings.flatMap(({ occurrences }) => occurrences)).toMatchObject([
      { company: null },
    ]);
  });
});
