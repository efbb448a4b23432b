import { openClient } from "./open-client.ts";
import { openSandbox, type TestOptions } from "./open-sandbox.ts";

/** Opens a sandbox in which northwind has sixty transactions, one a minute, and a client that lists them. */
export async function openLongList(choices: TestOptions["choices"] = {}) {
  const sandbox = openSandbox({ choices });
  const { id } = sandbox.account("northwind");
  for (let n = 0; n < 60; n++) {
    sandbox.control.simulator.topUp({ account_id: id, amount: "1.00" });
    sandbox.clockOfTest.advance(60_000);
  }
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  return {
    ...sandbox,
    token,
    /** The body of the page, or of the error. */
    list: async (query = "", headers = {}) =>
      (await sandbox.get(`/developer/transactions${query}`, { token, headers })).json,
  };
}

/** Opens a client of northwind, which has sixty cards. */
export async function openManyCards() {
  const owner = {
    slug: "owner",
    name: "Mia Berg",
    role: "owner",
    api_keys: [{ secret: "sk_sandbox_northwind_owner" }],
  };
  const northwind = {
    slug: "northwind",
    name: "Northwind Ltd",
    country_code: "GB",
    card_quota: 1000,
    accounts: [{ slug: "gbp", name: "Main account", currency: "GBP", balance: "250000.00" }],
    members: [owner],
    cards: Array(60).fill({ member: "owner", account: "gbp" }),
  };
  const client = await openClient({ world: { companies: [northwind] } });
  return {
    ...client,
    /** The body of the page, or of the error. */
    list: async (query = "", sent = {}) => (await client.send("GET", `/developer/cards${query}`, sent))?.json,
  };
}
