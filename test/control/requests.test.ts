import { describe, expect, onTestFinished, test } from "vitest";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox that was sent: an exchange, an order, its replay, a refused one, and an unknown path. */
async function withRequests(options?: TestOptions) {
  const sandbox = openSandbox(options);
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  await sandbox.order({ token, key });
  await sandbox.order({ token, key });
  await sandbox.order({ token, body: { pin: 4821 } });
  await sandbox.request("/nothing");
  const list = (query = "") => sandbox.request(`/_sandbox/requests${query}`);
  const ids = async (query?: string) =>
    (await list(query)).json.requests.map(({ id }: { id: string }) => id).join(" ");
  return { ...sandbox, token, list, ids };
}

describe("GET /_sandbox/requests", () => {
  test.each([
    ["", "5 4 3 2 1"],
    ["?operation=orderPhysicalCard", "4 3 2"],
    ["?operation=exchangeSandboxKey", "1"],
    ["?operation=exchangeLiveKey", ""],
    ["?status=201", "3 2"],
    ["?status=404", "5"],
    ["?point=order.replayed", "3"],
    ["?idempotency_key=7F9C24E8-3B12-4c6e-9d7a-1f5e8b2a6c30", "3 2"],
    ["?company=northwind", "4 3 2 1"],
    ["?company=live/northwind", ""],
    ["?company=fullhouse", ""],
    ["?scenario=quota-reached", ""],
    ["?company=northwind&status=201&point=order.created", "2"],
    ["?company=northwind&limit=2", "4 3"],
    ["?company=northwind&limit=2&after=3", "2 1"],
  ])("%s lists %s", async (query, expected) => {
    expect(await (await withRequests()).ids(query)).toBe(expected);
  });

  test("filters by company id in any letter case, also after the company is deleted", async () => {
    const { ids, company, request } = await withRequests();
    const { id } = company("northwind");
    await request("/_sandbox/companies/northwind", { method: "DELETE" });
    expect(await ids(`?company=${id.toUpperCase()}`)).toBe("4 3 2 1");
  });

  test("distinguishes a live company from a sandbox company of the same slug", async () => {
    const sandbox = openSandbox();
    const account_id = sandbox.account("northwind", "gbp", "live").id;
    await sandbox.order({ apiKey: "sk_live_northwind_owner", body: { account_id } });
    const count = async (company: string) =>
      (await sandbox.request(`/_sandbox/requests?company=${company}`)).json.requests.length;
    expect([await count("northwind"), await count("live/northwind")]).toEqual([0, 2]);
  });

  test("sets has_more if there are more", async () => {
    const { list } = await withRequests();
    expect((await list("?limit=4")).json.has_more).toBe(true);
    expect((await list("?limit=1&after=2")).json.has_more).toBe(false);
  });

  test("shows no PIN, no key and no token", async () => {
    const { list, token } = await withRequests();
    const { text } = await list();
    expect(text).not.toMatch(/4821|northwind_owner/);
    expect(text).not.toContain(token);
  });

  test.each([
    [
      "?pont=order.created",
      'unknown parameter "pont". Did you mean "point"? Allowed: company, operation, status, point',
    ],
    [
      "?point=order.quota_reachd",
      'point: unknown contract point "order.quota_reachd". Did you mean "order.quota_reached"?',
    ],
    [
      "?operation=order",
      'operation: must be one of "exchangeSandboxKey", "exchangeLiveKey", "orderPhysicalCard"',
    ],
    ["?status=ok", "status: must be a status code from 100 to 599"],
    ["?status=2e2", "status: must be a status code from 100 to 599"],
    ["?status=", "status: must be a status code from 100 to 599"],
    ["?status=9000", "status: must be a status code from 100 to 599"],
    ["?status=200&status=201", "status: must be sent only once"],
    ["?limit=0", "limit: must be an integer from 1 to 1000"],
    ["?limit=1001", "limit: must be an integer from 1 to 1000"],
    ["?after=last", "after: must be the id of a recorded request"],
    ["?idempotency_key=order-1", "idempotency_key: must be a UUID"],
    ["?company=", "company: must be the id, slug or live/SLUG of a company"],
    ["?last_event_id=1", 'unknown parameter "last_event_id"'],
  ])("%s is a 400: %s", async (query, error) => {
    const reply = await openSandbox().request(`/_sandbox/requests${query}`);
    expect([reply.status, reply.json]).toEqual([400, { error: expect.stringContaining(error) }]);
  });
});

