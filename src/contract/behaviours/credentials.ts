import { alternative, behaviour } from "./behaviour.ts";

/** The token endpoints, access tokens, API keys and X-On-Behalf-Of (spec §4, §5). */
export const credentialBehaviours = {
  "on_behalf_of.mode": behaviour({
    title: "Treatment of the header X-On-Behalf-Of",
    spec: "§5.7",
    provenance: "variant",
    points: [
      "on_behalf_of.required",
      "on_behalf_of.invalid",
      "on_behalf_of.not_a_member",
      "cards.on_behalf_of_required",
      "cards.on_behalf_of_invalid",
      "order.on_behalf_of_required",
      "order.on_behalf_of_invalid",
      "order.on_behalf_of_not_a_member",
    ],
    scope: "sandbox",
    alternatives: [
      alternative("optional", "checked if it is sent", "fits both descriptions of the specification", {
        unreachable: ["on_behalf_of.required", "cards.on_behalf_of_required", "order.on_behalf_of_required"],
      }),
      alternative("off", "ignored", "the order operation lists no such header", {
        unreachable: [
          "on_behalf_of.required",
          "on_behalf_of.invalid",
          "on_behalf_of.not_a_member",
          "cards.on_behalf_of_required",
          "cards.on_behalf_of_invalid",
          "order.on_behalf_of_required",
          "order.on_behalf_of_invalid",
          "order.on_behalf_of_not_a_member",
        ],
      }),
      alternative("required", "required by every operation", "the variant that the specification describes"),
      alternative(
        "required-except-order",
        "required by every operation except the order of a physical card",
        "the variant, with the order operation as it is shown",
        { unreachable: ["order.on_behalf_of_required"] },
      ),
    ],
  }),
  "api_keys.quota": behaviour({
    title: "Scope of the limit of five active API keys",
    spec: "§5.5, §8",
    provenance: "variant",
    points: [],
    scope: "sandbox",
    unobservable: "keys are created in the dashboard of the service",
    alternatives: [
      alternative("company", "each company", "the specification describes it first"),
      alternative("member", "each member", "the variant that the specification describes"),
    ],
  }),
};
