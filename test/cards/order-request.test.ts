import { describe, expect, test } from "vitest";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

describe("a JSON number is read from its characters, never through a double", () => {
  const sent = (amount: string) => (sandbox: ReturnType<typeof openSandbox>) => ({
    raw: JSON.stringify(
      sandbox.orderBody({ spending_limit: { period: "lifetime", amount: "AMOUNT" } }),
    ).replace('"AMOUNT"', amount),
  });

  test.each([
    ["10.50", "10.50"],
    ["10.000", "10.00"],
    ["1e2", "100.00"],
    ["1.5E+1", "15.00"],
    ["25e-2", "0.25"],
  ])("reads %s as %s", async (amount, shown) => {
    const sandbox = openSandbox();
    expect(cardOf(await sandbox.order(sent(amount)(sandbox))).spending_limit?.amount).toBe(shown);
  });

  test.each([
    "4.0000000000000001",
    `1.${"0".repeat(60_000)}1`,
    "1234567890123456.0001",
    "1e-3",
    "-1e400",
    "0.0",
    "-0.00",
    "0e5",
  ])("refuses $0", async (amount) => {
    const sandbox = openSandbox();
    const reply = await sandbox.order(sent(amount)(sandbox));
    expect([reply.status, reply.point]).toEqual([400, "order.spending_limit_amount_invalid"]);
  });

  test.each(["1e13", "12345678901234567890", "1e400", "1e999999999", "9".repeat(60_000)])(
    "refuses $0, which is above the largest amount",
    async (amount) => {
      const sandbox = openSandbox();
      const reply = await sandbox.order(sent(amount)(sandbox));
      expect([reply.status, reply.point]).toEqual([400, "order.spending_limit_amount_too_large"]);
      expect(reply.json.error).toBe("spending_limit.amount: must be at most 9999999999999.99");
    },
  );

  const nested = (open: string, close: string) => `${open.repeat(9000)}1${close.repeat(9000)}`;
  describe.each([
    ["a member that occurs twice", '"more": 1, "more": 2'],
    ["nested lists", `"more": ${nested("[", "]")}`],
    ["nested objects", `"more": ${'{"amount":'.repeat(5000)}1${"}".repeat(5000)}`],
    ["nested limits", `"more": ${'{"spending_limit":'.repeat(3000)}1${"}".repeat(3000)}`],
    [
      "names in other places",
      '"a": {"spending_limit": {"amount": 7}}, "amount": 8, "b": ["amount", {"amount": 9}]',
    ],
    ["escaped text", String.raw`"more": "\\\"amount\": 7, {[\\", "\"": "}"`],
  ])("with %s among the ignored members", (_, more) => {
    const before = (raw: string) => raw.replace("{", `{${more}, `);
    const after = (raw: string) => raw.replace(/}$/, `, ${more}}`);

    test.each([before, after])("reads the amount", async (add) => {
      const sandbox = openSandbox();
      const taken = await sandbox.order({ raw: add(sent("12.50")(sandbox).raw) });
      expect(cardOf(taken).spending_limit?.amount).toBe("12.50");
      const refused = await sandbox.order({ raw: add(sent("1.0000000000000001")(sandbox).raw) });
      expect([refused.status, refused.point]).toEqual([400, "order.spending_limit_amount_invalid"]);
    });
  });

  test("reads a name with escapes", async () => {
    const sandbox = openSandbox();
    const raw = sent("12.50")(sandbox).raw.replace('"amount"', String.raw`"am\u006funt" `);
    expect(cardOf(await sandbox.order({ raw })).spending_limit?.amount).toBe("12.50");
  });

  test("keeps the double if only JSON.parse accepts the body", async () => {
    const sandbox = openSandbox();
    const raw = JSON.stringify(
      sandbox.orderBody({ spending_limit: { period: "daily", amount: "AMOUNT" } }),
    ).replace('"AMOUNT"', '1, "amount": 10.5');
    expect(cardOf(await sandbox.order({ raw })).spending_limit?.amount).toBe("10.50");
  });
});

