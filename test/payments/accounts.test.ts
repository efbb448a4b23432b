import { describe, expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

const admin = { apiKey: "sk_sandbox_northwind_admin" };
const employee = { apiKey: "sk_sandbox_northwind_employee" };

describe("GET /developer/accounts", () => {
  test("lists the company's accounts, the newest first, page by page", async () => {
    const sandbox = openSandbox();
    const { data } = (await sandbox.get("/developer/accounts")).json;
    expect(data.map((each: { name: string }) => each.name)).toEqual([
      "Former account",
      "Dollar account",
      "Euro account",
      "Main account",
    ]);
    const first = (await sandbox.get("/developer/accounts?limit=3")).json;
    const rest = (await sandbox.get(`/developer/accounts?limit=3&cursor=${first.next_cursor}`)).json;
    expect([...first.data, ...rest.data]).toEqual(data);
    expect([first.has_more, rest.has_more]).toEqual([true, false]);
  });

  test("shows one account with its balance", async () => {
    const sandbox = openSandbox();
    const { id } = sandbox.account("northwind");
    const reply = await sandbox.get(`/developer/accounts/${id.toUpperCase()}`, admin);
    expect([reply.point, reply.json]).toEqual([
      "accounts.shown",
      {
        id,
        company_id: sandbox.company("northwind").id,
        name: "Main account",
        currency: "GBP",
        status: "active",
        balance: "250000.00",
        available_balance: "250000.00",
        created_at: "2026-03-10T09:30:00.000Z",
        updated_at: "2026-03-10T09:30:00.000Z",
      },
    ]);
    const closed = await sandbox.get(`/developer/accounts/${sandbox.account("northwind", "closed").id}`);
    expect(closed.json).toMatchObject({ status: "closed", balance: "0.00" });
    sandbox.clockOfTest.advance(60_000);
    sandbox.control.companies.changeAccount(id, { status: "closed" });
    expect((await sandbox.get(`/developer/accounts/${id}`)).json).toMatchObject({
      status: "closed",
      created_at: "2026-03-10T09:30:00.000Z",
      updated_at: "2026-03-10T09:31:00.000Z",
    });
  });

  test.each([
    ["of another company", "fullhouse", "accounts.not_found"],
    ["by no id", undefined, "accounts.not_found"],
  ])("returns the gateway's 404 for an account %s", async (_, slug, point) => {
    const sandbox = openSandbox();
    const reply = await sandbox.get(`/developer/accounts/${slug ? sandbox.account(slug).id : "gbp"}`);
    expect([reply.status, reply.point, reply.json.error.code]).toEqual([404, point, "not_found"]);
  });

  test("returns 403 to an employee", async () => {
    const sandbox = openSandbox();
    const { id } = sandbox.account("northwind");
    for (const path of ["/developer/accounts", `/developer/accounts/${id}`]) {
      expect((await sandbox.get(path, employee)).point).toBe("access.forbidden");
    }
  });

  test.each([
    ["?limit=0", "limit"],
    ["?cursor=abc", "cursor"],
    ["?currency=GBP", 'unknown parameter "currency". Allowed: limit, cursor'],
  ])("returns 400: %s", async (query, message) => {
    const reply = await openSandbox().get(`/developer/accounts${query}`);
    expect([reply.status, reply.json.error.code]).toEqual([400, "invalid_request"]);
    expect(reply.json.error.message).toContain(message);
  });
});

describe("GET /developer/companies", () => {
  test("lists the member's companies and roles, regardless of X-On-Behalf-Of", async () => {
    const sandbox = openSandbox();
    const summary = async (options: object) =>
      (await sandbox.get("/developer/companies", options)).json.data.map(
        (each: Record<string, string>) => `${each.name}: ${each.role}, ${each.status}`,
      );
    const both = ["Full House Events Ltd: admin, active", "Northwind Traders Ltd: admin, active"];
    expect(await summary(admin)).toEqual(both);
    const headers = { "X-On-Behalf-Of": sandbox.company("fullhouse").id };
    expect(await summary({ ...admin, headers })).toEqual(both);
    expect(await summary(employee)).toEqual(["Northwind Traders Ltd: employee, active"]);
    expect(await summary({ apiKey: "sk_sandbox_frostbite_owner" })).toEqual([
      "Frostbite Logistics Ltd: owner, suspended",
    ]);
  });

  test("needs no entitlement, because companies are not an area", async () => {
    const sandbox = openSandbox({ facts: { entitled: false } });
    expect((await sandbox.get("/developer/companies")).point).toBe("companies.listed");
    expect((await sandbox.get("/developer/accounts")).point).toBe("access.not_entitled");
  });
});
