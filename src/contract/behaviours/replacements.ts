import { alternative, behaviour, changeOf } from "./behaviour.ts";

const replaced = "cards.replaced";

/** Replacements of cards (spec §2, §3, §4). */
export const replacementBehaviours = {
  "replace.status": behaviour({
    title: "Status of a replacement",
    spec: "§4",
    provenance: "assumed",
    points: [replaced],
    scope: "company",
    alternatives: [
      alternative("201", "201, as for an order", "a new card is created"),
      alternative("200", "200", "Stripe returns 200 for objects that it creates", {
        ...changeOf([replaced], { status: 200 }),
      }),
    ],
  }),
  "replace.token": behaviour({
    title: "Token of the new card of a replacement",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("new", "is new", "Stripe and Marqeta create another card"),
      alternative("kept", "is that of the old card", "Lithic renews a card under its token"),
    ],
  }),
  "replace.last_four": behaviour({
    title: "Number of the new card of a replacement",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative(
        "lost-or-stolen",
        "is new only for the reasons lost and stolen",
        "Stripe and Marqeta do so",
      ),
      alternative("always", "is always new", "Pismo cannot transfer a number to a new card"),
      alternative("never", "is that of the old card", "Lithic renews a card with its number"),
    ],
  }),
  "replace.old_card": behaviour({
    title: "A damaged or expiring card that is replaced",
    spec: "§3",
    provenance: "assumed",
    points: [replaced],
    scope: "company",
    alternatives: [
      alternative("terminated", "is terminated at once", "the new card is active at once (spec §3)"),
      alternative(
        "kept",
        "stays usable until it expires",
        "Checkout.com keeps the old card until it expires",
        {
          points: {
            [replaced]: {
              title: "Creates a new card, which is active immediately, and terminates a lost or stolen card",
            },
          },
          changesCards: ["status"],
        },
      ),
    ],
  }),
  "replace.held_cards": behaviour({
    title: "Replacing a lost or stolen card that is suspended, locked or blocked",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", replaced],
    scope: "company",
    unobservable: "only the operator of the service sets these statuses",
    alternatives: [
      alternative("409", "409", "only the operator changes these statuses"),
      alternative("allowed", "is allowed", "plausible: the old card ends anyway"),
    ],
  }),
  "replace.frozen_cards": behaviour({
    title: "Replacing a frozen card",
    spec: "§3",
    provenance: "assumed",
    points: ["cards.state_conflict", replaced],
    scope: "company",
    alternatives: [
      alternative("allowed", "is allowed", "a lost card is frozen first"),
      alternative("409", "409", "Checkout.com renews only active cards"),
    ],
  }),
  "replace.limit": behaviour({
    title: "Spending limit of the new card of a replacement",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("kept", "is that of the old card", "Checkout.com applies the controls to the new card"),
      alternative("none", "is absent", "plausible: a limit belongs to one card", {
        changesCards: ["spending_limit"],
      }),
    ],
  }),
  "replace.usage": behaviour({
    title: "Spending of the old card of a replacement",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "needs a payment with the card",
    alternatives: [
      alternative("carried", "counts against the limits of the new card", "a replacement gives no new limit"),
      alternative("dropped", "does not count for the new card", "plausible: spending belongs to a card"),
    ],
  }),
};
