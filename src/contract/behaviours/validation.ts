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
      alternative("415", "415", "RFC 9110 §15.5.16, and the default of Spring and ASP.NET Core", {
        ...changeOf(["order.content_type_invalid", "cards.content_type_invalid"], { status: 415 }),
      }),
    ],
  }),
  "body_too_large.status": behaviour({
    title: "Status of a card request whose body is too large",
    spec: "§4",
    provenance: "assumed",
    points: ["order.body_too_large", "cards.body_too_large"],
    scope: "company",
    alternatives: [
      alternative("400", "400", "the specification has one status for invalid requests", {
        unreachable: ["cards.body_too_large"],
      }),
      alternative("413", "413", "RFC 9110 §15.5.14, and the default of nginx and of Express", {
        points: { "order.body_too_large": { status: 413 } },
      }),
    ],
  }),
  "json.unknown_fields": behaviour({
    title: "Unknown field in the body of a request to a card or a webhook",
    spec: "§4",
    provenance: "assumed",
    points: ["order.unknown_field", "cards.unknown_field"],
    scope: "company",
    alternatives: [
      alternative("ignored", "ignored", "the default of Jackson in Spring Boot, and of zod", {
        unreachable: ["order.unknown_field", "cards.unknown_field"],
      }),
      alternative("400", "400", "Stripe refuses unknown parameters"),
    ],
  }),
  "json.null_fields": behaviour({
    title: "Optional field that is null",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("400", "400", "the specification shows no null in requests"),
      alternative(
        "absent",
        "as if it was left out",
        "plausible: many serializers send null for a missing value",
      ),
    ],
  }),
  "card.name_blank": behaviour({
    title: "Blank name of a card",
    spec: "§4",
    provenance: "assumed",
    points: ["order.name_blank"],
    scope: "company",
    alternatives: [
      alternative("default", "selects the default name", "plausible: forms send an empty text", {
        unreachable: ["order.name_blank"],
      }),
      alternative("400", "400", "plausible: validators such as Jakarta's @NotBlank refuse it"),
    ],
  }),
  "card.name_length": behaviour({
    title: "Longest name of a card",
    spec: "§4",
    provenance: "assumed",
    points: ["order.name_too_long"],
    scope: "company",
    alternatives: [
      alternative("unlimited", "any in an order, otherwise 100 characters", "the order shows no bound", {
        unreachable: ["order.name_too_long"],
      }),
      alternative("100", "100 characters", "as for line1 of an address"),
      alternative("30", "30 characters", "Revolut allows 30 characters"),
      alternative("24", "24 characters", "Stripe allows 24 characters for the name of a cardholder"),
    ],
  }),
  "address.blank_line1": behaviour({
    title: "Blank line1 of an address",
    spec: "§2",
    provenance: "assumed",
    points: ["order.address_field_blank"],
    scope: "company",
    alternatives: [
      alternative("400", "400", "plausible: a required text is not blank"),
      alternative("accepted", "accepted", "the specification shows only its maximum length", {
        unreachable: ["order.address_field_blank"],
      }),
    ],
  }),
  "country_code.case": behaviour({
    title: "Country code in lower case",
    spec: "§2",
    provenance: "assumed",
    points: ["order.country_code_invalid"],
    scope: "company",
    alternatives: [
      alternative("capitals", "400", "ISO 3166-1 writes its codes in capital letters"),
      alternative("any-case", "accepted", "plausible: codes are unique in any letter case"),
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
      alternative("400", "400", "plausible as for its pattern; Immersve refuses repeated digits"),
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
      alternative("any-case", "accepted", "plausible: people write them so"),
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
};
