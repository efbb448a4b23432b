import { alternative, behaviour, changeOf } from "./behaviour.ts";

const notOffered = ["order.delivery_method_not_offered", "cards.delivery_method_not_offered"] as const;
const weakPin = ["order.pin_weak", "cards.pin_weak"] as const;

/** The validation of requests (spec §2, §4, §7). */
export const validationBehaviours = {
  "content_type.status": behaviour({
    title: "Status of a card request whose Content-Type is not application/json",
    spec: "§4",
    provenance: "assumed",
    points: ["order.content_type_invalid", "cards.content_type_invalid"],
    scope: "company",
    alternatives: [
      alternative("400", "400", "the specification has one status for invalid requests"),
      alternative("415", "415", "RFC 9110 §15.5.16, and the default of Spring, ASP.NET Core and NestJS", {
        ...changeOf(["order.content_type_invalid", "cards.content_type_invalid"], { status: 415 }),
      }),
    ],
  }),
  "error.messages": behaviour({
    title: "Message of an error",
    spec: "§2, §7",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative(
        "every-field",
        "explains the error, and names every invalid field",
        "validators such as zod",
      ),
      alternative(
        "first-field",
        "explains the error, and names the first invalid field",
        "Stripe names one param",
      ),
      alternative(
        "constant",
        "a constant text for each error",
        "plausible: it reveals nothing about the request",
      ),
    ],
  }),
  "pin.weak": behaviour({
    title: "PIN that is easy to guess, such as 0000 or 1234",
    spec: "§4, §7",
    provenance: "assumed",
    points: weakPin,
    scope: "company",
    alternatives: [
      alternative("accepted", "accepted", "the specification shows only the pattern of four digits", {
        unreachable: weakPin,
      }),
      alternative("400", "400", "Immersve validates the PIN and refuses repeated digits with 400"),
      alternative(
        "422",
        "422",
        "plausible: the card issuer rejects the PIN",
        changeOf(weakPin, { status: 422 }),
      ),
    ],
  }),
  "address.country_rules": behaviour({
    title: "Status if an address lacks a field that its country requires",
    spec: "§2",
    provenance: "assumed",
    points: ["order.address_field_required", "cards.address_field_required"],
    scope: "company",
    alternatives: [
      alternative("400", "400", "as for a field that is always required"),
      alternative(
        "422",
        "422",
        "plausible: the body is well-formed, but cannot be processed (RFC 9110 §15.5.21)",
        {
          ...changeOf(["order.address_field_required", "cards.address_field_required"], { status: 422 }),
        },
      ),
    ],
  }),
  "address.state": behaviour({
    title: "Province in an address in Spain or Italy",
    spec: "§2",
    provenance: "assumed",
    points: ["order.address_field_required", "cards.address_field_required"],
    scope: "company",
    alternatives: [
      alternative("optional", "optional", "the post code contains it"),
      alternative("required", "required", "Google's address metadata requires it"),
    ],
  }),
  "post_code.status": behaviour({
    title: "Status if a post code does not have the format of its country",
    spec: "§2",
    provenance: "assumed",
    points: ["order.post_code_format", "cards.post_code_format"],
    scope: "company",
    alternatives: [
      alternative("400", "400", "as for a field that is too long"),
      alternative(
        "422",
        "422",
        "plausible: the body is well-formed, but cannot be processed (RFC 9110 §15.5.21)",
        {
          ...changeOf(["order.post_code_format", "cards.post_code_format"], { status: 422 }),
        },
      ),
    ],
  }),
  "post_code.form": behaviour({
    title: "Post code in lower case",
    spec: "§2",
    provenance: "assumed",
    points: ["order.post_code_format", "cards.post_code_format"],
    scope: "company",
    alternatives: [
      alternative("any-case", "accepted", "libaddressinput compares post codes in any letter case"),
      alternative("capitals", "refused", "plausible: the formats are written in capital letters"),
    ],
  }),
  "delivery_method.not_offered": behaviour({
    title: "Delivery method that the country does not support",
    spec: "§4",
    provenance: "assumed",
    points: notOffered,
    scope: "company",
    alternatives: [
      alternative("400", "400", "the specification does not list it under 422"),
      alternative("422", "422", "plausible: the order is well-formed, but cannot be fulfilled", {
        ...changeOf(notOffered, { status: 422 }),
      }),
      alternative(
        "accepted",
        "accepted: every country supports every method",
        "the order shows no such rule",
        {
          unreachable: notOffered,
        },
      ),
    ],
  }),
  "delivery.countries": behaviour({
    title: "Countries to which cards are delivered",
    spec: "§7",
    provenance: "assumed",
    points: ["order.country_undeliverable", "cards.country_undeliverable"],
    scope: "company",
    alternatives: [
      alternative("worldwide", "all but 15, such as RU", "the list of Interlace's restricted countries"),
      alternative("europe", "only the UK, the EEA and Switzerland", "plausible for an issuer in the UK"),
    ],
  }),
  "access.not_entitled": behaviour({
    title: "Code of the 403 if the company is not entitled to an area of the service",
    spec: "§5.6",
    provenance: "assumed",
    points: ["order.not_entitled", "access.not_entitled"],
    scope: "company",
    unobservable: "needs a company that is not entitled to an area",
    alternatives: [
      alternative("forbidden", "forbidden", "as for a missing permission"),
      alternative(
        "not_entitled",
        "not_entitled",
        "plausible: clients can tell it from a missing permission",
        {
          ...changeOf(["order.not_entitled", "access.not_entitled"], { code: "not_entitled" }),
        },
      ),
    ],
  }),
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
        "Rails controllers load it first",
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
