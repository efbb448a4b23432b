import { randomUUID } from "node:crypto";
import type { Card, CardStatus } from "../../src/contract/card.ts";
import type { Trigger } from "../../src/rules/card-transitions.ts";
import { cardOf, openSandbox, type Reply, type TestOptions } from "./open-sandbox.ts";
import { london } from "./physical-order.ts";

/** The default body of a replacement. */
export const replacement = {
  reason: "lost",
  pin: "4821",
  delivery_address: london,
  delivery_method: "express",
};

type Try = Parameters<ReturnType<typeof openSandbox>["call"]>[2];

/** A sandbox with shorthands for cards and their changes. */
export function openCards(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  const { call } = sandbox;
  const control = (path: string, body?: object): Promise<Reply> =>
    sandbox.request(`/_sandbox/cards/${path}`, { method: "POST", body: JSON.stringify(body ?? {}) });
  const doTo = {
    freeze: (id, rest) => call("POST", `/developer/cards/${id}/freeze`, rest),
    unfreeze: (id, rest) => call("POST", `/developer/cards/${id}/unfreeze`, rest),
    change: (id, rest) => call("PATCH", `/developer/cards/${id}`, { body: { auto_convert: true }, ...rest }),
    terminate: (id, rest) => call("POST", `/developer/cards/${id}/terminate`, rest),
    replace: (id, rest) => replace(id, {}, rest),
    replace_damaged: (id, rest) => replace(id, { reason: "damaged" }, rest),
    replace_expiring: (id, rest) => replace(id, { reason: "expiring" }, rest),
    activate: (id) => control(`${id}/operator`, { action: "activate" }),
    suspend: (id) => control(`${id}/operator`, { action: "suspend" }),
    lock: (id) => control(`${id}/operator`, { action: "lock" }),
    block: (id) => control(`${id}/operator`, { action: "block" }),
    lift: (id) => control(`${id}/operator`, { action: "lift" }),
    operator_terminate: (id) => control(`${id}/operator`, { action: "terminate" }),
    expire: (id) => control(`${id}/expire`),
  } satisfies Record<Trigger, (id: string, rest?: Try) => Promise<Reply>>;
  const replace = (id: string, body: object = {}, rest: Try = {}): Promise<Reply> =>
    call("POST", `/developer/cards/${id}/replace`, {
      body: { ...replacement, ...body },
      key: randomUUID(),
      ...rest,
    });
  return {
    ...sandbox,
    act: control,
    replace,
    /** Triggers a change of the card with this id. */
    set: (trigger: Trigger, id: string, rest?: Try): Promise<Reply> => doTo[trigger](id, rest),
    /** A card that northwind's owner ordered. */
    card: async (body: object = {}): Promise<Card> => cardOf(await sandbox.order({ body: { ...body } })),
    virtual: (body: object = {}, rest: Try = {}): Promise<Reply> =>
      call("POST", "/developer/cards/virtual", {
        body: { account_id: sandbox.account("northwind").id, ...body },
        key: randomUUID(),
        ...rest,
      }),
    show: async (id: string, rest?: Try): Promise<Card> => {
      const reply = await call("GET", `/developer/cards/${id}`, rest);
      if (reply.status !== 200) throw new Error(`no card: ${reply.status} ${reply.text}`);
      return reply.json;
    },
    /** Creates a company whose owner and employee have cards in these states; returns their keys and cards. */
    async companyWith(statuses: readonly CardStatus[]) {
      const company = await sandbox.control.companies.create({
        slug: "own",
        card_quota: 1000,
        members: [
          { slug: "own-owner", role: "owner" },
          { slug: "own-employee", role: "employee" },
        ],
        accounts: [{ slug: "own-gbp", currency: "GBP" }],
        cards: ["own-owner", "own-employee"].flatMap((member) =>
          statuses.map((status) => ({ member, account: "own-gbp", status })),
        ),
      });
      const [owner, employee] = company.members.map(({ api_keys: [key] }) => key?.secret ?? "");
      if (!owner || !employee) throw new Error("a member of the test's company has no key");
      const list = async (apiKey: string): Promise<Card[]> =>
        (await call("GET", "/developer/cards?limit=100", { apiKey })).json.data.toReversed();
      const employees = await list(employee);
      return {
        owner,
        employee,
        liveCards: () => sandbox.company("own").live_cards,
        employees,
        owners: (await list(owner)).filter(({ id }) => !employees.some((each) => each.id === id)),
      };
    },
  };
}
