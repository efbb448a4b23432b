import { type OrderBody, openSandbox, type TestOptions } from "../support/open-sandbox.ts";

/** No request names this snapshot, so none deletes it. */
const beginning = "beginning-of-the-fuzz";

/** Opens the sandbox to fuzz: its world holds every kind of object, and can be restored. */
export async function openWorld(options: TestOptions = {}) {
  const sandbox = openSandbox({
    // The files of the API reference come from a build, and are not fuzzed.
    docsFiles: async () => new Uint8Array(),
    deliver: async () => new Response(null, { status: 204 }),
    ...options,
  });
  const { control, company, order, call } = sandbox;
  const northwind = company("northwind");
  const plainOrder = sandbox.orderBody();
  control.companies.change("northwind", { card_quota: 1_000_000 });
  let ordered = 0;
  const ordering = async (body: OrderBody = {}) => {
    const key = `7f9c24e8-3b12-4c6e-9d7a-${String(++ordered).padStart(12, "0")}`;
    return (await order({ key, body })).json;
  };
  const card = await ordering({ spending_limit: { period: "monthly", amount: "250.00" } });
  const frozen = await ordering();
  const blocked = await ordering();
  await call("POST", `/developer/cards/${frozen.id}/freeze`);
  control.cards.operate(blocked.id, { action: "block" });
  const pending = control.simulator.authorise({ card_id: card.id, amount: "10.00" });
  const bought = control.simulator.authorise({ card_id: card.id, amount: "20.00" });
  control.simulator.clear(bought.id);
  const invoice = control.invoices.create({ company: "northwind" });
  const { json: webhook } = await call("POST", "/developer/webhooks", {
    body: { url: "http://localhost/hooks", events: ["card.created", "webhook.test"] },
  });
  const { json: delivery } = await call("POST", `/developer/webhooks/${webhook.id}/test`);
  const armed = control.scenarios.arm("quota-reached", { company: "fullhouse" });
  const tokens = {
    owner: await sandbox.exchange("sk_sandbox_northwind_owner"),
    admin: await sandbox.exchange("sk_sandbox_northwind_admin"),
    employee: await sandbox.exchange("sk_sandbox_northwind_employee"),
    live: await sandbox.exchange("sk_live_northwind_owner"),
  };
  control.state.snapshot({ name: "begun" });
  control.state.snapshot({ name: beginning });
  return {
    ...sandbox,
    tokens,
    plainOrder,
    ids: {
      cards: [card.id, frozen.id, blocked.id] as string[],
      accounts: northwind.accounts.map(({ id }) => id as string),
      members: northwind.members.map(({ id }) => id as string),
      transactions: [pending.id, bought.id] as string[],
      invoices: [invoice.id as string],
      webhooks: [webhook.id as string],
      deliveries: [delivery.id as string],
      companies: [northwind.id as string, "northwind", "live/northwind"],
      apiKeys: northwind.members.flatMap(({ api_keys }) => api_keys.map(({ id }) => id as string)),
      armed: [armed.id],
      snapshots: ["begun"],
      requests: ["1", "2"],
    },
    restore: () => control.state.restore(beginning),
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
