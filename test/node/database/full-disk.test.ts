import { randomUUID } from "node:crypto";
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../../src/node/create-sandbox.ts";
import { openDatabase } from "../../../src/node/database/better-sqlite3.ts";
import { databaseLog } from "../../../src/node/request-log.ts";
import { CouldNotRun, DatabaseUnusable } from "../../../src/rules/errors.ts";
import { cli, runProgram, startCommandLine, temporaryFolder, whenReady } from "../../support/command-line.ts";
import { cardOf, openSandbox, type Reply, type TestOptions } from "../../support/open-sandbox.ts";

const said = /sandbox\.db cannot grow because its disk is full\. Free some space/;

/** A sandbox on a file that can be kept from growing, and let go on. */
async function openOnDisk(options: TestOptions = {}) {
  const sandbox = openSandbox({ db: join(temporaryFolder(), "sandbox.db"), ...options });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  return {
    ...sandbox,
    token,
    fill: () => sandbox.database.exec("PRAGMA max_page_count = 1"),
    makeRoom: () => sandbox.database.exec("PRAGMA max_page_count = 1000000"),
    /** What fits into pages that are there still succeeds: does something until it does not fit. */
    async untilFull(request: () => Promise<Reply>): Promise<Reply> {
      for (let n = 0; n < 200; n++) {
        const reply = await request();
        if (reply.status >= 400) return reply;
      }
      throw new Error("two hundred changes fitted into a full file");
    },
  };
}

