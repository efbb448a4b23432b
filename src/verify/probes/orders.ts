import { replayed, unknownPath, whileFrozen } from "../controls.ts";
import { CannotProbe, type ProbeRequest, probe } from "../probe.ts";
import { byStatus, idIn, isSuccess, messageIn, objectIn } from "../replies.ts";

/** The request with other fields in its body. */
const withBody = (request: ProbeRequest, fields: object): ProbeRequest => ({
  ...request,
  body: { ...(request.body as object), ...fields },
});

const withKey = (request: ProbeRequest, key: string): ProbeRequest => ({
  ...request,
  headers: { ...request.headers, "Idempotency-Key": key },
});

/** A valid order that differs from that of the request. */
const otherOrder = (request: ProbeRequest): ProbeRequest => {
  const { delivery_address } = request.body as { delivery_address: object };
  return withBody(request, { delivery_address: { ...delivery_address, line1: "2 High Street" } });
};

const invalidOrder = (request: ProbeRequest): ProbeRequest => withBody(request, { pin: "12" });

/** Idempotency keys, and orders of cards. */
export const orderProbes = [
  probe("replay.status", "write", async (target) => {
    return byStatus(await replayed(target), "200", "201");
  }),

  probe("replay.body", "write", (target) =>
    whileFrozen(target, async () => {
      const { json } = await replayed(target);
      const { status } = objectIn(json);
      if (status === "frozen") return "current";
      return status === "active" ? "stored" : { unexplained: "another status of the card" };
    }),
  ),

  probe("replay.header", "write", async (target) => {
    const { headers } = await replayed(target);
    if (headers.has("Idempotent-Replayed")) return "idempotent-replayed";
    return headers.has("X-Idempotency-Replayed") ? "x-idempotency-replayed" : "none";
  }),

  probe("replay.validation", "write", async (target) => {
    const { request } = await target.sharedOrder();
    await replayed(target);
    const used = await target.send(invalidOrder(request));
    const fresh = await target.send(withKey(invalidOrder(request), target.uuid()));
    if (isSuccess(fresh)) throw new CannotProbe("an invalid PIN is accepted");
    if (used.status !== fresh.status) return "before";
    // A used key with another body may be refused with the same status.
    const other = await target.send(otherOrder(request));
    const isAsFresh = messageIn(used.json) === messageIn(fresh.json);
    return used.status !== other.status || isAsFresh ? "after" : "before";
  }),

  probe("order.key_reused", "write", async (target) => {
    const { request, card } = await target.sharedOrder();
    await replayed(target);
    const reply = await target.send(otherOrder(request));
    if (isSuccess(reply) && idIn(reply.json) === card.id) return "original";
    return byStatus(reply, "409", "422", "400");
  }),

  probe("key.stored_refusals", "write", async (target) => {
    const { request } = await target.sharedOrder();
    const order = withKey(request, target.uuid());
    const refused = await target.send(withBody(order, { account_id: target.uuid() }));
    if (isSuccess(refused)) return { unexplained: "an unknown account_id is accepted" };
    if (isSuccess(await target.send(order))) return "none";
    await target.newCard();
    return "4xx";
  }),

  probe("key.operations", "write", async (target) => {
    const { request, card } = await target.sharedOrder();
    await unknownPath(target);
    const virtual = {
      ...request,
      path: "/developer/cards/virtual",
      body: { account_id: await target.accountId() },
    };
    const reply = await target.send(virtual);
    const id = idIn(reply.json);
    if (isSuccess(reply) && id !== undefined) return id === card.id ? "shared" : "separate";
    const fresh = await target.send(withKey(virtual, target.uuid()));
    if (!isSuccess(reply) && isSuccess(fresh) && idIn(fresh.json) !== undefined) return "shared";
    throw new CannotProbe(`a virtual card could not be ordered: status ${fresh.status}`);
  }),

  probe("key.format", "write", async (target) => {
    const { request } = await target.sharedOrder();
    await replayed(target);
    const key = request.headers?.["Idempotency-Key"];
    return isSuccess(await target.send(withKey(request, `"${key}"`))) ? "quoted" : "unquoted";
  }),
];
