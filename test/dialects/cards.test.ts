import { describe, expect, test } from "vitest";
import type { Choices } from "../../src/contract/behaviours.ts";
import { openCards } from "../support/open-cards.ts";
import { openMoney } from "../support/open-money.ts";
import type { Reply } from "../support/open-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";

const shown = ({ status, point }: Reply) => `${status} ${point}`;
const unknown = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("cards.of_other_company", () => {
  const asFullhouse = async (choices: Partial<Choices>, apiKey = "sk_sandbox_fullhouse_owner") => {
    const sandbox = openCards({ choices });
    const { id } = await sandbox.card();
    const replies = [
      await sandbox.get(`/developer/cards/${id}`, { apiKey }),
      await sandbox.set("freeze", id, { apiKey }),
      await sandbox.replace(id, {}, { apiKey }),
      await sandbox.get(`/developer/cards/${unknown}`, { apiKey }),
    ];
    return replies.map(shown);
  };
  const notFound = "404 cards.not_found";

  test("404: another company's card does not exist", async () => {
    expect(await asFullhouse({ "cards.of_other_company": "404" })).toEqual(Array(4).fill(notFound));
  });

  test("403: another company's card is forbidden, and an unknown one does not exist", async () => {
    const forbidden = "403 cards.of_other_company";
    expect(await asFullhouse({ "cards.of_other_company": "403" })).toEqual([
      forbidden,
      forbidden,
      forbidden,
      notFound,
    ]);
  });

  test("403: a card of the other environment does not exist", async () => {
    const replies = await asFullhouse({ "cards.of_other_company": "403" }, "sk_live_northwind_owner");
    expect(replies).toEqual(Array(4).fill(notFound));
  });
});

test("cards.of_colleague: an employee sees the cards of colleagues as forbidden, and their own", async () => {
  const sandbox = openCards({ choices: { "cards.of_colleague": "403" } });
  const { employee, employees, owners } = await sandbox.companyWith(["active"]);
  const freeze = (id = "") => sandbox.set("freeze", id, { apiKey: employee });
  expect(shown(await freeze(owners[0]?.id))).toBe("403 cards.of_colleague");
  expect(shown(await freeze(unknown))).toBe("404 cards.not_found");
  expect(shown(await freeze(employees[0]?.id))).toBe("200 cards.frozen");
});

const holds = ["suspend", "lock", "block"] as const;

describe.each([
  ["409", "409 cards.state_conflict", "suspended"],
  ["allowed", "200 cards.terminated", "terminated"],
] as const)("cards.terminate_held: %s", (use, expected, status) => {
  test.each(holds)("after %s", async (hold) => {
    const sandbox = openCards({ choices: { "cards.terminate_held": use } });
    const { id } = await sandbox.card();
    await sandbox.set(hold, id);
    expect(shown(await sandbox.set("terminate", id))).toBe(expected);
    if (hold === "suspend") expect((await sandbox.show(id)).status).toBe(status);
  });
});

describe("replace.held_cards", () => {
  const replacing = async (use: Choices["replace.held_cards"], reason: string) => {
    const sandbox = openCards({ choices: { "replace.held_cards": use } });
    const { id } = await sandbox.card();
    await sandbox.set("block", id);
    return shown(await sandbox.replace(id, { reason }));
  };
  const refused = "409 cards.state_conflict";

  test.each(["lost", "stolen", "damaged"])("409: the reason %s", async (reason) => {
    expect(await replacing("409", reason)).toBe(refused);
  });

  test.each([
    ["lost", "201 cards.replaced"],
    ["stolen", "201 cards.replaced"],
    ["damaged", refused],
    ["expiring", refused],
  ])("allowed: the reason %s", async (reason, expected) => {
    expect(await replacing("allowed", reason)).toBe(expected);
  });
});

