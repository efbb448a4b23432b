import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { httpClient } from "../support/http-client.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const reset = { message: "fetch failed", cause: { code: "ECONNRESET" } };

const operations = {
  orderPhysicalCard: "/developer/cards/physical",
  orderVirtualCard: "/developer/cards/virtual",
  replaceCard: "/developer/cards/ID/replace",
};

/** A sandbox whose client lost the connection of a request that the issuer still works on. */
async function openLost(operation: keyof typeof operations = "orderPhysicalCard", steps?: object) {
  const sandbox = openSandbox(steps && own([steps], { then: "pass" }));
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const account_id = sandbox.account("northwind").id;
  const card = operation === "replaceCard" ? cardOf(await sandbox.order({ token })).id : "";
  const body = {
    orderPhysicalCard: sandbox.orderBody(),
    orderVirtualCard: { account_id },
    replaceCard: { reason: "damaged", ...sandbox.orderBody(), account_id: undefined },
  }[operation];
  const path = operations[operation].replace("ID", card);
  const armed = sandbox.scenario(steps ? "own" : "lost-in-flight", { operation });
  const send = () => sandbox.call("POST", path, { key, token, body });
  await expect(send()).rejects.toMatchObject(reset);
  const lost = () => sandbox.exchanges.filter(({ fault }) => fault === "issuer.disconnect");
  return { sandbox, armed, send, lost };
}

describe("a connection that is lost while the issuer works", () => {
  test.each([
    ["orderPhysicalCard", "order.created", "order.key_in_progress", "order.replayed"],
    ["orderVirtualCard", "cards.virtual_created", "cards.key_in_progress", "cards.replayed"],
    ["replaceCard", "cards.replaced", "cards.key_in_progress", "cards.replayed"],
  ] as const)(
    "on %s keeps the key in progress until the issuer answers",
    async (operation, made, inProgress, replayed) => {
      const { sandbox, armed, send, lost } = await openLost(operation);
      expect((await send()).point).toBe(inProgress);
      expect([lost(), armed.listing()]).toMatchObject([[], { fired: 1, held: 1 }]);
      expect(armed.release()).toBe(1);
      await new Promise(setImmediate);
      expect(lost()).toMatchObject([
        {
          operation,
          point: made,
          scenario: "lost-in-flight",
          status: undefined,
          responseBody: undefined,
          abortedMs: undefined,
        },
      ]);
      const retry = await send();
      expect([retry.point, JSON.parse(lost()[0]?.decidedBody ?? "").id]).toEqual([replayed, retry.json.id]);
      expect(sandbox.requests.list({ scenario: "lost-in-flight" }).requests).toMatchObject([
        { fault: "issuer.disconnect", status: null, point: made },
      ]);
    },
  );

  test("is recorded with the issuer's refusal, after which the key may be used again", async () => {
    const { sandbox, armed, send, lost } = await openLost("orderPhysicalCard", {
      faults: { issuer: { hold_ms: 6000, disconnect: true, unavailable: true } },
    });
    armed.release();
    await new Promise(setImmediate);
    expect(lost()).toMatchObject([{ point: "order.issuer_unavailable", status: undefined }]);
    expect(sandbox.company("northwind").live_cards).toBe(0);
    expect((await send()).point).toBe("order.created");
  });

  test("is recorded with another refusal if the company changes meanwhile", async () => {
    const { sandbox, armed, lost } = await openLost();
    sandbox.control.companies.change("northwind", { status: "suspended" });
    armed.release();
    await new Promise(setImmediate);
    expect(lost()).toMatchObject([{ point: "order.company_inactive", scenario: "lost-in-flight" }]);
  });

  test("creates no card in a world that was reset meanwhile", async () => {
    const { sandbox, lost } = await openLost();
    sandbox.reset();
    await new Promise(setImmediate);
    expect(lost()).toMatchObject([{ point: "order.change_in_progress" }]);
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("creates the card when the sandbox is drained, and none when it is closed", async () => {
    const drained = await openLost();
    drained.sandbox.drain();
    await new Promise(setImmediate);
    expect(drained.lost()).toMatchObject([{ point: "order.created" }]);
    const closed = await openLost();
    closed.sandbox.abandon();
    await new Promise(setImmediate);
    expect(closed.lost()).toEqual([]);
  });

  test("is not lost by a request that is refused before the issuer is asked, nor by a replay", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ key });
    const armed = sandbox.scenario("lost-in-flight");
    expect((await sandbox.order({ body: { pin: "1" } })).point).toBe("order.pin_invalid");
    expect((await sandbox.order({ key })).point).toBe("order.replayed");
    expect(armed.listing()).toMatchObject({ fired: 0, steps_taken: 0 });
  });

  test.each(["memory", "a file"])("over a socket, with a database in %s", async (where) => {
    const sandbox = await startSandbox({
      port: 0,
      db: where === "memory" ? ":memory:" : join(temporaryFolder(), "sandbox.db"),
    });
    const { exchange, order } = httpClient(sandbox.url);
    const company = await sandbox.isolatedCompany();
    const token = await exchange(company.apiKey);
    const armed = company.scenario("lost-in-flight");
    await expect(order(company.accountId, { key, token })).rejects.toThrow("fetch failed");
    expect((await order(company.accountId, { key, token })).status).toBe(409);
    armed.release();
    const retry = await order(company.accountId, { key, token });
    expect([retry.status, retry.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    const [latest, lost] = sandbox.requests.list({ company: company.slug }).requests;
    expect([latest, lost]).toMatchObject([{ point: "order.replayed" }, { fault: "issuer.disconnect" }]);
    expect(sandbox.findings({ company: company.slug, final: true }).findings).toEqual([]);
    await sandbox.close();
  });
});