test("GET /_sandbox/requests/ID returns one request as the list does", async () => {
  const { request, list } = await withRequests();
  const reply = await request("/_sandbox/requests/2");
  expect(reply.json).toEqual((await list("?point=order.created")).json.requests[0]);
});

test.each(["6", "0", "x", "02"])("GET /_sandbox/requests/%s returns 404 for an unknown id", async (id) => {
  const { request } = await withRequests();
  const reply = await request(`/_sandbox/requests/${id}`);
  expect([reply.status, reply.json]).toEqual([
    404,
    { error: `id: no recorded request has the id "${id}". The sandbox keeps only the latest requests.` },
  ]);
});

test("DELETE /_sandbox/requests deletes all requests; ids continue", async () => {
  const { request, ids } = await withRequests();
  expect((await request("/_sandbox/requests", { method: "DELETE" })).status).toBe(204);
  expect(await ids()).toBe("");
  await request("/nothing");
  expect(await ids()).toBe("6");
});

test("the list is the same within the process", async () => {
  const { requests, list } = await withRequests();
  expect((await list("?limit=2")).json).toEqual(requests.list({ limit: 2 }));
});

/** Follows the stream, which is read to the first comment: from then on it misses nothing. */
async function follow(sandbox: ReturnType<typeof openSandbox>, query = "", lastEventId?: string) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test/_sandbox/requests/stream${query}`, {
      signal: abort.signal,
      headers: lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId },
    }),
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = new TextDecoder().decode((await reader.read()).value);
  const events = () =>
    [...text.matchAll(/^event: request\nid: (.*)\ndata: (.*)\n\n/gm)].map(([, id, data]) => ({
      id,
      entry: JSON.parse(data ?? ""),
    }));
  /** Reads until so many events are there; their ids. */
  const idsOf = async (count: number) => {
    while (events().length < count) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    return events()
      .map(({ id }) => id)
      .join(" ");
  };
  return { response, reader, abort, events, idsOf, text: () => text };
}

describe("GET /_sandbox/requests/stream", () => {
  test("sends each request after its response, with its id and entry", async () => {
    const sandbox = await withRequests();
    const stream = await follow(sandbox);
    await sandbox.order({ token: sandbox.token });
    await sandbox.request("/nothing");
    expect(await stream.idsOf(2)).toBe("6 7");
    expect(stream.events()[0]?.entry).toEqual(sandbox.requests.get("6"));
    expect(Object.fromEntries(stream.response.headers)).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      date: "Tue, 10 Mar 2026 09:30:00 GMT",
    });
  });

  test("sends only requests that match the filters", async () => {
    const sandbox = await withRequests();
    const stream = await follow(sandbox, "?status=201");
    await sandbox.request("/nothing");
    await sandbox.order({ token: sandbox.token });
    expect(await stream.idsOf(1)).toBe("7");
  });

  test.each([
    ["", "3", "4 5 6"],
    ["?last_event_id=3", undefined, "4 5 6"],
    ["?last_event_id=1", "4", "5 6"],
    ["", "0", "1 2 3 4 5 6"],
    ["", "5", "6"],
    ["?company=northwind", "0", "1 2 3 4"],
    // Of an earlier run, whose ids were higher.
    ["", "900", "1 2 3 4 5 6"],
  ])("%s with Last-Event-ID %s resumes with %s", async (query, lastEventId, expected) => {
    const sandbox = await withRequests();
    const stream = await follow(sandbox, query, lastEventId);
    await sandbox.request("/nothing");
    expect(await stream.idsOf(expected.split(" ").length)).toBe(expected);
  });

  test("sends every request once, in any order of requests and reads", async () => {
    const sandbox = await withRequests();
    const burst = (count: number) =>
      Promise.all(Array.from({ length: count }, () => sandbox.request("/nothing")));
    const before = burst(40);
    const stream = await follow(sandbox, "", "0");
    const during = burst(60);
    const ids = await stream.idsOf(105);
    await Promise.all([before, during]);
    expect(ids).toBe(Array.from({ length: 105 }, (_, i) => i + 1).join(" "));
  });

  test("continues after a clear, a reset and the end of another stream", async () => {
    const sandbox = await withRequests();
    const stream = await follow(sandbox);
    const other = await follow(sandbox);
    await other.reader.cancel();
    sandbox.requests.clear();
    sandbox.reset();
    await sandbox.request("/nothing");
    expect(await stream.idsOf(1)).toBe("6");
  });

  test("sends requests also if the journal keeps none", async () => {
    const sandbox = openSandbox({ journal: 0 });
    const stream = await follow(sandbox);
    await sandbox.request("/nothing");
    expect(await stream.idsOf(1)).toBe("1");
  });

  test("responds to HEAD with its headers and starts no stream", async () => {
    const sandbox = openSandbox();
    const { status, headers } = await sandbox.request("/_sandbox/requests/stream", { method: "HEAD" });
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
    expect(sandbox.clockOfTest.waits).toEqual([]);
    const refused = await sandbox.request("/_sandbox/requests/stream?limit=3", { method: "HEAD" });
    expect(refused.status).toBe(400);
  });

  test.each([
    ["is aborted", (stream: Awaited<ReturnType<typeof follow>>) => stream.abort.abort()],
    ["cancels", (stream: Awaited<ReturnType<typeof follow>>) => stream.reader.cancel()],
  ])("is over for a client that %s, and nobody waits for the next ping", async (_, leave) => {
    const sandbox = openSandbox();
    const stream = await follow(sandbox);
    expect(sandbox.clockOfTest.waits).toEqual([15_000]);
    await leave(stream);
    expect(sandbox.clockOfTest.waits).toEqual([]);
    await sandbox.request("/nothing");
    expect(await stream.idsOf(1)).toBe("");
  });

  test("sends what waits before it ends when the sandbox stops", async () => {
    const sandbox = openSandbox();
    const stream = await follow(sandbox);
    await sandbox.request("/nothing");
    sandbox.drain();
    await sandbox.request("/nothing");
    expect(await stream.idsOf(2)).toBe("1");
    expect(sandbox.clockOfTest.waits).toEqual([]);
  });

  test("ends for a reader that falls 1,000 requests behind", async () => {
    const sandbox = openSandbox();
    const stream = await follow(sandbox);
    for (let n = 0; n <= 1000; n++) await sandbox.request("/nothing");
    expect(await stream.idsOf(1)).toBe("");
    expect(sandbox.clockOfTest.waits).toEqual([]);
  });

  test("ends for a reader that falls 16 MiB behind", async () => {
    const sandbox = openSandbox();
    const stream = await follow(sandbox);
    const init = { method: "POST", body: "x".repeat(60_000) };
    for (let n = 0; n < 300; n++) await sandbox.request("/auth/v1/sandbox/token", init);
    expect(await stream.idsOf(1)).toBe("");
    expect(sandbox.clockOfTest.waits).toEqual([]);
  });

  test("pings every 15 s, so that proxies keep the connection open", async () => {
    const sandbox = openSandbox();
    const stream = await follow(sandbox);
    expect(stream.text()).toBe(": following\n\n");
    sandbox.clockOfTest.endWaits();
    await sandbox.request("/nothing");
    await stream.idsOf(1);
    expect(stream.text()).toMatch(/^: following\n\n: ping\n\nevent: request\nid: 1\n/);
    expect(sandbox.clockOfTest.waits).toEqual([15_000]);
  });

  test.each([
    ["?limit=3", 'unknown parameter "limit"'],
    ["?point=nothing", 'point: unknown contract point "nothing"'],
    ["?last_event_id=x", "last_event_id: must be the id of a recorded request"],
  ])("%s is a 400: %s", async (query, error) => {
    const reply = await openSandbox().request(`/_sandbox/requests/stream${query}`);
    expect([reply.status, reply.json]).toEqual([400, { error: expect.stringContaining(error) }]);
  });
});
