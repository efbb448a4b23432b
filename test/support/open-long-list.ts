import { openSandbox } from "./open-sandbox.ts";

/** A sandbox whose northwind has sixty transactions, a minute apart, and a client that lists them. */
export async function openLongList() {
  const sandbox = openSandbox();
  const { id } = sandbox.account("northwind");
  for (let n = 0; n < 60; n++) {
    sandbox.control.simulator.topUp({ account_id: id, amount: "1.00" });
    sandbox.clockOfTest.advance(60_000);
  }
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  return {
    ...sandbox,
    token,
    /** The page, or the error. */
    list: async (query = "", headers = {}) =>
      (await sandbox.get(`/developer/transactions${query}`, { token, headers })).json,
  };
}
