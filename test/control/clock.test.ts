import { describe, expect, test } from "vitest";
import { cardOf, openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const put = (body: object) => ({ method: "PUT", body: JSON.stringify(body) });

/** A sandbox with shorthands for its clock. */
function openClock(options: TestOptions = {}) {
  const sandbox = openSandbox({ now: "2026-03-10T09:30:00.000Z", ...options });
  return {
    ...sandbox,
    read: async (company?: string) =>
      (await sandbox.request(`/_sandbox/clock${company ? `?company=${company}` : ""}`)).json,
    set: (body: object) => sandbox.request("/_sandbox/clock", put(body)),
    advance: (body: object) => sandbox.post("/_sandbox/clock/advance", body),
  };
}

describe("the sandbox's clock", () => {
  test("runs with real time until it is set", async () => {
    const sandbox = openClock();
    expect(await sandbox.read()).toEqual({ now: "2026-03-10T09:30:00.000Z", frozen: false });
    sandbox.clockOfTest.advance(1000);
    expect((await sandbox.read()).now).toBe("2026-03-10T09:30:01.000Z");
  });

  test("can be set ahead and keeps running", async () => {
    const sandbox = openClock();
    const reply = await sandbox.set({ now: "2026-06-01T12:00:00+01:00" });
    expect([reply.status, reply.json]).toEqual([200, { now: "2026-06-01T11:00:00.000Z", frozen: false }]);
    sandbox.clockOfTest.advance(500);
    expect((await sandbox.read()).now).toBe("2026-06-01T11:00:00.500Z");
    expect(cardOf(await sandbox.order()).created_at).toBe("2026-06-01T11:00:00.500Z");
  });

  test("stands still while frozen, can be advanced, and runs on when unfrozen", async () => {
    const sandbox = openClock();
    expect((await sandbox.set({ frozen: true })).json.frozen).toBe(true);
    sandbox.clockOfTest.advance(60_000);
    expect((await sandbox.read()).now).toBe("2026-03-10T09:30:00.000Z");
    await sandbox.advance({ by: "PT15M" });
    expect(await sandbox.read()).toEqual({ now: "2026-03-10T09:45:00.000Z", frozen: true });
    await sandbox.set({ frozen: false });
    sandbox.clockOfTest.advance(1000);
    expect(await sandbox.read()).toEqual({ now: "2026-03-10T09:45:01.000Z", frozen: false });
  });

  test.each([
    ["PT15M", "2026-03-28T12:15:00.000Z"],
    ["PT1H30M0.5S", "2026-03-28T13:30:00.500Z"],
    ["PT24H", "2026-03-29T12:00:00.000Z"],
    // The UK's clocks go forward that night: a day of its calendar is 23 hours.
    ["P1D", "2026-03-29T11:00:00.000Z"],
    ["P1M", "2026-04-28T11:00:00.000Z"],
    ["P2W", "2026-04-11T11:00:00.000Z"],
    ["PT0S", "2026-03-28T12:00:00.000Z"],
  ])("advances by %s", async (by, now) => {
    const sandbox = openClock({ now: "2026-03-28T12:00:00Z" });
    expect((await sandbox.advance({ by })).json.now).toBe(now);
  });

  test("a token expires when the clock is advanced", async () => {
    const sandbox = openClock();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    await sandbox.advance({ by: "PT14M59.999S" });
    expect((await sandbox.order({ token })).status).toBe(201);
    await sandbox.advance({ by: "PT0.001S" });
    expect((await sandbox.order({ token })).point).toBe("auth.token_expired");
  });

  test.each([
    [{ now: "2026-03-10T09:29:59.999Z" }, 409, "must not be before the current time"],
    [{ now: "yesterday" }, 400, "now: must be an ISO 8601 timestamp with a UTC offset"],
    [{ now: "2026-03-11" }, 400, "now: must be an ISO 8601 timestamp with a UTC offset"],
    [{ frozen: "yes" }, 400, "frozen"],
    [{ when: "2027-01-01T00:00:00Z" }, 400, "when"],
    [{ company: "nobody", now: "2027-01-01T00:00:00Z" }, 404, "no company"],
    [{ company: "northwind", frozen: true }, 400, "frozen"],
  ])("PUT %j: %i", async (body, status, message) => {
    const sandbox = openClock();
    const reply = await sandbox.set(body);
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ error: expect.stringContaining(message) });
    expect((await sandbox.read()).now).toBe("2026-03-10T09:30:00.000Z");
  });

  test.each([
    [{}, 400, "by"],
    [{ by: "15 minutes" }, 400, 'by: must be an ISO 8601 duration, such as "PT15M"'],
    [{ by: "-PT1S" }, 400, "by"],
    [{ by: "P9000Y" }, 400, "9994"],
    [{ by: "P999999999Y" }, 400, "beyond"],
    [{ by: "PT1S", company: "nobody" }, 404, "no company"],
  ])("advance %j: %i", async (body, status, message) => {
    const sandbox = openClock();
    const reply = await sandbox.advance(body);
    expect(reply.status).toBe(status);
    expect(reply.json.error).toContain(message);
    expect((await sandbox.read()).now).toBe("2026-03-10T09:30:00.000Z");
  });
});

