import { CannotProbe, type ProbeReply, type Target } from "./probe.ts";
import { isSuccess, objectIn, rowsIn } from "./replies.ts";

/**
 * Control requests. Most operations that probes use are assumed, so a target may lack them, or answer anything there: a
 * probe names an alternative only after a control has shown that the operation works. Otherwise each throws CannotProbe.
 */

// biome-ignore lint/suspicious/noExplicitAny: a card of any service
export type AnyCard = any;

/** The response to a path that no service has, which must be an error. */
export const unknownPath = (target: Target): Promise<ProbeReply> =>
  target.control("unknown path", async () => {
    const reply = await target.send({ method: "GET", path: `/developer/${target.uuid()}` });
    if (isSuccess(reply)) throw new CannotProbe("the target accepts any path");
    return reply;
  });

/** The response with a list that has rows with an id. */
export async function listAt(target: Target, path: string): Promise<ProbeReply> {
  await unknownPath(target);
  return target.control(`GET ${path}`, async () => {
    const reply = await target.send({ method: "GET", path });
    if (isSuccess(reply) && rowsIn(reply.json).some(({ id }) => typeof id === "string")) return reply;
    throw new CannotProbe(`GET ${path} returned ${reply.status}, and no rows`);
  });
}

/** The target tells access tokens from other texts. */
export const checksTokens = (target: Target): Promise<ProbeReply> =>
  target.control("tokens", async () => {
    const get = (token?: string) => target.send({ method: "GET", path: "/developer/cards", token });
    const refused = await get(target.uuid());
    if (refused.status !== 401) throw new CannotProbe(`a wrong access token returned ${refused.status}`);
    if ((await get()).status === 401) throw new CannotProbe("the access token is refused");
    return refused;
  });

/** An access token of an employee with which cards can be read. */
export const workingEmployee = (target: Target): Promise<string> =>
  target.control("employee", async () => {
    await unknownPath(target);
    const token = await target.employeeToken();
    const { status } = await target.send({ method: "GET", path: "/developer/cards", token });
    if (isSuccess({ status })) return token;
    throw new CannotProbe(`the employee cannot list cards: status ${status}`);
  });

/** The response to the shared order sent again, which has the same card. */
export async function replayed(target: Target): Promise<ProbeReply> {
  const { request, card } = await target.sharedOrder();
  const reply = await target.send(request);
  if (isSuccess(reply) && objectIn(reply.json)?.id === card.id) return reply;
  throw new CannotProbe(`an order sent again returned ${reply.status}, and not its card`);
}

export function cardPath(card: AnyCard): string {
  return `/developer/cards/${card.id}`;
}

/** The card as it is now. */
export async function shownCard(target: Target, card: AnyCard): Promise<AnyCard> {
  await unknownPath(target);
  const reply = await target.send({ method: "GET", path: cardPath(card) });
  const shown = objectIn(reply.json);
  if (isSuccess(reply) && shown?.id === card.id) return shown;
  throw new CannotProbe(`GET /developer/cards/{id} returned ${reply.status}, and not the card`);
}

const statusAfter = { freeze: "frozen", unfreeze: "active", terminate: "terminated" } as const;

/** The response to a change, after which the card has the new status. */
export async function changed(
  target: Target,
  card: AnyCard,
  change: keyof typeof statusAfter,
): Promise<ProbeReply> {
  const reply = await post(target, `${cardPath(card)}/${change}`);
  const path = `POST /developer/cards/{id}/${change}`;
  if (!isSuccess(reply)) throw new CannotProbe(`${path} returned ${reply.status}`);
  if ((await shownCard(target, card)).status === statusAfter[change]) return reply;
  throw new CannotProbe(`${path} does not change the card`);
}

/** A card that was terminated, and the response to that. */
export const terminated = (target: Target): Promise<{ readonly card: AnyCard; readonly reply: ProbeReply }> =>
  target.control("terminate", async () => {
    const card = await target.newCard();
    return { card, reply: await changed(target, card, "terminate") };
  });

/** Looks at the shared card while it is frozen. */
export async function whileFrozen<Result>(
  target: Target,
  look: (card: AnyCard, frozen: ProbeReply) => Promise<Result>,
): Promise<Result> {
  const { card } = await target.sharedOrder();
  const frozen = await changed(target, card, "freeze");
  try {
    return await look(card, frozen);
  } finally {
    await changed(target, card, "unfreeze");
  }
}

/** The response to a new spending limit, which the card then has. No cap applies to a lifetime limit (spec §2). */
export async function limited(target: Target, card: AnyCard): Promise<ProbeReply> {
  const reply = await setLimit(target, card);
  if (!isSuccess(reply)) throw new CannotProbe(`a spending limit could not be set: status ${reply.status}`);
  if ((await shownCard(target, card)).spending_limit) return reply;
  throw new CannotProbe("a spending limit is not set");
}

/** The response to the removal of a spending limit, which the card then lacks. */
export async function unlimited(target: Target, card: AnyCard): Promise<ProbeReply> {
  const reply = await target.send({ method: "DELETE", path: `${cardPath(card)}/spending-limit` });
  if (isSuccess(reply) && !(await shownCard(target, card)).spending_limit) return reply;
  throw new CannotProbe(`a spending limit could not be removed: status ${reply.status}`);
}

/** Changes of spending limits work. */
export const limits = (target: Target): Promise<void> =>
  target.control("limits", async () => {
    const { card } = await target.sharedOrder();
    await limited(target, card);
    await unlimited(target, card);
  });

export function setLimit(target: Target, card: AnyCard, period = "lifetime"): Promise<ProbeReply> {
  const body = { period, amount: "100.00" };
  return target.send({ method: "PUT", path: `${cardPath(card)}/spending-limit`, body });
}

/** Sends a POST with a new idempotency key, which operations without one ignore. */
export function post(target: Target, path: string, body?: unknown): Promise<ProbeReply> {
  return target.send({ method: "POST", path, headers: { "Idempotency-Key": target.uuid() }, body });
}
