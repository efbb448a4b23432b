import type { Handler } from "hono";
import type { Environment } from "../../contract/identifiers.ts";
import { tokenExchangeRequest } from "../../contract/token-exchange.ts";
import { SandboxError } from "../../core/errors.ts";
import { exchangeKey } from "../../core/exchange-key.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { type Body, readBody } from "../read-body.ts";

/** The token endpoint of one environment (spec §4). */
export function tokenExchange(services: HttpServices, endpoint: Environment): Handler<HttpEnv> {
  return async (c) => {
    const { token, clockOffsetMs } = exchangeKey(services, endpoint, readApiKey(await readBody(c.req.raw)));
    c.set("clockOffsetMs", clockOffsetMs);
    return answer(services, c, "token.issued", token, { "Cache-Control": "no-store" });
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