describe("replace.usage", () => {
  test.each([
    ["carried", "86.00"],
    ["dropped", "0.00"],
  ] as const)("%s", async (use, used) => {
    const sandbox = await openMoney({
      choices: { "replace.usage": use },
      body: { spending_limit: { period: "monthly", amount: "1000.00" } },
    });
    sandbox.pay("86.00");
    const { pin, delivery_address, delivery_method } = sandbox.orderBody();
    const { json } = await sandbox.call("POST", `/developer/cards/${sandbox.card.id}/replace`, {
      body: { reason: "lost", pin, delivery_address, delivery_method },
      key: unknown,
    });
    expect(json.spending_limit).toEqual({ period: "monthly", amount: "1000.00", currency: "GBP", used });
    const { json: list } = await sandbox.get("/developer/cards");
    expect(list.data[0].card_limits.daily.used).toBe(use === "carried" ? "100.00" : "0.00");
  });
});

describe("roles that may order cards", () => {
  const orderAs = async (role: "admin" | "accountant" | "employee", choices: Partial<Choices>) => {
    const sandbox = openCards({ choices });
    const { members, accounts } = await sandbox.control.companies.create({
      slug: "own",
      members: [
        { slug: "own-owner", role: "owner" },
        { slug: "own-member", role },
      ],
      accounts: [{ slug: "own-gbp", currency: "GBP" }],
    });
    const apiKey = members[1]?.api_keys[0]?.secret ?? "";
    const account_id = accounts[0]?.id;
    const replies = [
      await sandbox.order({ apiKey, body: { account_id } }),
      await sandbox.virtual({ account_id }, { apiKey }),
    ];
    return replies.map(shown);
  };
  const ordered = ["201 order.created", "201 cards.virtual_created"];
  const forbidden = ["403 order.forbidden", "403 access.forbidden"];

  test("roles.admin_orders", async () => {
    expect(await orderAs("admin", { "roles.admin_orders": "allowed" })).toEqual(ordered);
    expect(await orderAs("admin", { "roles.admin_orders": "403" })).toEqual(forbidden);
  });

  test("roles.accountant_orders", async () => {
    expect(await orderAs("accountant", { "roles.accountant_orders": "403" })).toEqual(forbidden);
    expect(await orderAs("accountant", { "roles.accountant_orders": "allowed" })).toEqual(ordered);
    expect(await orderAs("employee", { "roles.accountant_orders": "allowed" })).toEqual(forbidden);
  });
});

describe("replace.old_card: kept", () => {
  const choices = { "replace.old_card": "kept" } as const;

  test.each([
    ["lost", "terminated"],
    ["stolen", "terminated"],
    ["damaged", "active"],
    ["expiring", "active"],
  ])("after the reason %s, the old card is %s", async (reason, status) => {
    const sandbox = openCards({ choices });
    const { id } = await sandbox.card();
    expect((await sandbox.replace(id, { reason })).status).toBe(201);
    expect((await sandbox.show(id)).status).toBe(status);
  });

  test("a card is replaced only once", async () => {
    const sandbox = openCards({ choices });
    const { id } = await sandbox.card();
    await sandbox.replace(id, { reason: "damaged" });
    const reply = await sandbox.replace(id, { reason: "lost" });
    expect([shown(reply), reply.json.error]).toEqual([
      "409 cards.state_conflict",
      "The card was already replaced. Use the new card.",
    ]);
  });

  test("both cards count against the quota (spec §8)", async () => {
    const sandbox = openCards({ choices });
    const { id } = await sandbox.card();
    sandbox.control.companies.change(sandbox.company("northwind").id, { card_quota: 1 });
    const refused = await sandbox.replace(id, { reason: "damaged" });
    expect(shown(refused)).toBe("422 cards.quota_reached");
    expect(shown(await sandbox.replace(id, { reason: "lost" }))).toBe("201 cards.replaced");
  });
});

