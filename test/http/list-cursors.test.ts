import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { CompanyListing } from "../../src/store/world-listing.ts";
import { openCompanies } from "../support/open-companies.ts";

type Sandbox = ReturnType<typeof openCompanies>;

/** Adds a row to each list of a company: cards, transactions, invoices, webhooks and deliveries. */
async function addRows(sandbox: Sandbox, company: CompanyListing, apiKey: string): Promise<void> {
  const account_id = company.accounts[0]?.id;
  const token = await sandbox.exchange(apiKey);
  await sandbox.order({ token, key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30", body: { account_id } });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  await sandbox.post(
    "/developer/cards/virtual",
    { account_id },
    { ...headers, "Idempotency-Key": randomUUID() },
  );
  for (const amount of ["1.00", "2.00"]) {
    sandbox.control.simulator.topUp({ account_id: account_id ?? "", amount });
    sandbox.control.invoices.create({ company: company.id, net: amount });
  }
  for (const port of [1, 2]) {
    const url = `http://localhost:${port}/hooks`;
    const { json } = await sandbox.post("/developer/webhooks", { url, events: ["card.created"] }, headers);
    for (const _ of [1, 2]) await sandbox.post(`/developer/webhooks/${json.id}/test`, {}, headers);
  }
  await sandbox.webhooks.settled();
}

/** The bytes of every page of every list of northwind, one row a page. */
async function pages(sandbox: Sandbox): Promise<string[]> {
  const token = await sandbox.exchange("sk_sandbox_northwind_admin");
  const list = async (path: string) => {
    const texts: string[] = [];
    let query: string | null = "";
    while (query !== null) {
      const { text, json } = await sandbox.get(`/developer/${path}?limit=1${query}`, { token });
      texts.push(text);
      query = json.next_cursor && `&cursor=${json.next_cursor}`;
    }
    return texts;
  };
  const { json } = await sandbox.get("/developer/webhooks", { token });
  const deliveries = json.data.map(({ id }: { id: string }) => `webhooks/${id}/deliveries`);
  const lists = [
    "cards",
    "transactions",
    "accounts",
    "companies",
    "company/invoices",
    "webhooks",
    ...deliveries,
  ];
  const texts = await Promise.all(lists.map(list));
  expect(texts.every((each) => each.length > 1)).toBe(true);
  return texts.flat();
}

test("a company's lists and cursors do not depend on other companies", async () => {
  const deliver = async () => new Response(null, { status: 204 });
  const [alone, among] = [openCompanies({ deliver }), openCompanies({ deliver })];
  for (const sandbox of [alone, among]) {
    const others = async () => {
      if (sandbox === alone) return;
      const made = await sandbox.make();
      await addRows(sandbox, made, made.members[0]?.api_keys[0]?.secret ?? "");
      sandbox.control.companies.delete((await sandbox.make()).id);
    };
    await others();
    await addRows(sandbox, sandbox.company("northwind"), "sk_sandbox_northwind_owner");
    await others();
    sandbox.control.cards.expire((await sandbox.control.cards.list("northwind")).at(-1)?.id ?? "");
  }
  expect(await pages(among)).toEqual(await pages(alone));
});
