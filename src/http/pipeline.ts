import type { Decision } from "../contract/decision.ts";
import type { Contract } from "../contract/dialect.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import { httpChecks, lateChecks } from "./checks.ts";
import type { Check, HttpServices, RequestContext, Route } from "./context.ts";
import { type Body, bodyOf, readBody } from "./read-body.ts";
import { refuse } from "./respond.ts";
import { findApiKey } from "./routes/token.ts";
import { claimStep, selectedScenario } from "./scenario.ts";

/**
 * Runs a request through its checks and its route, and responds to their errors. Nothing is awaited unless a check
 * waits, so requests cannot interleave; it also costs less than a chain of Hono's middleware.
 */
export function run(
  services: HttpServices,
  c: RequestContext,
  checks: readonly Check[],
  route: Route,
  first = 0,
): Promise<Response> | Response {
  try {
    for (let i = first; i < checks.length; i++) {
      const waiting = checks[i]?.(services, c);
      if (waiting) return waiting.then(() => run(services, c, checks, route, i + 1));
    }
    return route(services, c);
  } catch (thrown) {
    return refuse(services, c, thrown as Error);
  }
}

/** The checks of every request to a path, whether or not it has an operation. */
export function checksOfPath(path: string): readonly Check[] {
  if (/^\/auth(\/|$)/.test(path)) return [receive];
  return /^\/developer(\/|$)/.test(path) ? [receive, httpChecks.access_token] : [];
}

/** The checks of an operation up to its route, in the order of the decisions. */
export function checksOfOperation(operation: OperationId, { rows, choices }: Contract): readonly Check[] {
  const checks: Check[] = [receive];
  // The body identifies the caller of a token endpoint. This check makes the first rows of its decisions.
  if (operations[operation].success === "token.issued") checks.push(findApiKey);
  const hasLateChecks = choices["permission.order"] === "after-body" && rows[operation].some(isBody);
  for (const { by, id, step } of rows[operation]) {
    if (hasLateChecks && lateChecks.some((late) => late === id)) continue;
    if (by === "http") checks.push(httpChecks[id as keyof typeof httpChecks]);
    else if (step === "scenario") checks.push(claimStep);
  }
  return checks;
}

const isBody = ({ id }: Decision) => id === "body";

/** Reads the body before anything else, so that no other check has to wait for it, and selects the scenario. */
const receive: Check = (services, c) => {
  const { body, arrived } = c.env;
  if (body) return take(services, c, body);
  if (arrived?.body) return take(services, c, bodyOf(arrived.body));
  return readBody(c.req.raw).then((read) => take(services, c, read));
};

function take(services: HttpServices, c: RequestContext, body: Body): void {
  c.set("body", body);
  const operation: OperationId | undefined = c.get("operation");
  if (operation) c.set("chosen", selectedScenario(services, c, body, operation));
}
