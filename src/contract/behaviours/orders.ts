import { alternative, behaviour } from "./behaviour.ts";

/** Idempotency keys, and orders of cards (spec §4). */
export const orderBehaviours = {
  "replay.status": behaviour({
    title: "Status of a replayed request",
    spec: "§4",
    provenance: "assumed",
    points: ["order.replayed", "order.replayed_with_other_body", "cards.replayed"],
    scope: "company",
    alternatives: [
      alternative("201", "201, as for the first request", "Stripe and Adyen return the stored response"),
      alternative(
        "200",
        "200, because nothing was created",
        "PayPal returns 200 for a repeated PayPal-Request-Id",
        {
          points: {
            "order.replayed": { status: 200 },
            "order.replayed_with_other_body": { status: 200 },
            "cards.replayed": { status: 200 },
          },
        },
      ),
    ],
  }),
};
