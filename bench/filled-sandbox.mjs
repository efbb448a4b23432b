// A build's command line that, told so by the process that started it, puts a number of cards into its database by
// functions of the build's own sources: rows as orders make them, without the time that a million orders take.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * @typedef {import("better-sqlite3").Database} Sqlite
 * @typedef {{ functions: string, companyId: string, cards: number }} Wanted
 */

const [cli = ""] = process.argv.slice(2);

/** The command line opens its database for itself: it is met on the way. */
let sqlite = /** @type {Sqlite | undefined} */ (undefined);
const BetterSqlite3 = createRequire(cli)("better-sqlite3");
const { prepare } = BetterSqlite3.prototype;
BetterSqlite3.prototype.prepare = function (/** @type {string} */ sql) {
  sqlite = this;
  BetterSqlite3.prototype.prepare = prepare;
  return prepare.call(this, sql);
};

/** @type {Map<string, import("better-sqlite3").Statement>} */
const statements = new Map();

process.on("message", (/** @type {Wanted} */ wanted) => {
  fill(wanted).then(
    () => process.send?.("filled"),
    (/** @type {Error} */ error) => process.send?.(error.stack ?? error.message),
  );
});
process.argv.splice(1, 1);
await import(pathToFileURL(cli).href);

/** @param {Wanted} wanted */
async function fill({ functions, companyId, cards }) {
  if (!sqlite) throw new Error("no database has been opened by better-sqlite3's prepare()");
  const { openStore, makeCard, seededRandom, limitsOf } = await import(pathToFileURL(functions).href);
  const database = portOf(sqlite);
  const store = openStore(database, true, { now: () => Date.now() });
  const random = seededRandom(1);
  const row = database.get(
    `SELECT c.*, a.pk AS account_pk, a.id AS account_id, a.currency, m.pk AS member_pk, m.id AS member_id
     FROM companies c
     JOIN accounts a ON a.company_pk = c.pk
     JOIN members m ON m.company_pk = c.pk
     WHERE c.id = ? ORDER BY a.pk, m.pk LIMIT 1`,
    companyId,
  );
  const plan = {
    companyId,
    accountId: row.account_id,
    memberId: row.member_id,
    type: "physical",
    designId: row.design_id,
    status: "active",
    name: undefined,
    autoConvert: false,
    spendingLimit: { period: "monthly", amountMinor: 25_000n },
    currency: row.currency,
    limits: limitsOf(row),
    createdAtMs: Date.now(),
  };
  const place = {
    companyPk: row.pk,
    accountPk: row.account_pk,
    memberPk: row.member_pk,
  };
  // In memory a transaction stays open for good.
  const transactionHere = !sqlite.inTransaction;
  if (transactionHere) sqlite.exec("BEGIN");
  for (let n = 1; n <= cards; n++) {
    const number = row.cards_made + n;
    const idempotency = { operation: "orderPhysicalCard", key: crypto.randomUUID() };
    store.cards.insert(makeCard(random, { ...plan, number }), { ...place, number, idempotency });
  }
  if (transactionHere) sqlite.exec("COMMIT");
}

/**
 * The database as the build's store expects it, of which inserting takes no more than this.
 * @param {Sqlite} sqlite
 */
function portOf(sqlite) {
  const prepared = (/** @type {string} */ sql) => {
    const statement = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: (/** @type {string} */ sql, /** @type {unknown[]} */ ...params) =>
      /** @type {any} */ (prepared(sql).get(...params)),
    run: (/** @type {string} */ sql, /** @type {unknown[]} */ ...params) =>
      prepared(sql).run(...params).changes,
  };
}
