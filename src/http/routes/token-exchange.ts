import type { Handler } from "hono";
import type { Environment } from "../../contract/identifiers.ts";
import { tokenExchangeRequest } from "../../contract/token-exchange.ts";
import { SandboxError } from "../../core/errors.ts";
import { exchangeKey } from "../../core/exchange-key.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { readBody } from "../read-body.ts";

/** The token endpoint of one environment (spec §4). */
export function tokenExchange(services: HttpServices, endpoint: Environment): Handler<HttpEnv> {
  return async (c) => {
    const token = exchangeKey(services, endpoint, readApiKey(await readBody(c.req.raw)));
    return answer(services, c, "token.issued", token, { "Cache-Control": "no-store" });
  };
}

function readApiKey(text: string | undefined): string {
  let body: unknown;
  try {
    body = text === undefined ? undefined : JSON.parse(text);
  } catch {
    body = undefined;
  }
  const result = tokenExchangeRequest.safeParse(body);
  if (result.success) return result.data.api_key;
  const issue = result.error.issues[0];
  throw new SandboxError(
    "token.invalid_request",
    issue?.path.length
      ? `${issue.path.join(".")}: ${issue.message}`
      : 'The body must be a JSON object such as {"api_key": "sk_sandbox_…"}',
  );
}
