import { cardResponse } from "./cards.ts";
import type { History } from "./history.ts";
import { heldMinor } from "./limits.ts";
import { isSpent } from "./scenarios.ts";
import { type Company, decimalOf, liveCards } from "./world.ts";

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

const listed = (company: Company) => ({
  id: company.id,
  slug: company.slug,
  status: company.status,
  details: company.detailsComplete,
  quota: company.quota,
  live: liveCards(company),
  accounts: company.accounts.map(({ id, status, balanceMinor }) => ({
    id,
    status,
    balance: decimalOf(balanceMinor),
  })),
  members: byId(
    company.members.map(({ id, role }) => ({
      id,
      role,
      keys: byId(company.keys.filter(({ memberId }) => memberId === id)).map(
        (key) => `${key.id} ${key.status}`,
      ),
    })),
  ),
});

/** Compares companies, quotas, members, keys and balances of the control API with the model. */
export function compareOutlines(history: History): void {
  const { sandbox, world } = history;
  const actual = sandbox.world().companies.map((company) => ({
    id: company.id,
    slug: company.slug,
    status: company.status,
    details: company.details_complete,
    quota: company.card_quota,
    live: company.live_cards,
    accounts: company.accounts.map(({ id, status, balance }) => ({ id, status, balance })),
    members: byId(
      company.members.map(({ id, role, api_keys }) => ({
        id,
        role,
        keys: byId(api_keys).map((key) => `${key.id} ${key.status}`),
      })),
    ),
  }));
  history.checkEqual("the world", byId(actual), byId(world.companies.map(listed)));
}

/** Compares also the cards, the used amounts of their limits, held amounts and armed scenarios. */
export function compareWorlds(history: History): void {
  const { sandbox, world } = history;
  compareOutlines(history);
  for (const company of world.companies) {
    const actual = new Map(sandbox.control.cards.list(company.id).map((card) => [card.id as string, card]));
    history.checkEqual("the number of cards", actual.size, company.cards.length);
    for (const card of company.cards) {
      history.checkFields("the card", { ...actual.get(card.id) }, cardResponse(history, company, card, true));
    }
    const now = sandbox.clock.read(company.id).now;
    history.checkEqual("the time of the company", now, new Date(history.nowMs(company)).toISOString());
  }
  // Only callers can read held amounts, so they are read from the database.
  const held = sandbox.database.all<{ id: string; minor: number }>(
    "SELECT id, held_minor AS minor FROM accounts",
  );
  history.checkEqual(
    "the held amounts",
    Object.fromEntries(held.map(({ id, minor }) => [id, minor])),
    Object.fromEntries(
      world.companies.flatMap((company) =>
        company.accounts.map((account) => [account.id, heldMinor(company, account)]),
      ),
    ),
  );
  const armed = sandbox.control.scenarios.armed().armed;
  history.checkEqual(
    "the armed scenarios",
    armed.map(({ id, steps_taken, fired, spent }) => ({ id, taken: steps_taken, fired, spent })),
    world.armed.map((each) => ({ id: each.id, taken: each.taken, fired: each.fired, spent: isSpent(each) })),
  );
}
