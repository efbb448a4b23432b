import { describe, expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

function openInvoices() {
  const sandbox = openSandbox();
  const { invoices } = sandbox.control;
  const numbers = async (query = "", options = {}) => {
    const reply = await sandbox.get(`/developer/company/invoices${query}`, options);
    return reply.status === 200
      ? reply.json.data.map(({ number }: { number: string }) => Number(number.slice(-6))).join(" ")
      : reply.json.error.message;
  };
  return { ...sandbox, invoices, numbers };
}

describe("GET /developer/company/invoices", () => {
  test("shows an invoice as it was issued, and when it was paid", async () => {
    const sandbox = openInvoices();
    const made = await sandbox.post("/_sandbox/invoices", { company: "northwind", net: "12.34" });
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.any(String),
        number: "INV-000001",
        status: "open",
        currency: "GBP",
        net: "12.34",
        vat: "2.47",
        total: "14.81",
        issued_on: "2026-03-10",
        due_on: "2026-04-09",
        paid_at: null,
        period_start: "2026-02-01",
        period_end: "2026-02-28",
        pdf_url: `https://invoices.example/${made.json.id}.pdf`,
      },
    ]);
    const path = `/developer/company/invoices/${made.json.id}`;
    expect((await sandbox.get(path)).json).toEqual(made.json);
    await sandbox.post("/_sandbox/clock/advance", { by: "PT1H", company: "northwind" });
    const paid = await sandbox.post(`/_sandbox/invoices/${made.json.id}/pay`, "");
    expect(paid.json).toEqual({ ...made.json, status: "paid", paid_at: "2026-03-10T10:30:00.000Z" });
    expect((await sandbox.get(path)).json).toEqual(paid.json);
  });

  test("filters by status and date of issue, including from and excluding to", async () => {
    const { invoices, numbers } = openInvoices();
    const company = "northwind";
    const [, second, third] = ["2026-01-31", "2026-02-01", "2026-03-01"].map((issued_on) =>
      invoices.create({ company, issued_on }),
    );
    invoices.settle(second?.id ?? "", "paid");
    invoices.settle(third?.id ?? "", "void");
    expect(await numbers()).toBe("3 2 1");
    expect(await numbers("?status=paid,void")).toBe("3 2");
    expect(await numbers("?status=open")).toBe("1");
    expect(await numbers("?from=2026-02-01")).toBe("3 2");
    expect(await numbers("?from=2026-02-01&to=2026-03-01")).toBe("2");
    expect(await numbers("?limit=1")).toBe("3");
    expect(await numbers("?from=2026-02-30")).toContain("from: must be an ISO 8601 date");
    expect(await numbers("", { apiKey: "sk_sandbox_halfway_owner" })).toBe("");
  });

  test("requires view_invoices, which an employee lacks, and the entitlement", async () => {
    const sandbox = openSandbox();
    const path = "/developer/company/invoices";
    expect((await sandbox.get(path, { apiKey: "sk_sandbox_northwind_employee" })).point).toBe(
      "access.forbidden",
    );
    expect((await sandbox.get(path, { apiKey: "sk_sandbox_northwind_admin" })).status).toBe(200);
    sandbox.force.facts = { entitled: false };
    expect((await sandbox.get(path)).point).toBe("access.not_entitled");
  });

  test("does not find another company's invoice", async () => {
    const { invoices, get } = openInvoices();
    const { id } = invoices.create({ company: "fullhouse" });
    const reply = await get(`/developer/company/invoices/${id}`);
    expect([reply.status, reply.json.error.code]).toEqual([404, "not_found"]);
  });
});

describe("POST /_sandbox/invoices", () => {
  test.each([
    [{}, 400, "company: is required"],
    [{ company: "nobody" }, 404, "no company"],
    [{ company: "northwind", net: "1.001" }, 400, "net: must be a decimal"],
    [{ company: "northwind", net: -1 }, 400, "net: must be a decimal"],
    [{ company: "northwind", gross: "1" }, 400, "gross"],
  ])("%j: %i", async (body, status, message) => {
    const reply = await openSandbox().post("/_sandbox/invoices", body);
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(message)]);
  });

  test("settles an invoice once, as paid or void", async () => {
    const { invoices, post } = openInvoices();
    const { id } = invoices.create({ company: "northwind", net: 8.5, vat: "0" });
    expect((await post(`/_sandbox/invoices/${id}/pay`, "")).json.total).toBe("8.50");
    const again = await post(`/_sandbox/invoices/${id}/void`, "");
    expect([again.status, again.json.error]).toEqual([
      409,
      "Invoice INV-000001 is already paid. Only an open invoice can be paid or voided.",
    ]);
    expect((await post("/_sandbox/invoices/1/pay", "")).status).toBe(404);
  });

  test("a reset deletes invoices, of the sandbox or of the company", async () => {
    const { invoices, numbers, reset } = openInvoices();
    for (const company of [undefined, "northwind"]) {
      invoices.create({ company: "northwind" });
      reset(company);
      expect(await numbers()).toBe("");
    }
  });
});
