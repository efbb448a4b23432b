import type { MiddlewareHandler } from "hono";
import { SandboxError } from "../../core/errors.ts";
import type { Catalogue } from "../../scenarios/catalogue.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { type Body, readBody } from "../read-body.ts";

/**
 * Reads the body before anything is decided, so that no check has to wait; and finds the scenarios that the
 * request chooses itself, by a header or by its body's `name`.
 */
export function received({ scenarios: { catalogue } }: HttpServices): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { raw } = c.req;
    const body = await readBody(raw);
    c.set("body", body);
    const { headers } = raw;
    const chosen = [
      ...byHeader(catalogue, headers.get("Sandbox-Scenario")),
      ...byPreference(catalogue, headers.get("Prefer")),
      ...byName(catalogue, body),
    ];
    if (chosen.length > 0) c.set("chosen", chosen);
    return next();
  };
}

/** A scenario, or the status to which one is to lead. */
export type Choice = Scenario | number;

function byHeader(catalogue: Catalogue, header: string | null): Choice[] {
  return header?.trim() ? [known(catalogue, header.trim())] : [];
}

/** `Prefer: code=503`, `Prefer: example=NAME` (RFC 7240); what else is preferred is somebody else's. */
function byPreference(catalogue: Catalogue, header: string | null): Choice[] {
  if (!header) return [];
  const preferences = new Map<string, string>();
  for (const [, name = "", quoted, plain] of header.matchAll(
    /(?:^|[,;])\s*([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,;"]*))/g,
  )) {
    const value = quoted ?? plain ?? "";
    // Of a preference that is stated twice the first counts.
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const example = preferences.get("example");
  if (example !== undefined) return [known(catalogue, example)];
  const code = preferences.get("code");
  if (code === undefined || /^2[0-9]{2}$/.test(code)) return [];
  if (catalogue.leadingTo(Number(code)) === undefined) {
    throw new SandboxError(
      "gateway.scenario_unknown",
      `Prefer: no scenario leads to ${JSON.stringify(code.slice(0, 100))}; GET /_sandbox/scenarios lists them`,
    );
  }
  return [Number(code)];
}

const prefix = "scenario:";

/** The order's `name` may choose too, for callers that cannot add headers. */
function byName(catalogue: Catalogue, body: Body): Choice[] {
  if ("unreadable" in body || !body.text.includes(prefix)) return [];
  let name: unknown;
  try {
    name = JSON.parse(body.text)?.name;
  } catch {
    return [];
  }
  if (typeof name !== "string" || !name.startsWith(prefix)) return [];
  return [known(catalogue, name.slice(prefix.length).trim())];
}

function known(catalogue: Catalogue, name: string): Scenario {
  const scenario = catalogue.named(name);
  if ("message" in scenario) throw new SandboxError("gateway.scenario_unknown", scenario.message);
  return scenario;
}
