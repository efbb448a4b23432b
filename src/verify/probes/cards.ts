import type { ReplacementReason } from "../../contract/card-requests.ts";
import { CannotProbe, type ProbeReply, probe, type Target } from "../probe.ts";
import { byStatus, isSuccess, listRows, objectIn, unexplained } from "../replies.ts";

/** Changes of cards, replacements, and the roles that may make them. */
export const cardProbes = [
  probe("cards.of_colleague", "write", async (target) => {
    const { card } = await target.sharedOrder();
    const token = await target.employeeToken();
    return byStatus(await target.send({ method: "GET", path: pathOf(card), token }), "404", "403");
  }),

  probe("cards.freeze_repeated", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await post(target, `${pathOf(card)}/freeze`);
    const reply = await post(target, `${pathOf(card)}/freeze`);
    await post(target, `${pathOf(card)}/unfreeze`);
    return succeedsOr409(reply);
  }),

  probe("cards.unfreeze_repeated", "write", async (target) => {
    const { card } = await target.sharedOrder();
    return succeedsOr409(await post(target, `${pathOf(card)}/unfreeze`));
  }),

  probe("cards.terminate_repeated", "write", async (target) => {
    const card = await target.newCard();
    await post(target, `${pathOf(card)}/terminate`);
    return succeedsOr409(await post(target, `${pathOf(card)}/terminate`));
  }),

  probe("cards.frozen_changes", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await post(target, `${pathOf(card)}/freeze`);
    const reply = await setLimit(target, card);
    await post(target, `${pathOf(card)}/unfreeze`);
    if (!isSuccess(reply)) return byStatus(reply, "409");
    await removeLimit(target, card);
    return "allowed";
  }),

  probe("cards.action_body", "write", async (target) => {
    const { card } = await target.sharedOrder();
    const reply = await post(target, `${pathOf(card)}/freeze`);
    await post(target, `${pathOf(card)}/unfreeze`);
    if (reply.status === 204) return "none";
    return isSuccess(reply) ? "card" : unexplained(reply);
  }),

  probe("cards.terminate_status", "write", async (target) => {
    const card = await target.newCard();
    return byStatus(await post(target, `${pathOf(card)}/terminate`), "200", "204");
  }),

  probe("spending_limit.set_status", "write", async (target) => {
    const { card } = await target.sharedOrder();
    const reply = await setLimit(target, card);
    await removeLimit(target, card);
    return byStatus(reply, "200", "204");
  }),

  probe("spending_limit.remove_status", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await setLimit(target, card);
    return byStatus(await removeLimit(target, card), "200", "204");
  }),

  probe("cards.terminated_listed", "write", async (target) => {
    const card = await target.newCard();
    const isListed = async () =>
      (await listRows(target, `/developer/cards?tokens=${card.token}`)).some(({ id }) => id === card.id);
    if (!(await isListed())) return { unexplained: "the list lacks an active card" };
    const reply = await post(target, `${pathOf(card)}/terminate`);
    if (!isSuccess(reply)) return unexplained(reply);
    return (await isListed()) ? "listed" : "hidden";
  }),

  probe("cards.expiry_years", "write", async (target) => {
    const { created_at, expiry_date } = (await target.sharedOrder()).card;
    const years = Number.parseInt(expiry_date, 10) - Number.parseInt(created_at, 10);
    const alternatives = ["5", "3", "4"] as const;
    return alternatives.find((each) => Number(each) === years) ?? { unexplained: "another number of years" };
  }),

  probe("cards.virtual_first_status", "write", async (target) => {
    const body = { account_id: await target.accountId() };
    const reply = await post(target, "/developer/cards/virtual", body);
    if (!isSuccess(reply)) return unexplained(reply);
    return statusOf(reply, ["active", "inactive"]);
  }),

  // The permission is checked first, so the card need not exist.
  probe("roles.employee_freezes", "write", async (target) => {
    const token = await target.employeeToken();
    const path = `/developer/cards/${target.uuid()}/freeze`;
    const reply = await target.send({ method: "POST", path, token });
    return reply.status === 404 ? "allowed" : byStatus(reply, "403");
  }),

  probe("replace.status", "write", (target) =>
    replacing(target, "lost", ({ reply }) => byStatus(reply, "201", "200")),
  ),

  probe("replace.token", "write", (target) =>
    replacing(target, "lost", ({ old, card }) => (card.token === old.token ? "kept" : "new")),
  ),

  probe("replace.last_four", "write", async (target) => {
    if (!(await isRenumbered(target, "lost"))) return "never";
    return (await isRenumbered(target, "damaged")) ? "always" : "lost-or-stolen";
  }),

  probe("replace.old_card", "write", (target) =>
    replacing(target, "damaged", async ({ old }) => {
      const status = statusOf(await target.send({ method: "GET", path: pathOf(old) }), [
        "terminated",
        "active",
      ]);
      return status === "active" ? "kept" : status;
    }),
  ),

  probe("replace.frozen_cards", "write", async (target) => {
    const old = await target.newCard();
    await post(target, `${pathOf(old)}/freeze`);
    const reply = await sendReplacement(target, old, "lost");
    return isSuccess(reply) ? "allowed" : byStatus(reply, "409");
  }),

  probe("replace.limit", "write", (target) =>
    replacing(target, "lost", ({ card }) => (card.spending_limit ? "kept" : "none"), setLimit),
  ),
];

