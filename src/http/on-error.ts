import type { Context } from "hono";
import { type UnreadPointId, unavailableAt } from "../contract/answers.ts";
import { contractPoints, type ErrorPointId } from "../contract/points.ts";
import { ConnectionLost, DatabaseUnusable, SandboxError } from "../rules/errors.ts";
import { answer, answerOf, errorBody, responseOf, unusableMessage } from "./answer.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";

/** Turns whatever was thrown into the status and the body of its contract point; a lost connection stays lost. */
export function onError(services: HttpServices) {
  const refuse = (thrown: Error, c: Context<HttpEnv>): Response | Promise<Response> => {
    if (thrown instanceof ConnectionLost) throw thrown;
    if (thrown instanceof SandboxError) {
      const headers = { ...challengeOf(thrown.point), ...thrown.headers };
      return answer(services, c, thrown.point, errorBody(thrown.point, thrown.message), headers);
    }
    const [point, message] =
      thrown instanceof DatabaseUnusable
        ? ([unavailableAt(c.req.path), unusableMessage(thrown)] as const)
        : (["gateway.internal_error", "The sandbox itself failed"] as const);
    return answer(services, c, point, errorBody(point, message), undefined, thrown);
  };
  return (thrown: Error, c: Context<HttpEnv>): Response | Promise<Response> => {
    try {
      return refuse(thrown, c);
    } catch (error) {
      // A forced refusal takes a step of its scenario, which has to be kept.
      if (error instanceof DatabaseUnusable) return refuse(error, c);
      throw error;
    }
  };
}

/** The response to a request that cannot be read, in the gateway's envelope. */
export function malformedRequest(
  services: HttpServices,
  point: UnreadPointId = "gateway.bad_request",
  message: string = contractPoints[point].title,
): Response {
  return responseOf(answerOf(services, services.clock.now(), point, errorBody(point, message)));
}

/**
 * Each 401 has a challenge (RFC 9110 §11.6.1; assumed). The API's has an error code if an access token was sent. The token
 * endpoint's has a realm of its own and no error code: RFC 6750 §3.1 defines these codes for access tokens only, and a
 * client would refresh its token on `invalid_token`.
 */
function challengeOf(point: ErrorPointId): Record<string, string> | undefined {
  if (contractPoints[point].status !== 401) return undefined;
  if (point.startsWith("token.")) return { "WWW-Authenticate": 'Bearer realm="token"' };
  const scheme = 'Bearer realm="developer"';
  const { title } = contractPoints[point];
  return {
    "WWW-Authenticate":
      point === "auth.token_missing"
        ? scheme
        : `${scheme}, error="invalid_token", error_description="${title}"`,
  };
}
