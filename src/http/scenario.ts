import { refuseToken } from "../access/authenticate.ts";
import { idempotencyKey } from "../contract/identifiers.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { refuseStale } from "../runtime/generations.ts";
import type { Catalogue } from "../scenarios/catalogue.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { type HttpServices, type RequestContext, sentHeader } from "./context.ts";
import type { Body } from "./read-body.ts";
import { dropConnection } from "./respond.ts";
import { watchedScenario } from "./watched-request.ts";

/**
 * The scenario that a request selects by a header or by the `name` in its body.
 * @throws SandboxError 400: there is no such scenario, or it does not act on the operation
 */
export function selectedScenario(
  { scenarios: { catalogue } }: HttpServices,
  c: RequestContext,
  body: Body,
  operation: OperationId,
): Scenario | undefined {
  const named = sentHeader(c, "Sandbox-Scenario");
  const preference = sentHeader(c, "Prefer");
  const scenario =
    (named === undefined ? undefined : scenarioNamed(catalogue, named.trim(), "Sandbox-Scenario")) ??
    (preference === undefined ? undefined : byPreference(catalogue, preference, operation)) ??
    byName(catalogue, body);
  const reason = scenario && catalogue.whyNotOn(scenario, operation);
  if (reason) throw unknownScenario(reason);
  return scenario;
}

/** `Prefer: code=503`, `Prefer: example=NAME` (RFC 7240). Other preferences are ignored. */
function byPreference(catalogue: Catalogue, header: string, operation: OperationId): Scenario | undefined {
  const preferences = new Map<string, string>();
  for (const [, name = "", quotedValue, plain] of header.matchAll(
    /(?:^|[,;])\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,;"]*))/g,
  )) {
    const value = quotedValue ?? plain ?? "";
    // If a preference occurs twice, the first one counts.
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const example = preferences.get("example");
  if (example !== undefined) return scenarioNamed(catalogue, example, "Prefer");
  const code = preferences.get("code");
  if (code === undefined || /^2[0-9]{2}$/.test(code)) return undefined;
  const statuses = catalogue.statusesOf(operation);
  const scenario = /^[0-9]{3}$/.test(code) ? statuses.get(Number(code)) : undefined;
  if (scenario) return scenario;
  const possible = [...statuses.keys()].filter((status) => status >= 300).toSorted((a, b) => a - b);
  const problem = `no scenario forces code ${quoted(code)} on ${operation}. Use one of ${possible.join(", ")}`;
  throw unknownScenario(`Prefer: ${problem}. GET /_sandbox/scenarios lists all scenarios.`);
}

const prefix = "scenario:";

/** For callers that cannot add headers. */
function byName(catalogue: Catalogue, body: Body): Scenario | undefined {
  // Most bodies contain neither text, so they need not be parsed here.
  if ("unreadable" in body || !(body.text.includes(prefix) || body.text.includes("\\u"))) return undefined;
  let name: unknown;
  try {
    name = JSON.parse(body.text)?.name;
  } catch {
    return undefined;
  }
  if (typeof name !== "string" || !name.startsWith(prefix)) return undefined;
  return scenarioNamed(catalogue, name.slice(prefix.length).trim(), "name");
}

/** @param source - the header or field that names the scenario */
function scenarioNamed(catalogue: Catalogue, name: string, source: string): Scenario {
  const scenario = catalogue.named(name);
  if ("message" in scenario) {
    throw unknownScenario(`${source}: ${scenario.message} GET /_sandbox/scenarios lists all scenarios.`);
  }
  return scenario;
}

function unknownScenario(message: string): SandboxError {
  return new SandboxError("gateway.scenario_unknown", message);
}

/**
 * Claims the step of the scenario that acts on the request: the one that it selected, or one that is armed. The faults of
 * the request apply at once.
 */
export function claimStep(services: HttpServices, c: RequestContext): Promise<void> | void {
  const world = services.baseOverlay();
  const caller = c.get("caller");
  const operation = c.get("operation");
  const claim = services.scenarios.claimStep({
    operation,
    caller,
    forced: watchedScenario(services, c),
    chosen: c.get("chosen"),
    idempotencyKey: () => idempotencyKey.safeParse(sentHeader(c, "Idempotency-Key")).data ?? "",
    world,
  });
  c.set("overlay", claim?.overlay ?? world);
  if (!claim) return;
  c.set("claim", claim);
  const { latency_ms } = claim.step.request;
  if (latency_ms === undefined) return applyRequestFaults(services, c, claim);
  claim.reserve();
  return claim.delay.wait(latency_ms).then(() => {
    refuseStale(services, { caller, generation: c.get("generation"), operation });
    return applyRequestFaults(services, c, claim);
  });
}

function applyRequestFaults(
  services: HttpServices,
  c: RequestContext,
  claim: StepClaim,
): Promise<void> | void {
  if (claim.step.request.dropped) return dropConnection(services, c, claim);
  const { facts } = claim.step;
  const isExchange = operations[c.get("operation")].success === "token.issued";
  if (isExchange && facts.requestValid === false) {
    throw new SandboxError("token.invalid_request", "The request is invalid");
  }
  refuseToken(facts);
}
