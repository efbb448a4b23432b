import type { ReplacementReason } from "../../contract/card-requests.ts";
import {
  type AnyCard,
  cardPath,
  changed,
  limited,
  limits,
  post,
  setLimit,
  shownCard,
  terminated,
  unknownPath,
  unlimited,
  whileFrozen,
  workingEmployee,
} from "../controls.ts";
import { CannotProbe, type ProbeReply, probe, type Target } from "../probe.ts";
import { byStatus, idIn, isSuccess, listRows, objectIn, type unexplained } from "../replies.ts";

/** Changes of cards, replacements, and the roles that may make them. */
export const cardProbes = [
  probe("cards.of_colleague", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await shownCard(target, card);
    const token = await workingEmployee(target);
    return byStatus(await target.send({ method: "GET", path: cardPath(card), token }), "404", "403");
  }),

  probe("cards.freeze_repeated", "write", (target) =>
    whileFrozen(target, async (card) => succeedsOr409(await post(target, `${cardPath(card)}/freeze`))),
  ),

  probe("cards.unfreeze_repeated", "write", async (target) => {
    const card = await whileFrozen(target, async (frozen) => frozen);
    return succeedsOr409(await post(target, `${cardPath(card)}/unfreeze`));
  }),

  probe("cards.terminate_repeated", "write", async (target) => {
    const { card } = await terminated(target);
    return succeedsOr409(await post(target, `${cardPath(card)}/terminate`));
  }),

  probe("cards.frozen_changes", "write", async (target) => {
    await limits(target);
    return whileFrozen(target, async (card) => {
      const reply = await setLimit(target, card);
      if (!isSuccess(reply)) return byStatus(reply, "409");
      await unlimited(target, card);
      return "allowed";
    });
  }),

  probe("cards.action_body", "write", (target) =>
    whileFrozen(target, async (card, frozen) => {
      if (frozen.status === 204) return "none";
      return idIn(frozen.json) === card.id ? "card" : { unexplained: "a body without the card" };
    }),
  ),

  probe("cards.terminate_status", "write", async (target) =>
    byStatus((await terminated(target)).reply, "200", "204"),
  ),

  probe("spending_limit.set_status", "write", async (target) => {
    const { card } = await target.sharedOrder();
    const reply = await limited(target, card);
    await unlimited(target, card);
    return byStatus(reply, "200", "204");
  }),

  probe("spending_limit.remove_status", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await limited(target, card);
    return byStatus(await unlimited(target, card), "200", "204");
  }),

  probe("cards.terminated_listed", "write", async (target) => {
    await terminated(target);
    const card = await target.newCard();
    const isListed = async () =>
      (await listRows(target, `/developer/cards?tokens=${card.token}`)).some(({ id }) => id === card.id);
    if (!(await isListed())) throw new CannotProbe("the list of cards lacks an active card");
    await changed(target, card, "terminate");
    return (await isListed()) ? "listed" : "hidden";
  }),

  probe("cards.expiry_years", "write", async (target) => {
    const { created_at, expiry_date } = (await target.sharedOrder()).card;
    const years = Number.parseInt(expiry_date, 10) - Number.parseInt(created_at, 10);
    if (Number.isNaN(years)) throw new CannotProbe("the card has no created_at or no expiry_date");
    const alternatives = ["5", "3", "4"] as const;
    return alternatives.find((each) => Number(each) === years) ?? { unexplained: "another number of years" };
  }),

  probe("cards.virtual_first_status", "write", async (target) => {
    await target.sharedOrder();
    await unknownPath(target);
    const body = { account_id: await target.accountId() };
    const reply = await post(target, "/developer/cards/virtual", body);
    if (!isSuccess(reply) || idIn(reply.json) === undefined) {
      throw new CannotProbe(`a virtual card could not be ordered: status ${reply.status}`);
    }
    return statusOf(reply, ["active", "inactive"]);
  }),

  // The permission is checked first, so the card need not exist.
  probe("roles.employee_freezes", "write", async (target) => {
    const token = await workingEmployee(target);
    await whileFrozen(target, async () => {});
    const request = { method: "POST", path: `/developer/cards/${target.uuid()}/freeze` };
    const own = await target.send(request);
    if (own.status !== 404) throw new CannotProbe(`an unknown card returned ${own.status}`);
    const reply = await target.send({ ...request, token });
    return reply.status === 404 ? "allowed" : byStatus(reply, "403");
  }),

  probe("replace.status", "write", async (target) => byStatus((await replaced(target)).reply, "201", "200")),

  probe("replace.token", "write", async (target) => {
    const { old, card } = await replaced(target);
    return isSame("token", old, card) ? "kept" : "new";
  }),

  probe("replace.last_four", "write", async (target) => {
    const { old, card } = await replaced(target);
    if (isSame("last_four", old, card) && !(await isRenumbered(target, "lost"))) return "never";
    return (await isRenumbered(target, "damaged")) ? "always" : "lost-or-stolen";
  }),

  probe("replace.old_card", "write", async (target) => {
    await replaced(target);
    return replacing(target, "damaged", async ({ old }) => {
      const { status } = await shownCard(target, old);
      if (status === "active") return "kept";
      return status === "terminated" ? status : { unexplained: "another status of the card" };
    });
  }),

  probe("replace.frozen_cards", "write", async (target) => {
    await replaced(target);
    await whileFrozen(target, async () => {});
    const old = await target.newCard();
    await changed(target, old, "freeze");
    const reply = await sendReplacement(target, old, "lost");
    return isSuccess(reply) && idIn(reply.json) !== undefined ? "allowed" : byStatus(reply, "409");
  }),

  probe("replace.limit", "write", async (target) => {
    await replaced(target);
    await limits(target);
    return replacing(target, "lost", ({ card }) => (card.spending_limit ? "kept" : "none"), limited);
  }),
];

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

async function sendReplacement(target: Target, old: AnyCard, reason: ReplacementReason): Promise<ProbeReply> {
  const { pin, delivery_address, delivery_method } = await target.order();
  const body = { reason, pin, delivery_address, delivery_method };
  return post(target, `${cardPath(old)}/replace`, body);
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
  await unknownPath(target);
  const old = await target.newCard();
  await prepare?.(target, old);
  const reply = await sendReplacement(target, old, reason);
  const card = objectIn(reply.json);
  if (!isSuccess(reply) || typeof card?.id !== "string" || card.id === old.id) {
    throw new CannotProbe(`a card could not be replaced: status ${reply.status}`);
  }
  const result = await look({ old, card, reply });
  for (const each of [old, card]) await post(target, `${cardPath(each)}/terminate`);
  return result;
}

/** Whether both cards have the same text there. */
function isSame(member: "token" | "last_four", old: AnyCard, card: AnyCard): boolean {
  if ([old, card].every((each) => typeof each[member] === "string")) return old[member] === card[member];
  throw new CannotProbe(`cards have no ${member}`);
}

/** A card that was replaced as lost. */
const replaced = (target: Target): Promise<Replaced> =>
  target.control("replace", () => replacing(target, "lost", (each) => each));

/** Whether a replacement changes the last four digits. They can stay the same by chance, so it then looks twice. */
async function isRenumbered(target: Target, reason: ReplacementReason): Promise<boolean> {
  const look = () => replacing(target, reason, ({ old, card }) => !isSame("last_four", old, card));
  return (await look()) || look();
}
