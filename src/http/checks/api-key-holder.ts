import { keyHolder } from "../../access/exchange-key.ts";
import type { Environment } from "../../contract/identifiers.ts";
import { tokenExchangeRequest } from "../../contract/token-exchange.ts";
import { SandboxError } from "../../rules/errors.ts";
import type { HttpServices } from "../http-services.ts";
import type { Check } from "../in-order.ts";
import type { Body } from "../read-body.ts";

/** 400, 401: finds the member who owns the API key that is exchanged (spec §4). */
export function apiKeyHolder(services: HttpServices, endpoint: Environment): Check {
  return (c) => {
    const apiKey = readApiKey(c.get("body"));
    const caller = keyHolder(services, endpoint, apiKey);
    c.set("apiKey", apiKey);
    c.set("caller", caller);
    c.set("clockOffsetMs", caller.clockOffsetMs);
    c.set("generation", services.generations.of(caller.companyPk));
  };
}

function readApiKey(received: Body): string {
  if ("unreadable" in received) throw invalidRequest(`The body is ${received.unreadable}`);
  const result = tokenExchangeRequest.safeParse(parseJson(received.text));
  if (result.success) return result.data.api_key;
  const issue = result.error.issues[0];
  throw invalidRequest(
    issue?.path.length
      ? `${issue.path.join(".")}: ${issue.message}`
      : 'The body must be a JSON object such as {"api_key": "sk_sandbox_…"}',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalidRequest(message: string): SandboxError {
  return new SandboxError("token.invalid_request", message);
}
