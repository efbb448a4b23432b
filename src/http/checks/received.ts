import type { Context } from "hono";
import type { OperationId } from "../../contract/operations.ts";
import { quoted, SandboxError } from "../../rules/errors.ts";
import type { Catalogue } from "../../scenarios/catalogue.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import type { Check } from "../in-order.ts";
import { type Body, bodyOf, readBody } from "../read-body.ts";
import { sentHeader } from "../sent-header.ts";

/**
 * Reads the body before anything is decided, so that no check has to wait; and finds the scenario that the
 * request chooses itself, by a header or by its body's `name`.
 */
export function received({ scenarios: { catalogue } }: HttpServices): Check {
  const take = (c: Context<HttpEnv>, body: Body) => {
    c.set("body", body);
    const operation = c.get("operation");
    // Of no operation there is nothing to force.
    if (!operation) return;
    const chosen =
      byHeader(catalogue, sentHeader(c, "Sandbox-Scenario")) ??
      byPreference(catalogue, sentHeader(c, "Prefer"), operation) ??
      byName(catalogue, body);
    if (chosen) {
      const misfit = catalogue.misfit(chosen, operation);
      if (misfit) throw unknown(misfit);
      c.set("chosen", chosen);
    }
  };
  return (c) => {
    const { body } = c.env.arrived ?? {};
    if (body) return take(c, bodyOf(body));
    return readBody(c.req.raw).then((read) => take(c, read));
  };
}

function byHeader(catalogue: Catalogue, header: string | undefined): Scenario | undefined {
  return header === undefined ? undefined : known(catalogue, header.trim());
}

/** `Prefer: code=503`, `Prefer: example=NAME` (RFC 7240); what else is preferred is somebody else's. */
function byPreference(
  catalogue: Catalogue,
  header: string | undefined,
  operation: OperationId,
): Scenario | undefined {
  if (header === undefined) return undefined;
  const preferences = new Map<string, string>();
  for (const [, name = "", quoted, plain] of header.matchAll(
    /(?:^|[,;])\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,;"]*))/g,
  )) {
    const value = quoted ?? plain ?? "";
    // Of a preference that is stated twice the first counts.
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const example = preferences.get("example");
  if (example !== undefined) return known(catalogue, example);
  const code = preferences.get("code");
  if (code === undefined || /^2[0-9]{2}$/.test(code)) return undefined;
  const statuses = catalogue.statusesOf(operation);
  const scenario = /^[0-9]{3}$/.test(code) ? statuses.get(Number(code)) : undefined;
  if (scenario) return scenario;
  const possible = [...statuses.keys()].filter((status) => status >= 300).toSorted((a, b) => a - b);
  throw unknown(
    `Prefer: no scenario leads ${operation} to ${quoted(code)}: use one of ${possible.join(", ")}; GET /_sandbox/scenarios lists all scenarios`,
  );
}

const prefix = "scenario:";

/** The order's `name` may choose too, for callers that cannot add headers. */
function byName(catalogue: Catalogue, body: Body): Scenario | undefined {
  // Most bodies say no such thing, and this says so at a fraction of the cost.
  if ("unreadable" in body || !(body.text.includes(prefix) || body.text.includes("\\u"))) return undefined;
  let name: unknown;
  try {
    name = JSON.parse(body.text)?.name;
  } catch {
    return undefined;
  }
  if (typeof name !== "string" || !name.startsWith(prefix)) return undefined;
  return known(catalogue, name.slice(prefix.length).trim());
}

function known(catalogue: Catalogue, name: string): Scenario {
  const scenario = catalogue.named(name);
  if ("message" in scenario) throw unknown(`${scenario.message} GET /_sandbox/scenarios lists them all`);
  return scenario;
}

function unknown(message: string): SandboxError {
  return new SandboxError("gateway.scenario_unknown", message);
}
