import fc from "fast-check";
import type { History } from "../history.ts";
import { anyOf, pick, pickFitting, seldom, steps } from "../step.ts";
import { addCompany, type Card, liveCards, nameOf, type Role, type Status } from "../world.ts";

const held: readonly Status[] = ["suspended", "locked", "blocked"];
/** The operator's actions on cards, with their states. */
const actions = {
  suspend: { from: ["active", "frozen"], to: "suspended" },
  lock: { from: ["active", "frozen"], to: "locked" },
  block: { from: ["active", "frozen"], to: "blocked" },
  activate: { from: ["inactive"], to: "active" },
  lift: { from: held, to: undefined },
} as const satisfies Record<string, { from: readonly Status[]; to: Status | undefined }>;
type Action = keyof typeof actions | "terminate" | "expire";

/** The state after an action; undefined if the action is refused. */
function after(action: Action, status: Status, heldFrom: Status): Status | undefined {
  if (action === "terminate" || action === "expire") {
    const isOver = status === "expired" || status === "terminated";
    return isOver ? undefined : action === "expire" ? "expired" : "terminated";
  }
  const { from, to } = actions[action];
  return (from as readonly Status[]).includes(status) ? (to ?? heldFrom) : undefined;
}

const everyCard = ({ world }: History) => world.companies.flatMap(({ cards }) => cards);

async function operate(
  history: History,
  { card: n, action }: { card: number; action: Action },
): Promise<void> {
  const canDo = ({ status, heldFrom }: Card) => after(action, status, heldFrom) !== undefined;
  const card = pickFitting(everyCard(history), n, canDo);
  if (card) await act(history, card, action);
}

/** Holds a card, preferably a frozen one, and lifts the hold, which must restore its state. */
async function holdAndLift(
  history: History,
  { card: n, action }: { card: number; action: Action },
): Promise<void> {
  const card = pickFitting(everyCard(history), n, ({ status }) => status === "frozen");
  if (!card) return;
  await act(history, card, action);
  await act(history, card, "lift");
}

async function act(history: History, card: Card, action: Action): Promise<void> {
  const path = `/_sandbox/cards/${card.id}/${action === "expire" ? "expire" : "operator"}`;
  const sent = action === "expire" ? {} : { body: { action } };
  const to = after(action, card.status, card.heldFrom);
  if (!to) {
    await history.expectReply({ status: 409 }, "POST", path, sent);
    return;
  }
  if (held.includes(to)) card.heldFrom = card.status;
  card.status = to;
  await history.expectReply({ status: 200, body: { id: card.id, status: to } }, "POST", path, sent);
}

const change = {
  company: fc.nat(3),
  status: seldom(fc.constantFrom("active", "active", "suspended"), 3),
  quota: fc.option(fc.nat(4), { nil: undefined }),
  details: seldom(fc.boolean(), 4),
};

async function changeCompany(
  history: History,
  values: {
    company: number;
    status: string | undefined;
    quota: number | undefined;
    details: boolean | undefined;
  },
): Promise<void> {
  const company = pick(history.world.companies, values.company);
  if (!company) return;
  company.status = values.status ?? company.status;
  company.quota = values.quota ?? company.quota;
  company.detailsComplete = values.details ?? company.detailsComplete;
  const body = {
    ...(values.status && { status: values.status }),
    ...(values.quota !== undefined && { card_quota: values.quota }),
    ...(values.details !== undefined && { details_complete: values.details }),
  };
  const expected = { card_quota: company.quota, live_cards: liveCards(company), status: company.status };
  await history.expectReply(
    { status: 200, body: expected },
    "PATCH",
    `/_sandbox/companies/${nameOf(company)}`,
    {
      body,
    },
  );
}

async function changeAccount(history: History, values: { account: number; status: string }): Promise<void> {
  const account = pick(
    history.world.companies.flatMap(({ accounts }) => accounts),
    values.account,
  );
  if (!account) return;
  account.status = values.status;
  const { status } = values;
  await history.expectReply({ status: 200, body: { status } }, "PATCH", `/_sandbox/accounts/${account.id}`, {
    body: { status },
  });
}

async function changeRole(
  history: History,
  values: { company: number; member: number; role: Role },
): Promise<void> {
  const company = pick(history.world.companies, values.company);
  const member = company && pick(company.members, values.member);
  if (!company || !member) return;
  const { role } = values;
  member.role = role;
  const body = { role, company: nameOf(company) };
  await history.expectReply({ status: 200, body: { role } }, "PATCH", `/_sandbox/members/${member.id}`, {
    body,
  });
}

async function createCompany(history: History, { quota }: { quota: number }): Promise<void> {
  const accounts = [{ currency: "EUR", balance: "500.00" }];
  const expected = { status: 201, body: { status: "active", card_quota: quota, live_cards: 0 } };
  const body = { card_quota: quota, accounts };
  const { json } = await history.expectReply(expected, "POST", "/_sandbox/companies", { body });
  const taken = history.world.companies.some(({ id, slug }) => id === json.id || slug === json.slug);
  history.checkEqual("whether its id or slug is taken", taken, false);
  addCompany(history.world, json);
}

/** Deletes a company with its members, keys and tokens; refused while its members have cards in other companies. */
async function deleteCompany(history: History, values: { company: number }): Promise<void> {
  const { world } = history;
  const company = pick(world.companies, values.company);
  if (!company || world.companies.length < 3) return;
  const gone = new Set(company.members.filter(({ homeId }) => homeId === company.id).map(({ id }) => id));
  const others = world.companies.filter((each) => each !== company);
  const hasCardsElsewhere = others.some(({ cards }) => cards.some(({ memberId }) => gone.has(memberId)));
  const status = hasCardsElsewhere ? 409 : 204;
  await history.expectReply({ status }, "DELETE", `/_sandbox/companies/${nameOf(company)}`);
  if (hasCardsElsewhere) return;
  world.companies = others;
  for (const other of others) {
    other.members = other.members.filter(({ id }) => !gone.has(id));
    other.keys = other.keys.filter(({ memberId }) => !gone.has(memberId));
  }
  world.tokens = world.tokens.filter(
    ({ companyId, memberId }) => companyId !== company.id && !gone.has(memberId),
  );
  world.armed = world.armed.filter(({ companyId }) => companyId !== company.id);
}

const holds = fc.constantFrom<Action[]>("suspend", "lock", "block");
const anyAction = fc.oneof(
  holds,
  fc.constantFrom<Action[]>("expire", "expire", "expire", "lift", "terminate", "activate"),
);
export const operateSteps = steps("act as the operator", { card: anyOf, action: anyAction }, operate);
export const holdAndLiftSteps = steps("hold and lift", { card: anyOf, action: holds }, holdAndLift);
export const companySteps = steps("change a company", change, changeCompany);
export const accountSteps = steps(
  "change an account",
  { account: anyOf, status: fc.constantFrom("active", "closed") },
  changeAccount,
);
export const roleSteps = steps(
  "change a role",
  {
    company: fc.nat(3),
    member: fc.nat(4),
    role: fc.constantFrom<Role[]>("owner", "admin", "accountant", "employee"),
  },
  changeRole,
);
export const createCompanySteps = steps("make a company", { quota: fc.nat(2) }, createCompany);
export const deleteCompanySteps = steps("delete a company", { company: anyOf }, deleteCompany);
