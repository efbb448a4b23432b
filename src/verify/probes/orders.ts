import { probe } from "../probe.ts";

/** Idempotency keys, and orders of cards. */
export const orderProbes = [
  probe("replay.status", "write", async (target) => {
    const order = {
      method: "POST",
      path: "/developer/cards/physical",
      headers: { "Idempotency-Key": target.uuid() },
      body: await target.order(),
    };
    await target.send(order);
    const { status } = await target.send(order);
    if (status === 200) return "200";
    return status === 201 ? "201" : { unexplained: `status ${status}` };
  }),
];
