import { alternative, behaviour } from "./behaviour.ts";

/**
 * The order of the checks (spec §5, §7). They come last: their moves apply to the rows as other behaviors have moved them.
 */
export const checkOrderBehaviours = {
  "quota.order": behaviour({
    title: "Card quota",
    spec: "§7",
    provenance: "assumed",
    points: ["order.quota_reached", "cards.quota_reached"],
    scope: "company",
    unobservable: "two reasons for 422 would have to apply at once",
    alternatives: [
      alternative(
        "last",
        "checked after all other reasons for 422",
        "plausible: it needs the cards to be counted",
      ),
      alternative("first", "checked before all other reasons for 422", "the specification lists it first", {
        moves: [{ rows: ["quota"], before: "company_active" }],
      }),
    ],
  }),
  "country.order": behaviour({
    title: "Undeliverable country of an order (422)",
    spec: "§7",
    provenance: "assumed",
    points: ["order.country_undeliverable"],
    scope: "company",
    alternatives: [
      alternative("after-account", "refused after an unknown account (404)", "the order of the statuses"),
      alternative(
        "before-account",
        "refused before an unknown account (404)",
        "plausible: the body alone decides it",
        {
          moves: [{ rows: ["country"], before: "account" }],
        },
      ),
    ],
  }),
  "card.order": behaviour({
    title: "Card in the path (404)",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.not_found"],
    scope: "company",
    alternatives: [
      alternative("after-body", "looked up after the body is validated (400)", "frameworks validate first"),
      alternative(
        "before-body",
        "looked up before the body is validated (400)",
        "plausible: controllers load the object of a path first",
        {
          moves: [{ rows: ["card"], before: "body" }],
        },
      ),
    ],
  }),
  "account.order": behaviour({
    title: "Account of an order, or the card to replace (404)",
    spec: "§4",
    provenance: "assumed",
    points: ["order.account_not_found", "cards.account_not_found"],
    scope: "company",
    alternatives: [
      alternative("after-rules", "looked up after all reasons for 400", "the order of the statuses"),
      alternative(
        "after-body",
        "looked up before the rules of the country and the caps (400)",
        "plausible: rules need it",
        {
          moves: [
            { rows: ["address", "delivery_method", "spending_limit_cap"], before: "no_change_in_progress" },
          ],
        },
      ),
      alternative(
        "before-body",
        "looked up before the other fields are validated (400)",
        "plausible: as for a path",
        {
          moves: [{ rows: ["account"], before: "body" }],
          conflicts: ["country.order=before-account"],
        },
      ),
    ],
  }),
  "permission.order": behaviour({
    title: "Permission of the member (403)",
    spec: "§5.6",
    provenance: "assumed",
    points: ["order.forbidden", "access.forbidden"],
    scope: "sandbox",
    alternatives: [
      alternative("before-body", "checked before the headers and the body (400)", "gateways authorize first"),
      alternative(
        "after-body",
        "checked after the headers and the body (400)",
        "plausible: services validate first",
        {
          moves: [{ rows: ["content_type", "idempotency_key", "key_unused", "body"], before: "permission" }],
          conflicts: ["account.order=before-body", "card.order=before-body", "replay.validation=after"],
        },
      ),
    ],
  }),
};
