import { openClient } from "./open-client.ts";

/** A client of northwind, which has sixty cards here. */
export async function openManyCards() {
  const northwind = {
    slug: "northwind",
    name: "Northwind Ltd",
    country_code: "GB",
    card_quota: 1000,
    accounts: [{ slug: "gbp", name: "Main account", currency: "GBP", balance: "250000.00" }],
    members: [
      {
        slug: "owner",
        name: "Mia Berg",
        role: "owner",
        api_keys: [{ secret: "sk_sandbox_northwind_owner" }],
      },
    ],
    cards: Array(60).fill({ member: "owner", account: "gbp" }),
  };
  const client = await openClient({ world: { companies: [northwind] } });
  return {
    ...client,
    /** The page, or the error. */
    list: async (query = "", sent = {}) => (await client.send("GET", `/developer/cards${query}`, sent))?.json,
  };
}
