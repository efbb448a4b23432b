import fc from "fast-check";
import { authenticate, authentications } from "../authentication.ts";
import { cardResponse } from "../cards.ts";
import { canSee, gateChecks, judge, type Permission, reachOf } from "../checks.ts";
import { cardChoices, cardChosen } from "../choices.ts";
import type { History } from "../history.ts";
import { steps, type ValuesOf } from "../step.ts";
import { accountResponse, transactionResponse } from "./money.ts";

/** All lists; cards and transactions have the newest first. */
const lists = {
  cards: { needs: "viewCards", point: "cards.listed" },
  transactions: { needs: "viewMoney", point: "transactions.listed" },
  accounts: { needs: "viewAccounts", point: "accounts.listed" },
} as const satisfies Record<string, { needs: Permission; point: string }>;

const list = {
  of: fc.constantFrom(...(Object.keys(lists) as (keyof typeof lists)[])),
  caller: authentications,
  limit: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom(undefined, undefined, "active", "terminated,expired", "frozen"),
};
type List = ValuesOf<typeof list>;

async function readList(history: History, { of, caller: choice, limit, status }: List): Promise<void> {
  const { headers, caller, refused } = await authenticate(
    history,
    choice,
    of === "cards" ? "cards" : "others",
  );
  const { needs, point } = lists[of];
  const filter = of === "cards" && status ? `&status=${status}` : "";
  const path = `/developer/${of}?limit=${limit}${filter}`;
  const verdict = caller && judge(gateChecks(caller, needs, "access.forbidden"), undefined, of);
  const stop = caller ? verdict?.point : refused;
  if (stop) {
    return history.expectRefusal({ point: stop }, "GET", path, { headers });
  }
  if (!caller) throw new Error("a list was read without a caller");
  const { company, member } = caller;
  const isOwn = reachOf(caller, needs) === "own";
  const expected = {
    cards: () =>
      company.cards
        .filter(({ memberId }) => !isOwn || memberId === member.id)
        .filter((card) => !status || status.split(",").includes(card.status))
        .map((card) => cardResponse(history, company, card, true))
        .toReversed(),
    transactions: () =>
      company.transactions
        .filter(({ card }) => !isOwn || card?.memberId === member.id)
        .map(transactionResponse)
        .toReversed(),
    accounts: () => company.accounts.map((account) => accountResponse(company, account)),
  }[of]();
  const rows: Record<string, unknown>[] = [];
  for (let cursor = ""; ; ) {
    const { json } = await history.expectReply({ status: 200, point }, "GET", path + cursor, { headers });
    history.checkEqual(
      "whether more follows",
      json.has_more,
      rows.length + json.data.length < expected.length,
    );
    rows.push(...json.data);
    if (!json.has_more) break;
    cursor = `&cursor=${json.next_cursor}`;
  }
  history.checkEqual("the number listed", rows.length, expected.length);
  const byId = new Map(rows.map((row) => [row.id, row]));
  if (of === "accounts") {
    for (const row of expected) history.checkFields("the account", byId.get(row.id) ?? {}, row);
  } else {
    for (const [i, row] of expected.entries()) history.checkFields(`row ${i}`, rows[i] ?? {}, row);
  }
}

const card = { caller: authentications, card: cardChoices };

async function showCard(history: History, values: ValuesOf<typeof card>): Promise<void> {
  const { headers, caller, refused } = await authenticate(history, values.caller, "cards");
  const card = cardChosen(history, caller?.company, values.card);
  if (!card) return;
  const path = `/developer/cards/${card.id}`;
  if (!caller) return history.expectRefusal({ point: refused ?? "" }, "GET", path, { headers });
  if (!canSee(caller, card))
    return history.expectRefusal({ point: "cards.not_found" }, "GET", path, { headers });
  const body = cardResponse(history, caller.company, card);
  await history.expectReply({ status: 200, point: "cards.shown", body }, "GET", path, { headers });
}

export const listSteps = steps("read a list to its end", list, readList);
export const showSteps = steps("show a card", card, showCard);
