import type { ContractPointId } from "../points.ts";
import { alternative, behaviour, changeOf } from "./behaviour.ts";

const refusedKeys = [
  "token.key_unknown",
  "token.key_revoked",
  "token.environment_mismatch",
  "token.member_inactive",
] as const satisfies readonly ContractPointId[];
const tokenErrors = ["token.invalid_request", ...refusedKeys, "token.unavailable"] as const;
const refusedTokens = [
  "auth.token_invalid",
  "auth.token_expired",
  "auth.api_key_as_bearer",
  "auth.environment_mismatch",
] as const satisfies readonly ContractPointId[];
const unauthorized = ["auth.token_missing", ...refusedTokens] as const;
const foreignCompany = [
  "on_behalf_of.not_a_member",
  "order.on_behalf_of_not_a_member",
] as const satisfies readonly ContractPointId[];

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
  "on_behalf_of.foreign_company": behaviour({
    title: "Status for a company that the member does not belong to",
    spec: "§5.7",
    provenance: "assumed",
    points: foreignCompany,
    scope: "sandbox",
    alternatives: [
      alternative(
        "403",
        "403, because access is denied",
        "the specification has 403 for every lacking permission",
      ),
      alternative(
        "404",
        "404, as if the company did not exist",
        "GitHub returns 404 for private resources, so that their existence stays hidden",
        {
          ...changeOf(foreignCompany, { status: 404, envelope: "card" }),
          // It cannot be observed if the header is ignored.
          conflicts: ["on_behalf_of.mode=off"],
        },
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
  "token.status": behaviour({
    title: "Status of a token exchange",
    spec: "§4",
    provenance: "assumed",
    points: ["token.issued"],
    scope: "company",
    alternatives: [
      alternative("200", "200", "OAuth 2.0 defines it (RFC 6749 §5.1)"),
      alternative("201", "201, because a token was created", "Airwallex returns 201 for an access token", {
        points: { "token.issued": { status: 201 } },
      }),
    ],
  }),
  "token.malformed_status": behaviour({
    title: "Status of a token exchange whose body is not valid",
    spec: "§4, §7",
    provenance: "assumed",
    points: ["token.invalid_request"],
    scope: "sandbox",
    alternatives: [
      alternative("400", "400", "OAuth 2.0 defines it (RFC 6749 §5.2)"),
      alternative(
        "401",
        "401, as without a valid API key",
        "plausible: a gateway that only looks for a key finds none",
        changeOf(["token.invalid_request"], { status: 401 }),
      ),
      alternative(
        "422",
        "422, because a field is not valid",
        "FastAPI and Laravel return 422 for a body that fails its validation",
        changeOf(["token.invalid_request"], { status: 422 }),
      ),
    ],
  }),
  "token.refused_status": behaviour({
    title: "Status of a token exchange with an API key that is not accepted",
    spec: "§5, §7",
    provenance: "assumed",
    points: refusedKeys,
    scope: "sandbox",
    alternatives: [
      alternative("401", "401", "Airwallex returns 401 for wrong credentials"),
      alternative(
        "400",
        "400",
        "Google returns 400 for an API key that is not valid",
        changeOf(refusedKeys, { status: 400 }),
      ),
      alternative(
        "403",
        "403",
        "AWS API Gateway returns 403 for an API key that is not accepted",
        changeOf(refusedKeys, { status: 403 }),
      ),
    ],
  }),
  "token.error_envelope": behaviour({
    title: "Body of an error of the token endpoints",
    spec: "§7",
    provenance: "assumed",
    points: tokenErrors,
    scope: "sandbox",
    alternatives: [
      alternative(
        "gateway",
        "the forbidden body, with a code",
        "the gateway of the specification has this body for 403",
      ),
      alternative("oauth", "error and error_description", "OAuth 2.0 defines it (RFC 6749 §5.2)", {
        points: {
          ...changeOf(tokenErrors, { envelope: "oauth" }).points,
          ...changeOf(refusedKeys, { envelope: "oauth", code: "invalid_client" }).points,
        },
      }),
      alternative(
        "card",
        "error alone",
        "the card operations of the specification have this body",
        changeOf(tokenErrors, { envelope: "card" }),
      ),
      alternative(
        "problem",
        "problem details",
        "the standard for errors of HTTP APIs (RFC 9457)",
        changeOf(tokenErrors, { envelope: "problem" }),
      ),
    ],
  }),
  "token.content_type": behaviour({
    title: "Content-Type of a token exchange",
    spec: "§4",
    provenance: "assumed",
    points: ["token.invalid_request"],
    scope: "sandbox",
    alternatives: [
      alternative("any", "any", "the specification lists no header for the exchange"),
      alternative(
        "json",
        "only application/json",
        "the order operation requires it; Airwallex documents it for its exchange",
      ),
    ],
  }),
  "token.lifetime": behaviour({
    title: "Lifetime of an access token",
    spec: "§5, §8",
    provenance: "assumed",
    points: ["token.issued"],
    scope: "company",
    alternatives: [
      alternative("900", "900 s", 'exactly the "about 15 minutes" of the specification'),
      alternative("840", "840 s", "plausible: a minute less, so that clients exchange the key in time"),
      alternative("960", "960 s", "plausible: a minute more, for clocks that differ"),
    ],
  }),
  "token.clock_skew": behaviour({
    title: "How long an access token is accepted after expires_at",
    spec: "§5.2",
    provenance: "assumed",
    points: ["auth.token_expired"],
    scope: "company",
    unobservable: "a token must first expire",
    alternatives: [
      alternative("0", "not at all", "the specification requires a new exchange after expiry"),
      alternative("30", "30 s", "the default of VMware Avi Load Balancer"),
      alternative("60", "60 s", "the default of Spring Security"),
    ],
  }),
  "auth.scheme": behaviour({
    title: "Letter case of the scheme in the Authorization header",
    spec: "§4, §5",
    provenance: "assumed",
    points: ["auth.token_missing"],
    scope: "sandbox",
    alternatives: [
      alternative("any_case", "any", "schemes are case-insensitive (RFC 9110 §11.1)"),
      alternative("exact", "only Bearer", "plausible: many services compare the text of the specification"),
    ],
  }),
  "unauthorized.envelope": behaviour({
    title: "Body of a 401 under /developer",
    spec: "§4, §7",
    provenance: "assumed",
    points: unauthorized,
    scope: "sandbox",
    alternatives: [
      alternative(
        "gateway",
        "the forbidden body, with a code",
        "the gateway of the specification has this body for 403",
      ),
      alternative(
        "card",
        "error alone",
        "the other errors of the card operations have this body",
        changeOf(unauthorized, { envelope: "card" }),
      ),
      alternative(
        "oauth",
        "error and error_description",
        "Spring Security OAuth returned the codes of RFC 6750 so",
        {
          points: {
            ...changeOf(unauthorized, { envelope: "oauth" }).points,
            ...changeOf(refusedTokens, { envelope: "oauth", code: "invalid_token" }).points,
          },
        },
      ),
      alternative(
        "problem",
        "problem details",
        "the standard for errors of HTTP APIs (RFC 9457)",
        changeOf(unauthorized, { envelope: "problem" }),
      ),
    ],
  }),
  "unauthorized.challenge": behaviour({
    title: "WWW-Authenticate header of a 401",
    spec: "§7",
    provenance: "assumed",
    points: unauthorized,
    scope: "sandbox",
    alternatives: [
      alternative("described", "names the realm and the error", "RFC 6750 §3 defines it for access tokens"),
      alternative("realm", "names the realm alone", "RFC 9110 §11.6.1 requires no more"),
      alternative("none", "is missing", "plausible: many JSON APIs leave it out"),
    ],
  }),
};