describe("on a full disk", () => {
  test("refuses an order with 503 and no change; a retry with the same key succeeds after space is freed", async () => {
    const sandbox = await openOnDisk();
    sandbox.database.run("UPDATE companies SET card_quota = 1000");
    const { token } = sandbox;
    sandbox.fill();
    let key = "";
    const refused = await sandbox.untilFull(() => {
      key = randomUUID();
      return sandbox.order({ key, token });
    });
    expect([refused.status, refused.point, refused.provenance]).toEqual([
      503,
      "gateway.cards_unavailable",
      "assumed",
    ]);
    expect(refused.json).toEqual({
      error: expect.stringMatching(/cannot use its database.*The request changed nothing\. Retry later/),
    });
    const defect = sandbox.exchanges.at(-1)?.defect;
    expect(defect).toBeInstanceOf(DatabaseUnusable);
    expect(defect?.message).toMatch(said);

    const made = sandbox.exchanges.filter(({ point }) => point === "order.created").length;
    const cards = "(SELECT count(*) FROM cards WHERE company_pk = c.pk) AS cards";
    const counts = `SELECT made, not_ended, ${cards} FROM companies c JOIN card_counts n ON n.company_pk = c.pk
      WHERE slug = 'northwind'`;
    expect(sandbox.database.get(counts)).toEqual({ made, not_ended: made, cards: made });
    const listed = await sandbox.get("/developer/cards?limit=100", { token });
    expect([listed.status, listed.json.data.length]).toEqual([200, Math.min(made, 100)]);

    sandbox.makeRoom();
    const retried = await sandbox.order({ key, token });
    expect([retried.status, retried.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    const replayed = await sandbox.order({ key, token });
    expect(replayed.headers.get("Idempotent-Replayed")).toBe("true");
    expect(cardOf(replayed)).toEqual(cardOf(retried));
    expect(sandbox.company("northwind").live_cards).toBe(made + 1);
  });

  test("refuses a token with the error body of the gateway", async () => {
    const sandbox = await openOnDisk();
    sandbox.fill();
    const body = { api_key: "sk_sandbox_northwind_owner" };
    const refused = await sandbox.untilFull(() => sandbox.post("/auth/v1/sandbox/token", body));
    expect([refused.status, refused.point]).toEqual([503, "gateway.unavailable"]);
    expect(refused.json).toMatchObject({ success: false, error: { code: "unavailable" } });
    expect((await sandbox.get("/developer/accounts", { token: sandbox.token })).status).toBe(200);
    sandbox.makeRoom();
    expect((await sandbox.post("/auth/v1/sandbox/token", body)).status).toBe(200);
  });

  test.each([
    ["a company", "/_sandbox/companies"],
    ["a snapshot", "/_sandbox/snapshots"],
  ])("the control API does not create %s, and reports the reason", async (_, path) => {
    const sandbox = await openOnDisk();
    sandbox.fill();
    let n = 0;
    let before = sandbox.world();
    const refused = await sandbox.untilFull(() => {
      before = sandbox.world();
      return sandbox.post(path, path.endsWith("snapshots") ? { name: `s${n++}` } : {});
    });
    expect(refused.status).toBe(503);
    expect(refused.json.error).toMatch(said);
    expect(sandbox.world()).toEqual(before);
    sandbox.makeRoom();
    expect((await sandbox.post(path, path.endsWith("snapshots") ? { name: "s" } : {})).status).toBe(201);
  });

  test("a reset that fails changes nothing, and the sandbox keeps running", async () => {
    const sandbox = await openOnDisk();
    const { token } = sandbox;
    const card = cardOf(await sandbox.order({ token }));
    // As a disk that fills up amid it.
    const run = sandbox.database.run;
    sandbox.database.run = (sql, ...params) => {
      if (sql.startsWith("INSERT INTO cards")) throw new DatabaseUnusable("sandbox.db cannot grow");
      return run(sql, ...params);
    };
    const refused = await sandbox.post("/_sandbox/reset", {});
    expect([refused.status, refused.json.error]).toEqual([
      503,
      expect.stringMatching(/^sandbox\.db cannot grow\. /),
    ]);
    sandbox.database.run = run;
    expect((await sandbox.get(`/developer/cards/${card.id}`, { token })).json.id).toBe(card.id);
    expect((await sandbox.post("/_sandbox/reset", {})).status).toBe(200);
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("the dashboard reports the reason", async () => {
    const sandbox = await openOnDisk();
    sandbox.database.all = () => {
      throw new DatabaseUnusable("sandbox.db is <gone>");
    };
    const page = await sandbox.fetch(new Request("http://localhost/_sandbox/ui/world"));
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("sandbox.db is &lt;gone&gt;");
  });

  describe("the outcome of a webhook delivery on a full disk", () => {
    /** Five orders whose events are delivered, on a disk without room for the outcomes. */
    async function openWithDeliveries(statusOf: () => number) {
      const received: string[] = [];
      const sandbox = await openOnDisk({
        deliver: async (_url, init) => {
          received.push(new Headers(init.headers).get("webhook-id") ?? "");
          return new Response(null, { status: statusOf() });
        },
      });
      const { token, database, webhooks } = sandbox;
      const hook = { url: "http://localhost/hooks", events: ["card.created"] };
      expect((await sandbox.call("POST", "/developer/webhooks", { token, body: hook })).status).toBe(201);
      const { run } = database;
      database.run = (sql, ...params) => {
        if (sql.includes("INTO webhook_attempts")) throw new DatabaseUnusable("sandbox.db cannot grow");
        return run(sql, ...params);
      };
      for (let n = 0; n < 5; n++) expect((await sandbox.order({ token })).status).toBe(201);
      await webhooks.settled();
      const pending = () => webhooks.deliveries().filter(({ status }) => status === "pending");
      expect(pending()).toHaveLength(5);
      const makeRoom = () => {
        database.run = run;
      };
      return { ...sandbox, received, pending, makeRoom };
    }

    test("is stored after space is freed, without a second attempt", async () => {
      const { makeRoom, webhooks, received, pending } = await openWithDeliveries(() => 204);
      await webhooks.settled();
      makeRoom();
      await webhooks.settled();
      expect(pending()).toEqual([]);
      expect(new Set(received).size).toBe(5);
      expect(received).toHaveLength(5);
    });

    test("of a failed attempt is followed by the usual retries", async () => {
      let status = 503;
      const { makeRoom, webhooks, clock, received, pending } = await openWithDeliveries(() => status);
      makeRoom();
      await webhooks.settled();
      for (const { attempts } of pending()) expect(attempts).toMatchObject([{ response_status: 503 }]);
      status = 204;
      await clock.advance({ by: "PT5S" });
      await webhooks.settled();
      expect(pending()).toEqual([]);
      expect(received).toHaveLength(10);
    });

    test("is stored without another request, because the deliverer retries every second", async () => {
      const { makeRoom, clockOfTest, webhooks, pending } = await openWithDeliveries(() => 204);
      const after = vi.spyOn(clockOfTest, "after");
      await webhooks.settled();
      const [, tryAgain] =
        after.mock.calls.findLast(([ms, , inBackground]) => ms === 1000 && inBackground) ?? [];
      makeRoom();
      for (let n = 0; n < 100 && pending().length > 0; n++) {
        tryAgain?.();
        await new Promise(setImmediate);
      }
      expect(pending()).toEqual([]);
    });
  });

  test("a step of a scenario is not claimed if the claim cannot be stored", async () => {
    const sandbox = await openOnDisk();
    const { token } = sandbox;
    sandbox.scenario("issuer-unavailable", { times: 1 });
    const run = sandbox.database.run;
    sandbox.database.run = (sql, ...params) => {
      if (/^\s*UPDATE armed_scenarios/.test(sql)) throw new DatabaseUnusable("sandbox.db cannot grow");
      return run(sql, ...params);
    };
    const refused = await sandbox.order({ token });
    expect([refused.point, refused.headers.get("Sandbox-Scenario")]).toEqual([
      "gateway.cards_unavailable",
      null,
    ]);
    sandbox.database.run = run;
    const forced = await sandbox.order({ token });
    expect([forced.point, forced.headers.get("Sandbox-Scenario")]).toEqual([
      "order.issuer_unavailable",
      "issuer-unavailable",
    ]);
    expect((await sandbox.order({ token })).status).toBe(201);
  });
});

test.each<[string, (file: string) => void]>([
  ["deleted", (file) => rmSync(file)],
  ["moved", (file) => renameSync(file, `${file}.moved`)],
  [
    "replaced",
    (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
])("refuses an order after the file was %s, because the order would be lost", async (_, displace) => {
  const file = join(temporaryFolder(), "sandbox.db");
  const sandbox = openSandbox({ db: file });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const kept = `${file}.kept`;
  linkSync(file, kept);
  displace(file);
  const refused = await sandbox.order({ token });
  expect([refused.status, refused.point]).toEqual([503, "gateway.cards_unavailable"]);
  const exchange = await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
  expect(exchange.status).toBe(503);
  expect(sandbox.exchanges.at(-1)?.defect?.message).toMatch(
    /sandbox\.db was deleted, moved or replaced while it was in use\. Put it back or restart the sandbox\. Until then/,
  );
  expect((await sandbox.get("/developer/cards", { token })).json.data).toEqual([]);
  renameSync(kept, file);
  expect((await sandbox.order({ token })).status).toBe(201);
});

test("refuses batches of changes for a moved file, until it is put back", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  database.exec("CREATE TABLE t (a)");
  const insert = () => database.run("INSERT INTO t VALUES (1)");
  database.batch(() => void insert());
  renameSync(file, `${file}.moved`);
  database.batch(() => expect(insert).toThrow(DatabaseUnusable));
  expect(insert).toThrow(DatabaseUnusable);
  renameSync(`${file}.moved`, file);
  database.batch(() => void insert());
  expect(database.get("SELECT count(*) AS n FROM t")).toEqual({ n: 2 });
});

test("a process that may not write reports it in one line without a stack, and continues to read", async () => {
  const db = join(temporaryFolder(), "sandbox.db");
  // Half a mebibyte, in the shell's blocks of 512 bytes: the default world fits, and little more.
  const limited = `ulimit -S -f 1000; exec "$0" "$@"`;
  const args = [process.execPath, cli, "--port", "0", "--db", db, "--log", "silent"];
  const sandbox = await whenReady(runProgram("sh", ["-c", limited, ...args]));
  const token = await sandbox.exchange();
  const statuses = new Set<number>();
  for (let n = 0; n < 60; n++) {
    statuses.add(
      (await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" })).status,
    );
  }
  expect([...statuses]).toEqual([200, 503]);
  const order = await sandbox.order(randomUUID(), token);
  expect(order.status).toBe(503);
  // The commit failed, and a process that reads the log later may find it there all the same.
  expect(await order.json()).toEqual({
    error: expect.stringMatching(/The outcome of this request is unknown: .* send the same key\.$/),
  });
  const listed = await fetch(`${sandbox.url}/developer/cards`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(listed.status).toBe(200);
  expect(sandbox.output.stderr).toMatch(
    /^card-sandbox: \S+sandbox\.db cannot be read or written \(disk I\/O error, SQLITE_IOERR_WRITE\)\. Check the disk[^\n]+\n$/,
  );
  sandbox.child.kill("SIGTERM");
  expect(await sandbox.ended).toEqual({ code: 0, signal: null });
  // The same file, without the limit.
  const again = await startCommandLine(["--db", db]);
  expect((await again.order(randomUUID(), token)).status).toBe(201);
});

test("logs the reason once, and again only after a successful change", async () => {
  const sandbox = await openOnDisk();
  const { token } = sandbox;
  const lines: string[] = [];
  const log = databaseLog((line) => void lines.push(line));
  const fail = vi.spyOn(sandbox.database, "transaction");
  const order = async (fails: boolean) => {
    fail.mockReset();
    if (fails) {
      fail.mockImplementation(() => {
        throw new DatabaseUnusable("sandbox.db cannot grow");
      });
    }
    const { status } = await sandbox.order({ token });
    for (const exchange of sandbox.exchanges.splice(0)) log(exchange);
    return status;
  };
  const line = "card-sandbox: sandbox.db cannot grow\n";
  expect([await order(true), await order(true), lines]).toEqual([503, 503, [line]]);
  fail.mockRestore();
  expect((await sandbox.order({ token })).status).toBe(201);
  for (const exchange of sandbox.exchanges.splice(0)) log(exchange);
  vi.spyOn(sandbox.database, "transaction").mockImplementation(() => {
    throw new DatabaseUnusable("sandbox.db cannot grow");
  });
  expect((await sandbox.order({ token })).status).toBe(503);
  for (const exchange of sandbox.exchanges.splice(0)) log(exchange);
  expect(lines).toEqual([line, line]);
});

test("describes failures of the system, but passes errors of a statement through", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  database.exec("CREATE TABLE t (a UNIQUE)");
  database.exec("PRAGMA query_only = ON");
  const insert = () => database.run("INSERT INTO t VALUES (1)");
  expect(insert).toThrow(DatabaseUnusable);
  expect(insert).toThrow(
    /sandbox\.db cannot be written \(.*\)\. Give the user that runs the sandbox write permission for the file and its folder/,
  );
  database.exec("PRAGMA query_only = OFF");
  insert();
  expect(insert).not.toThrow(DatabaseUnusable);
  expect(insert).toThrow(/UNIQUE/);
});

test("a start that cannot write fails with an error in one line", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  // Where the log of the database belongs.
  mkdirSync(`${file}-wal`);
  const start = () => createSandbox({ db: file });
  expect(start).toThrow(CouldNotRun);
  expect(start).toThrow(/sandbox\.db cannot be [^\n]+$/);
});

test("a first start without disk space fails with an error in one line, and leaves no file", () => {
  const folder = temporaryFolder();
  const prepare = BetterSqlite3.prototype.prepare;
  const full = vi.spyOn(BetterSqlite3.prototype, "prepare").mockImplementation(function (
    this: BetterSqlite3.Database,
    sql,
  ) {
    if (sql.includes("INSERT INTO cards")) {
      throw new BetterSqlite3.SqliteError("database or disk is full", "SQLITE_FULL");
    }
    return prepare.call(this, sql);
  });
  onTestFinished(() => full.mockRestore());
  const start = () => createSandbox({ db: join(folder, "sandbox.db") });
  expect(start).toThrow(CouldNotRun);
  expect(start).toThrow(said);
  expect(readdirSync(folder)).toEqual([]);
});
