import { shown } from "./cards.ts";
import type { History } from "./history.ts";
import { isSpent } from "./scenarios.ts";
import { heldMinor } from "./spending.ts";
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

/** The world as the sandbox's own API tells it is the model's: companies, quotas, members, keys, balances. */
export function agreesInOutline(history: History): void {
  const { sandbox, world } = history;
  const told = sandbox.world().companies.map((company) => ({
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
  history.same("the world", byId(told), byId(world.companies.map(listed)));
}

/** The same, with every card and what is used of its limits, and with what is armed. */
export function agrees(history: History): void {
  const { sandbox, world } = history;
  agreesInOutline(history);
  for (const company of world.companies) {
    const told = new Map(sandbox.control.cards.list(company.id).map((card) => [card.id as string, card]));
    history.same("the number of cards", told.size, company.cards.length);
    for (const card of company.cards) {
      history.has("the card", { ...told.get(card.id) }, shown(history, company, card, true));
    }
    const now = sandbox.clock.read(company.id).now;
    history.same("the company's time", now, new Date(history.nowMs(company)).toISOString());
  }
  // Callers alone are told what is held of an account: the store says it without one.
  const held = sandbox.database.all<{ id: string; minor: number }>(
    "SELECT id, held_minor AS minor FROM accounts",
  );
  history.same(
    "what is held",
    Object.fromEntries(held.map(({ id, minor }) => [id, minor])),
    Object.fromEntries(
      world.companies.flatMap((company) =>
        company.accounts.map((account) => [account.id, heldMinor(company, account)]),
      ),
    ),
  );
  const armed = sandbox.control.scenarios.armed().armed;
  history.same(
    "what is armed",
    armed.map(({ id, steps_taken, fired, spent }) => ({ id, taken: steps_taken, fired, spent })),
    world.armed.map((each) => ({ id: each.id, taken: each.taken, fired: each.fired, spent: isSpent(each) })),
  );
}
