import { alternative, behaviour, changeOf } from "./behaviour.ts";

const replays = ["order.replayed", "order.replayed_with_other_body", "cards.replayed"] as const;
const reused = ["order.key_reused", "cards.key_reused"] as const;
const inProgress = ["order.key_in_progress", "cards.key_in_progress"] as const;

/** A used key with another body is refused with this status. */
const refusesReuse = (status: number) => ({
  points: {
    ...changeOf(reused, { status }).points,
    "cards.replayed": {
      title: "Returns the original card when the key was already used for the same request",
    },
  },
  unreachable: ["order.replayed_with_other_body"] as const,
});

/** Idempotency keys, and orders of cards (spec §4). */
export const orderBehaviours = {
  "replay.status": behaviour({
    title: "Status of a replayed request",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    alternatives: [
      alternative("201", "201, as for the first request", "Stripe and Adyen return the stored response"),
      alternative(
        "200",
        "200, because nothing was created",
        "PayPal returns 200 for a repeated PayPal-Request-Id",
        changeOf(replays, { status: 200 }),
      ),
    ],
  }),
  "replay.body": behaviour({
    title: "Body of a replayed request",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    alternatives: [
      alternative("current", "the card as it is now", "Increase binds the key to the object that it created"),
      alternative("stored", "the card as it was created", "Stripe and Whop return the stored first response"),
    ],
  }),
  "replay.header": behaviour({
    title: "Header that marks a replayed request",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    alternatives: [
      alternative("idempotent-replayed", "Idempotent-Replayed: true", "Stripe, Increase and Whop send it"),
      alternative("none", "no header", "the specification lists none"),
      alternative("x-idempotency-replayed", "X-Idempotency-Replayed: true", "fiskaly sends it"),
    ],
  }),
  "replay.validation": behaviour({
    title: "A used key with an invalid body",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    alternatives: [
      alternative(
        "before",
        "the key is looked up first",
        "Qonto returns the result even if the body differs",
      ),
      alternative(
        "after",
        "the body is validated first: 400",
        "plausible: frameworks validate before the handler",
        {
          moves: [{ rows: ["body"], before: "key_unused" }],
        },
      ),
    ],
  }),
  "order.key_reused": behaviour({
    title: "A used key with another body",
    spec: "§4",
    provenance: "assumed",
    points: ["order.replayed_with_other_body", "cards.replayed", ...reused],
    scope: "company",
    alternatives: [
      alternative("original", "returns the original card", "Qonto does so even if the body differs", {
        unreachable: reused,
      }),
      alternative("409", "409", "Increase refuses it so", refusesReuse(409)),
      alternative("422", "422", "the IETF draft of Idempotency-Key recommends it", refusesReuse(422)),
      alternative("400", "400", "Whop refuses it so", refusesReuse(400)),
    ],
  }),
  "order.key_in_progress": behaviour({
    title: "A key whose first request is in progress",
    spec: "§4",
    provenance: "assumed",
    points: inProgress,
    scope: "company",
    unobservable: "two requests at the same time are a race, which the first may have won",
    alternatives: [
      alternative("409", "409", "the IETF draft of Idempotency-Key recommends it"),
      alternative(
        "425",
        "425",
        "plausible: Too Early (RFC 8470) asks for a later retry",
        changeOf(inProgress, { status: 425 }),
      ),
      alternative("429", "429", "Revolut returns 429", changeOf(inProgress, { status: 429 })),
      alternative(
        "wait",
        "waits for the first request, then returns its card",
        "plausible: a lock on the key",
        {
          unreachable: inProgress,
        },
      ),
    ],
  }),
  "key.retention": behaviour({
    title: "How long a key is kept",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    unobservable: "the shortest retention is an hour",
    alternatives: [
      alternative("forever", "for ever", "Increase binds the key to the object that it created"),
      alternative("30d", "30 days", "TrueLayer keeps keys for 30 days"),
      alternative("24h", "24 hours", "Stripe and Enfuce keep keys for 24 hours"),
      alternative("1h", "one hour", "Thredd keeps keys for one hour"),
    ],
  }),
  "key.stored_refusals": behaviour({
    title: "Refusals that are stored under their key",
    spec: "§4, §7",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("none", "none: the key stays free", "Enfuce, Qonto and Checkout store successes only"),
      alternative("4xx", "400, 404 and 422, for any later body", "Whop and Nium replay a 4xx with its key"),
    ],
  }),
  "key.scope": behaviour({
    title: "Members who share idempotency keys",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    unobservable: "it takes two members who may order cards",
    alternatives: [
      alternative("member", "each member has their own", "Whop separates the keys of users"),
      alternative("company", "all members of a company", "Solidgate scopes a key to the account"),
    ],
  }),
  "key.operations": behaviour({
    title: "Operations that share idempotency keys",
    spec: "§4",
    provenance: "assumed",
    points: replays,
    scope: "company",
    alternatives: [
      alternative("separate", "each operation has its own", "Solidgate scopes a key to the endpoint"),
      alternative("shared", "all operations", "Stripe compares the endpoint with the first one of the key"),
    ],
  }),
  "key.format": behaviour({
    title: "Idempotency-Key in double quotes",
    spec: "§4",
    provenance: "assumed",
    points: ["cards.idempotency_key_invalid"],
    scope: "company",
    alternatives: [
      alternative("unquoted", "refused: it is not a UUID", "the specification shows a plain UUID"),
      alternative(
        "quoted",
        "accepted, with the same meaning",
        "the IETF draft of Idempotency-Key writes it so",
      ),
    ],
  }),
};

/** The header that marks a replay, with the value `true`; undefined: none. */
export const replayHeaders = {
  "idempotent-replayed": "Idempotent-Replayed",
  none: undefined,
  "x-idempotency-replayed": "X-Idempotency-Replayed",
} as const;

const hourMs = 3_600_000;

/** How long a key is kept, by the company's clock; undefined: for ever. */
export const retentionMs = {
  forever: undefined,
  "30d": 30 * 24 * hourMs,
  "24h": 24 * hourMs,
  "1h": hourMs,
} as const;