describe("a request that is not a JSON order returns 400 with a CardError", () => {
  const kib64 = 64 * 1024;

  test.each([
    ["an empty body", "", "order.body_not_json"],
    ["no JSON", "{", "order.body_not_json"],
    ["a form", "account_id=1&pin=4821", "order.body_not_json"],
    ["a list", "[]", "order.body_not_json"],
    ["a string", '"order"', "order.body_not_json"],
    ["null", "null", "order.body_not_json"],
    ["a number", "7", "order.body_not_json"],
    ["deep nesting", "[".repeat(30_000), "order.body_not_json"],
    ["over 64 KiB", `{"name": "${"n".repeat(kib64)}"}`, "order.body_too_large"],
    ["an empty object", "{}", "order.account_id_invalid"],
    ["__proto__", '{"__proto__": {"pin": "4821"}}', "order.account_id_invalid"],
  ])("%s", async (_, raw, point) => {
    const reply = await openSandbox().order({ raw });
    expect([reply.status, reply.point]).toEqual([400, point]);
    expect(reply.json).toEqual({ error: expect.any(String) });
    expect(reply.headers.get("Content-Type")).toBe("application/json");
  });

  test.each([
    ["bytes that are no UTF-8", [0x22, 0xff, 0xfe, 0xc0, 0x22]],
    ["Latin-1", [0x22, 0xe9, 0x22]],
    ["a character cut off", [0x22, 0xf0, 0x9f]],
  ])("%s", async (_, bytes) => {
    const sandbox = openSandbox();
    const text = JSON.stringify(sandbox.orderBody({ name: "NAME" }));
    const [before = "", after = ""] = text.split('"NAME"');
    const body = new Blob([before, new Uint8Array(bytes), after]);
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const reply = await sandbox.request("/developer/cards/physical", {
      method: "POST",
      body,
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      },
    });
    expect([reply.status, reply.point]).toEqual([400, "order.body_not_json"]);
    expect(reply.json.error).toContain("UTF-8");
  });

  test("joins a character whose bytes arrive in two chunks", async () => {
    const sandbox = openSandbox();
    const bytes = new TextEncoder().encode(JSON.stringify(sandbox.orderBody({ name: "🚂é" })));
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const reply = await sandbox.request("/developer/cards/physical", {
      method: "POST",
      body,
      duplex: "half",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      },
    } as RequestInit);
    expect(cardOf(reply).name).toBe("🚂é");
  });

  test("applies the limit to a body longer than its Content-Length", async () => {
    const sandbox = openSandbox();
    const raw = JSON.stringify(sandbox.orderBody({ name: "n".repeat(100_000) }));
    const reply = await sandbox.order({ raw, headers: { "Content-Length": "10" } });
    expect(reply.point).toBe("order.body_too_large");
  });

  test("reads a body of exactly 64 KiB", async () => {
    const sandbox = openSandbox();
    const plain = JSON.stringify(sandbox.orderBody({ name: "" }));
    const padded = JSON.stringify(sandbox.orderBody({ name: "n".repeat(kib64 - plain.length) }));
    expect(padded.length).toBe(kib64);
    expect((await sandbox.order({ raw: padded })).status).toBe(201);
    expect((await sandbox.order({ raw: `${padded} ` })).point).toBe("order.body_too_large");
  });

  test.each([
    [undefined],
    ["text/plain"],
    ["application/jsonp"],
    ["application/x-www-form-urlencoded"],
    ["text/json"],
    ["application/json, text/plain"],
    [""],
  ])("refuses the Content-Type %s", async (contentType) => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const reply = await sandbox.request("/developer/cards/physical", {
      method: "POST",
      // A stream brings no Content-Type of its own.
      body: new Blob([JSON.stringify(sandbox.orderBody())]).stream(),
      duplex: "half",
      headers: {
        Authorization: `Bearer ${token}`,
        "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
        ...(contentType !== undefined && { "Content-Type": contentType }),
      },
    } as RequestInit);
    expect([reply.status, reply.point]).toEqual([400, "order.content_type_invalid"]);
    expect(reply.json.error).toContain("Content-Type: must be application/json");
  });

  test.each(["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=UTF-8"])(
    "accepts the Content-Type %s",
    async (contentType) => {
      const reply = await openSandbox().order({ headers: { "Content-Type": contentType } });
      expect(reply.status).toBe(201);
    },
  );

  test.each([
    [undefined, "order.idempotency_key_missing"],
    ["", "order.idempotency_key_missing"],
    ["order-1", "order.idempotency_key_invalid"],
    ['"7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30"', "order.idempotency_key_invalid"],
    ["7f9c24e83b124c6e9d7a1f5e8b2a6c30", "order.idempotency_key_invalid"],
    ["{7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30}", "order.idempotency_key_invalid"],
    ["urn:uuid:7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30", "order.idempotency_key_invalid"],
    [
      "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30, 7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      "order.idempotency_key_invalid",
    ],
  ])("refuses the Idempotency-Key %s", async (key, point) => {
    const reply = await openSandbox().order({ headers: { "Idempotency-Key": key } });
    expect([reply.status, reply.point]).toEqual([400, point]);
    expect(reply.json.error).toContain("Idempotency-Key");
  });

  test.each([
    ["version 1", "c232ab00-9414-11ec-b3c8-9f6bdeced846"],
    ["version 3", "5df41881-3aed-3515-88a7-2f4a814cf09e"],
    ["version 7", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"],
    ["version 8", "320c3d4d-cc00-875b-8ec9-32d5f69181c0"],
    ["nil", "00000000-0000-0000-0000-000000000000"],
    ["max", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ["no version that exists", "7f9c24e8-3b12-0c6e-1d7a-1f5e8b2a6c30"],
    ["capitals", "7F9C24E8-3B12-4C6E-9D7A-1F5E8B2A6C30"],
  ])("accepts the Idempotency-Key %s", async (_, key) => {
    expect((await openSandbox().order({ key })).status).toBe(201);
  });
});
