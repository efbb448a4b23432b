import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { DatabaseUnusable } from "../../src/rules/errors.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { openSandbox, readReply } from "../support/open-sandbox.ts";

/** A sandbox, on a file unless said otherwise, whose requests come whole, as an edge that has read their bodies hands them on. */
async function openServed(db = join(temporaryFolder(), "sandbox.db")) {
  const sandbox = openSandbox({ db });
  const serve = sandbox.serve({ environments: ["sandbox", "live"], control: { kind: "open" } });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const call = (method: string, path: string, sent: Record<string, string> = {}, text?: string) => {
    const headers = new Headers({ Authorization: `Bearer ${token}`, ...sent });
    const request = new Request(`http://sandbox${path}`, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    });
    const body = new TextEncoder().encode(text ?? "");
    return serve(request, { headers, body, goneMs: () => undefined, onGone() {} });
  };
  const order = (key: string, body: object = sandbox.orderBody()) =>
    call(
      "POST",
      "/developer/cards/physical",
      { "Content-Type": "application/json", "Idempotency-Key": key },
      JSON.stringify(body),
    );
  /** Sends requests that came in one turn. */
  const batch = async (...requests: (() => Promise<Response> | Response)[]) => {
    const answers: (Promise<Response> | Response)[] = [];
    sandbox.batch(() => {
      for (const request of requests) answers.push(request());
    });
    return Promise.all(answers.map(async (answer) => readReply(await answer)));
  };
  const cards = () => sandbox.database.get<{ n: number }>("SELECT count(*) AS n FROM cards")?.n;
  /** Lets the requests be handled that come together next, and then cannot keep what they changed. */
  const loseNext = () => {
    const { batch } = sandbox.database;
    return vi.spyOn(sandbox.database, "batch").mockImplementationOnce((work) =>
      batch(() => {
        work();
        throw new DatabaseUnusable("sandbox.db cannot grow");
      }),
    );
  };
  return { ...sandbox, token, call, order, batch, cards, loseNext };
}

