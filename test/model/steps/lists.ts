import fc from "fast-check";
import { callers, known } from "../caller.ts";
import { shown as shownCard } from "../cards.ts";
import { cardChoices, cardChosen } from "../choices.ts";
import type { History } from "../history.ts";
import { steps, type ValuesOf } from "../step.ts";
import { gateChecks, isSeen, judge, type Permission, reach } from "../verdict.ts";
import { shownAccount, shown as shownTransaction } from "./money.ts";

/** Each list: who sees it, and what stands in it, the newest first. */
const lists = {
  cards: { needs: "viewCards", point: "cards.listed" },
  transactions: { needs: "viewMoney", point: "transactions.listed" },
  accounts: { needs: "viewAccounts", point: "accounts.listed" },
} as const satisfies Record<string, { needs: Permission; point: string }>;

const list = {
  of: fc.constantFrom(...(Object.keys(lists) as (keyof typeof lists)[])),
  caller: callers,
  limit: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom(undefined, undefined, "active", "terminated,expired", "frozen"),
};
type List = ValuesOf<typeof list>;

async function readList(history: History, { of, caller: choice, limit, status }: List): Promise<void> {
  const { headers, caller, refused } = await known(history, choice, of === "cards" ? "cards" : "others");
  const { needs, point } = lists[of];
  const filter = of === "cards" && status ? `&status=${status}` : "";
  const path = `/developer/${of}?limit=${limit}${filter}`;
  const verdict = caller && judge(gateChecks(caller, needs, "access.forbidden"), undefined, of);
  const stop = caller ? verdict?.point : refused;
  if (stop) {
    return history.refuses({ point: stop }, "GET", path, { headers });
  }
  if (!caller) throw new Error("nobody reads a list");
  const { company, member } = caller;
  const isOwn = reach(caller, needs) === "own";
  const expected = {
    cards: () =>
      company.cards
        .filter(({ memberId }) => !isOwn || memberId === member.id)
        .filter((card) => !status || status.split(",").includes(card.status))
        .map((card) => shownCard(history, company, card, true))
        .toReversed(),
    transactions: () =>
      company.transactions
        .filter(({ card }) => !isOwn || card?.memberId === member.id)
        .map(shownTransaction)
        .toReversed(),
    accounts: () => company.accounts.map((account) => shownAccount(company, account)),
  }[of]();
  const met: Record<string, unknown>[] = [];
  for (let cursor = ""; ; ) {
    const { json } = await history.meet({ status: 200, point }, "GET", path + cursor, { headers });
    history.same("whether more follows", json.has_more, met.length + json.data.length < expected.length);
    met.push(...json.data);
    if (!json.has_more) break;
    cursor = `&cursor=${json.next_cursor}`;
  }
  history.same("the number listed", met.length, expected.length);
  const byId = new Map(met.map((row) => [row.id, row]));
  if (of === "accounts") {
    for (const row of expected) history.has("the account", byId.get(row.id) ?? {}, row);
  } else {
    for (const [i, row] of expected.entries()) history.has(`row ${i}`, met[i] ?? {}, row);
  }
}

const card = { caller: callers, card: cardChoices };

async function showCard(history: History, asked: ValuesOf<typeof card>): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller, "cards");
  const card = cardChosen(history, caller?.company, asked.card);
  if (!card) return;
  const path = `/developer/cards/${card.id}`;
  if (!caller) return history.refuses({ point: refused ?? "" }, "GET", path, { headers });
  if (!isSeen(caller, card)) return history.refuses({ point: "cards.not_found" }, "GET", path, { headers });
  const body = shownCard(history, caller.company, card);
  await history.meet({ status: 200, point: "cards.shown", body }, "GET", path, { headers });
}

export const listSteps = steps("read a list to its end", list, readList);
export const showSteps = steps("show a card", card, showCard);