describe("a company's clock", () => {
  test("runs ahead of the sandbox's clock and expires only that company's tokens", async () => {
    const sandbox = openClock();
    const [mine, theirs] = [
      await sandbox.exchange("sk_sandbox_northwind_owner"),
      await sandbox.exchange("sk_sandbox_fullhouse_owner"),
    ];
    const moved = await sandbox.advance({ by: "PT15M", company: "northwind" });
    expect(moved.json).toEqual({ now: "2026-03-10T09:45:00.000Z", frozen: false });
    expect((await sandbox.order({ token: mine })).point).toBe("auth.token_expired");
    expect((await sandbox.order({ token: theirs })).point).toBe("order.account_not_found");
    expect((await sandbox.read()).now).toBe("2026-03-10T09:30:00.000Z");
  });

  test("stamps the company's tokens, cards and the Date of its responses", async () => {
    const sandbox = openClock();
    await sandbox.set({ now: "2026-07-31T23:30:00Z", company: "northwind" });
    const exchanged = await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    expect(exchanged.json.expires_at).toBe("2026-07-31T23:45:00.000Z");
    expect(exchanged.headers.get("Date")).toBe("Fri, 31 Jul 2026 23:30:00 GMT");
    const ordered = await sandbox.order();
    expect(cardOf(ordered)).toMatchObject({
      created_at: "2026-07-31T23:30:00.000Z",
      expiry_date: "2031-08-31",
    });
    expect(ordered.headers.get("Date")).toBe("Fri, 31 Jul 2026 23:30:00 GMT");
  });

  test("does not exceed the last year of the calendar, whichever clock is advanced", async () => {
    const sandbox = openClock();
    expect((await sandbox.set({ now: "9990-01-01T00:00:00Z", company: "northwind" })).status).toBe(200);
    const beyond = await sandbox.set({ now: "2100-01-01T00:00:00Z" });
    expect([beyond.status, beyond.json.error]).toEqual([400, expect.stringContaining("9994")]);
  });

  test("keeps its offset when the sandbox's clock is advanced, and does not go back", async () => {
    const sandbox = openClock();
    const { id } = sandbox.company("northwind");
    await sandbox.advance({ by: "PT1H", company: id });
    await sandbox.advance({ by: "PT1H" });
    expect((await sandbox.read("northwind")).now).toBe("2026-03-10T11:30:00.000Z");
    const back = await sandbox.set({ now: "2026-03-10T11:29:00Z", company: "northwind" });
    expect(back.status).toBe(409);
    expect((await sandbox.read("live/northwind")).now).toBe("2026-03-10T10:30:00.000Z");
  });
});

test("lists the companies whose clocks are ahead, the one that is furthest ahead first", async () => {
  const { clock, advance, company } = openClock();
  expect(clock.offsets(10)).toEqual([]);
  await advance({ by: "P1D", company: "northwind" });
  await advance({ by: "P7D", company: "fullhouse" });
  await advance({ by: "PT1H" });
  const { id, name } = company("fullhouse");
  expect(clock.offsets(10)).toEqual([
    {
      id,
      name,
      slug: "fullhouse",
      environment: "sandbox",
      now: "2026-03-17T10:30:00.000Z",
      offset_ms: 7 * 86_400_000,
    },
    expect.objectContaining({ slug: "northwind", now: "2026-03-11T10:30:00.000Z", offset_ms: 86_400_000 }),
  ]);
  expect(clock.offsets(1)).toHaveLength(1);
  expect(clock.offsetOf("northwind")).toBe(86_400_000);
});