describe("requests of one batch", () => {
  test.each(["memory", "a file"])(
    "are no retries of each other, however long each takes, in %s",
    async (where) => {
      const { order, batch, clockOfTest, scenario, findings } = await openServed(
        where === "memory" ? ":memory:" : undefined,
      );
      scenario("issuer-unavailable", { times: 1 });
      const longOrder = () => {
        clockOfTest.advance(5);
        return order(randomUUID());
      };
      const replies = await batch(longOrder, longOrder, longOrder);
      expect(replies.map(({ status }) => status)).toEqual([503, 201, 201]);
      expect(findings({ final: true }).findings.map(({ id, severity }) => `${id} ${severity}`)).toEqual([
        "IDEM-1 info",
      ]);
    },
  );

  test("share one transaction, and a refused request does not roll back the others", async () => {
    const { order, batch, orderBody, cards } = await openServed();
    const before = cards() ?? 0;
    const key = randomUUID();
    const replies = await batch(
      () => order(key),
      () => order(randomUUID(), orderBody({ account_id: randomUUID() })),
      () => order(key),
      () => order(randomUUID()),
    );
    expect(replies.map(({ point }) => point)).toEqual([
      "order.created",
      "order.account_not_found",
      "order.replayed",
      "order.created",
    ]);
    expect(replies[2]?.json).toEqual(replies[0]?.json);
    expect(cards()).toBe(before + 2);
  });

  test("get their responses and are recorded only after the commit", async () => {
    const sandbox = await openServed();
    const seen: string[] = [];
    const { batch } = sandbox.database;
    vi.spyOn(sandbox.database, "batch").mockImplementation((work) => {
      batch(work);
      seen.push(`kept, ${sandbox.exchanges.length} told`);
    });
    const told = sandbox.exchanges.length;
    await sandbox.batch(
      () => sandbox.order(randomUUID()),
      () => sandbox.order(randomUUID()),
    );
    expect(seen).toEqual([`kept, ${told} told`]);
    expect(sandbox.exchanges).toHaveLength(told + 2);
  });

  test("all get 503 and change nothing if the commit fails; the same keys create the cards later", async () => {
    const sandbox = await openServed();
    const before = sandbox.cards();
    const full = sandbox.loseNext();
    const keys = [randomUUID(), randomUUID()];
    const orders = keys.map((key) => () => sandbox.order(key));
    const refused = await sandbox.batch(...orders);
    expect(full).toHaveBeenCalledOnce();
    expect(refused.map(({ status, point }) => [status, point])).toEqual([
      [503, "gateway.cards_unavailable"],
      [503, "gateway.cards_unavailable"],
    ]);
    expect(sandbox.cards()).toBe(before);
    expect(sandbox.exchanges.slice(-2).map(({ status, defect }) => [status, defect?.message])).toEqual([
      [503, "sandbox.db cannot grow"],
      [503, "sandbox.db cannot grow"],
    ]);
    const made = await sandbox.batch(...orders);
    expect(made.map(({ point }) => point)).toEqual(["order.created", "order.created"]);
  });

  test("do not roll back concurrent changes of the control API", async () => {
    const sandbox = await openServed();
    const serve = sandbox.serve({ environments: ["sandbox"], control: { kind: "open" } });
    sandbox.loseNext();
    const advance = new Request("http://sandbox/_sandbox/clock/advance", {
      method: "POST",
      body: '{"by":"P1D"}',
    });
    const before = sandbox.clock.read().now;
    const [refused, advanced] = await sandbox.batch(
      () => sandbox.order(randomUUID()),
      () => serve(advance),
    );
    expect([refused?.status, advanced?.status]).toEqual([503, 200]);
    expect(sandbox.clock.read().now).not.toEqual(before);
  });

  test("do not leave stale callers cached if the first commit fails", async () => {
    const sandbox = await openServed();
    const list = () => sandbox.call("GET", "/developer/accounts");
    sandbox.loseNext();
    const [lost] = await sandbox.batch(list);
    const [listed] = await sandbox.batch(list);
    expect([lost?.status, listed?.status]).toEqual([503, 200]);
    sandbox.database.run("UPDATE companies SET entitlements = '' WHERE slug = 'northwind'");
    const [refused] = await sandbox.batch(list);
    expect(refused?.point).toBe("access.not_entitled");
    sandbox.reset();
    const [unknown] = await sandbox.batch(list);
    expect(unknown?.point).toBe("auth.token_invalid");
  });

  test("change nothing after the database rolled back the requests before them", async () => {
    const sandbox = await openServed();
    sandbox.database.run("UPDATE companies SET card_quota = 1000");
    const [first] = await sandbox.batch(() => sandbox.order(randomUUID()));
    const change = (what: string) => () => sandbox.call("POST", `/developer/cards/${first?.json.id}/${what}`);
    const status = () =>
      sandbox.database.get<{ status: string }>("SELECT status FROM cards WHERE id = ?", first?.json.id)
        ?.status;
    sandbox.database.exec("PRAGMA max_page_count = 1");
    for (let n = 0; n < 200; n++) {
      const before = status();
      const what = before === "active" ? "freeze" : "unfreeze";
      const [ordered, changed] = await sandbox.batch(() => sandbox.order(randomUUID()), change(what));
      expect(changed?.status).toBe(ordered?.status === 201 ? 200 : 503);
      if (ordered?.status === 201) continue;
      expect(status()).toBe(before);
      return;
    }
    throw new Error("two hundred orders fitted into a full file");
  });

  test("use no step of a scenario if the commit fails", async () => {
    const sandbox = await openServed();
    sandbox.scenario("issuer-unavailable", { times: 1 });
    const key = randomUUID();
    sandbox.loseNext();
    const [lost] = await sandbox.batch(() => sandbox.order(key));
    expect(lost?.point).toBe("gateway.cards_unavailable");
    const [refused] = await sandbox.batch(() => sandbox.order(key));
    expect(refused?.point).toBe("order.issuer_unavailable");
    const [made] = await sandbox.batch(() => sandbox.order(key));
    expect(made?.point).toBe("order.created");
  });
});
