import type { Context } from "hono";
import { unavailableAt } from "../contract/answers.ts";
import { contractPoints, type ErrorPointId } from "../contract/points.ts";
import { ConnectionLost, DatabaseUnusable, SandboxError } from "../core/errors.ts";
import { answer, answerOf, errorBody, responseOf, unusable } from "./answer.ts";
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
        ? ([unavailableAt(c.req.path), unusable] as const)
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

/** The answer to a request that no path can be read from: 400, in the gateway's envelope. */
export function malformedRequest(
  services: HttpServices,
  message = "The request line or the Host header cannot be read",
): Response {
  const point = "gateway.bad_request";
  return responseOf(answerOf(services, services.clock.now(), point, errorBody(point, message)));
}

/** A 401 of the API names its scheme, and what is wrong with the token where one was sent (assumed). */
function challengeOf(point: ErrorPointId): Record<string, string> | undefined {
  if (!point.startsWith("auth.")) return undefined;
  const scheme = 'Bearer realm="developer"';
  const { title } = contractPoints[point];
  return {
    "WWW-Authenticate":
      point === "auth.token_missing"
        ? scheme
        : `${scheme}, error="invalid_token", error_description="${title}"`,
  };
}