describe.each([{}, { "replace.old_card": "kept" }] as const)(
  "replace.frozen_cards: 409, with %o",
  (others) => {
    test.each(["lost", "damaged", "expiring"])("the reason %s", async (reason) => {
      const sandbox = openCards({ choices: { ...others, "replace.frozen_cards": "409" } });
      const { id } = await sandbox.card();
      await sandbox.set("freeze", id);
      const reply = await sandbox.replace(id, { reason });
      expect(shown(reply)).toBe("409 cards.state_conflict");
      expect(reply.json.error).toMatch(
        /^The card is frozen and cannot .*: its status must be one of inactive, active/,
      );
      await sandbox.set("unfreeze", id);
      expect(shown(await sandbox.replace(id, { reason }))).toBe("201 cards.replaced");
    });
  },
);

test("a change that succeeds and changes nothing emits no event", async () => {
  const sandbox = await openWebhooks({
    events: ["card.status_changed"],
    choices: {
      "cards.freeze_repeated": "succeeds",
      "cards.unfreeze_repeated": "succeeds",
      "cards.terminate_repeated": "succeeds",
    },
  });
  const { id } = (await sandbox.order()).json;
  for (const action of ["unfreeze", "freeze", "freeze", "unfreeze", "terminate", "terminate"]) {
    const { status, json } = await sandbox.call("POST", `/developer/cards/${id}/${action}`);
    expect([action, status, json.id]).toEqual([action, 200, id]);
  }
  await sandbox.settled();
  const changes = sandbox.received.map(({ json }) => `${json.previous_status} ${json.data.status}`);
  expect(changes.toSorted()).toEqual(["active frozen", "active terminated", "frozen active"]);
});

test("an expired card cannot be terminated, even if terminating twice succeeds", async () => {
  const sandbox = openCards({ choices: { "cards.terminate_repeated": "succeeds" } });
  const { id } = await sandbox.card();
  await sandbox.set("expire", id);
  expect(shown(await sandbox.set("terminate", id))).toBe("409 cards.state_conflict");
});

test("a response without a body uses no scenario that hides the spending", async () => {
  const sandbox = openCards({ choices: { "cards.action_body": "none" } });
  const { id } = await sandbox.card({ spending_limit: { period: "daily", amount: "50" } });
  const headers = { "Sandbox-Scenario": "used-unreadable" };
  const frozen = await sandbox.set("freeze", id, { headers });
  expect([frozen.status, frozen.text, frozen.headers.get("Sandbox-Scenario")]).toEqual([204, "", null]);
});

test("the filter status shows terminated cards that the list hides", async () => {
  const sandbox = openCards({ choices: { "cards.terminated_listed": "hidden" } });
  const { id } = await sandbox.card();
  const { id: live } = await sandbox.card();
  await sandbox.set("terminate", id);
  const listed = async (query: string): Promise<string[]> =>
    (await sandbox.get(`/developer/cards${query}`)).json.data.map((card: { id: string }) => card.id);
  expect(await listed("")).toEqual([live]);
  expect(await listed("?status=terminated")).toEqual([id]);
  expect(await listed("?status=terminated,active")).toEqual([live, id]);
});

test("the replacement of a virtual card has the first status of virtual cards, and the years of new cards", async () => {
  const sandbox = openCards({
    choices: { "cards.virtual_first_status": "inactive", "cards.expiry_years": "3" },
  });
  const { json: old } = await sandbox.virtual();
  expect([old.status, old.expiry_date]).toEqual(["inactive", "2029-03-31"]);
  const { json } = await sandbox.call("POST", `/developer/cards/${old.id}/replace`, {
    body: { reason: "lost" },
    key: unknown,
  });
  expect([json.status, json.expiry_date]).toEqual(["inactive", "2029-03-31"]);
  expect((await sandbox.card()).status).toBe("active");
});

test("both cards of a replacement that keeps the token are found by it", async () => {
  const sandbox = openCards({ choices: { "replace.token": "kept" } });
  const old = await sandbox.card();
  const { json } = await sandbox.replace(old.id);
  const { data } = (await sandbox.get(`/developer/cards?tokens=${old.token}`)).json;
  expect(data.map((card: { id: string }) => card.id)).toEqual([json.id, old.id]);
});
