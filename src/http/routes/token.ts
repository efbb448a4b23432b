import { exchangeKey, keyHolder } from "../../access/exchange-key.ts";
import type { Environment } from "../../contract/identifiers.ts";
import { tokenExchangeRequest } from "../../contract/token-exchange.ts";
import { SandboxError } from "../../rules/errors.ts";
import { contentTypeExpected, declaresJson } from "../checks.ts";
import { type Check, type RequestContext, type Route, sentHeader, setCaller } from "../context.ts";
import { type BodyRefusals, parseBody, unreadableMessages } from "../read-body.ts";
import { respond } from "../respond.ts";

/** Finds the member who owns the API key in the body, or refuses with 400 or 401 (spec §4). */
export const findApiKey: Check = (services, c) => {
  const { choices } = services.dialects.all;
  if (choices["token.content_type"] === "json" && !declaresJson(c)) {
    throw new SandboxError("token.invalid_request", contentTypeExpected(sentHeader(c, "Content-Type")));
  }
  const apiKey = parseBody(c.get("body"), tokenExchangeRequest, refusals, choices).body.api_key;
  c.set("apiKey", apiKey);
  setCaller(services, c, keyHolder(services, environmentOf(c), apiKey));
};

/** `POST /auth/v1/sandbox/token`, `POST /auth/v1/token` (spec §4). */
export const exchangeToken: Route = (services, c) => {
  const token = exchangeKey(services, environmentOf(c), c.get("apiKey"), c.get("overlay"));
  return respond(services, c, "token.issued", token, { "Cache-Control": "no-store" });
};

/** The environment of the token endpoint. */
function environmentOf(c: RequestContext): Environment {
  return c.get("operation") === "exchangeLiveKey" ? "live" : "sandbox";
}

const notAnObject = 'body: must be a JSON object such as {"api_key": "sk_sandbox_…"}';

const refusals: BodyRefusals = {
  unreadable: (why) =>
    new SandboxError("token.invalid_request", why === "not JSON" ? notAnObject : unreadableMessages[why]),
  invalid: ([issue]) =>
    new SandboxError(
      "token.invalid_request",
      issue?.path.length ? `${issue.path.join(".")}: ${issue.message}` : notAnObject,
    ),
};