// biome-ignore lint/suspicious/noExplicitAny: a card of any service
type AnyCard = any;

function succeedsOr409(reply: ProbeReply) {
  return isSuccess(reply) ? "succeeds" : byStatus(reply, "409");
}

/** The status of the card in a response. */
function statusOf<const Status extends string>(
  { json }: ProbeReply,
  expected: readonly Status[],
): Status | ReturnType<typeof unexplained> {
  const status = objectIn(json)?.status;
  return expected.find((each) => each === status) ?? { unexplained: "another status of the card" };
}

function pathOf(card: AnyCard): string {
  return `/developer/cards/${card.id}`;
}

/** Sends a POST with a new idempotency key, which operations without one ignore. */
function post(target: Target, path: string, body?: unknown): Promise<ProbeReply> {
  return target.send({ method: "POST", path, headers: { "Idempotency-Key": target.uuid() }, body });
}

/** No cap applies to a lifetime limit (spec §2). */
function setLimit(target: Target, card: AnyCard): Promise<ProbeReply> {
  const body = { period: "lifetime", amount: "100.00" };
  return target.send({ method: "PUT", path: `${pathOf(card)}/spending-limit`, body });
}

function removeLimit(target: Target, card: AnyCard): Promise<ProbeReply> {
  return target.send({ method: "DELETE", path: `${pathOf(card)}/spending-limit` });
}

async function sendReplacement(target: Target, old: AnyCard, reason: ReplacementReason): Promise<ProbeReply> {
  const { pin, delivery_address, delivery_method } = await target.order();
  const body = { reason, pin, delivery_address, delivery_method };
  return post(target, `${pathOf(old)}/replace`, body);
}

interface Replaced {
  readonly old: AnyCard;
  readonly card: AnyCard;
  readonly reply: ProbeReply;
}

/**
 * Replaces a new card, and terminates both cards afterwards, so that they do not count against the quota.
 * @throws CannotProbe if the card cannot be prepared or replaced
 */
async function replacing<Result>(
  target: Target,
  reason: ReplacementReason,
  look: (replaced: Replaced) => Result | Promise<Result>,
  prepare?: (target: Target, old: AnyCard) => Promise<ProbeReply>,
): Promise<Result> {
  const old = await target.newCard();
  const prepared = await prepare?.(target, old);
  if (prepared && !isSuccess(prepared)) {
    throw new CannotProbe(`a card could not be changed: status ${prepared.status}`);
  }
  const reply = await sendReplacement(target, old, reason);
  const card = objectIn(reply.json);
  if (!isSuccess(reply) || typeof card?.id !== "string") {
    throw new CannotProbe(`a card could not be replaced: status ${reply.status}`);
  }
  const result = await look({ old, card, reply });
  for (const each of [old, card]) await post(target, `${pathOf(each)}/terminate`);
  return result;
}

/** Whether a replacement changes the last four digits. They can stay the same by chance, so it then looks twice. */
async function isRenumbered(target: Target, reason: ReplacementReason): Promise<boolean> {
  const look = () => replacing(target, reason, ({ old, card }) => old.last_four !== card.last_four);
  return (await look()) || look();
}
