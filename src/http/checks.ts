import { actFor, authenticate } from "../access/authenticate.ts";
import { actingPoints, type CheckId } from "../contract/decisions.ts";
import { shownValue } from "../contract/expected.ts";
import { companyId, idempotencyKey } from "../contract/identifiers.ts";
import { type Operation, type OperationId, operations, requiresOnBehalfOf } from "../contract/operations.ts";
import { hasPermission } from "../rules/company.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { retryAfter } from "../runtime/retry-after.ts";
import { type Check, type HttpServices, type RequestContext, sentHeader, setCaller } from "./context.ts";

/** The checks that the HTTP layer makes. The decisions table has their order. */
export const httpChecks: { readonly [Id in CheckId<OperationId, "http">]: Check } = {
  /** 401 (spec §5). */
  access_token: (services, c) => {
    const bearer = services.dialects.all.choices["auth.scheme"] === "exact" ? exactBearer : anyBearer;
    const credentials = bearer.exec(sentHeader(c, "Authorization") ?? "");
    setCaller(services, c, authenticate(services, credentials?.[1], services.served));
  },

  /** 400, 403 (spec §5.7). Without the header, the request acts for the company of the API key. */
  acting_company: (services, c) => {
    const mode = services.dialects.all.choices["on_behalf_of.mode"];
    if (mode === "off") return;
    const operation = c.get("operation");
    const header = sentHeader(c, "X-On-Behalf-Of");
    if (header === undefined && !requiresOnBehalfOf(mode, operation)) return;
    const [required, invalid, notAMember] = actingPoints(operation);
    if (header === undefined) {
      throw new SandboxError(
        required,
        "X-On-Behalf-Of: is required. Send the UUID of the company to act for.",
      );
    }
    const company = companyId.safeParse(header);
    if (!company.success) {
      throw new SandboxError(
        invalid,
        `X-On-Behalf-Of: must be the UUID of a company, but is ${shownValue(header)}`,
      );
    }
    setCaller(services, c, actFor(services, c.get("caller"), company.data, notAMember));
  },

  /** 429: only a scenario refuses a request for its rate. */
  rate_limit: (services, c) => {
    const limit = c.get("claim")?.step.request.rate_limited;
    if (!limit) return;
    throw new SandboxError(
      "gateway.rate_limited",
      `Too many requests. Retry in ${limit.retry_after_s} s.`,
      retryAfter(services, c.get("caller"), limit.retry_after_s),
    );
  },

  /** 503: only a scenario makes the token endpoint unavailable. */
  availability: (_, c) => {
    if (!c.get("claim")?.step.token.unavailable) return;
    throw new SandboxError("token.unavailable", "The token endpoint is unavailable. Retry later.");
  },

  /** 403: the role of the member has the permission (spec §5.6). */
  permission: ({ dialects }, c) => {
    const { permission }: Operation = operations[c.get("operation")];
    const { role, companyPk } = c.get("caller");
    const { permissions } = c.get("overlay").facts;
    if (permission === undefined) return;
    if (permissions?.includes(permission) ?? hasPermission(role, permission, dialects.of(companyPk).choices))
      return;
    throw new SandboxError(
      isOrder(c) ? "order.forbidden" : "access.forbidden",
      `The member who owns the API key has the role "${role}", which does not include the permission ${permission}`,
    );
  },

  /** 403: the company is entitled to the area (spec §5.6). */
  entitlement: (_, c) => {
    const { area }: Operation = operations[c.get("operation")];
    const { entitled } = c.get("overlay").facts;
    if (area === undefined || (entitled ?? c.get("caller").entitlements.includes(area))) return;
    throw new SandboxError(
      isOrder(c) ? "order.not_entitled" : "access.not_entitled",
      `The company is not entitled to use ${area}`,
    );
  },

  /** 400 (spec §4). */
  content_type: (_, c) => {
    if (declaresJson(c)) return;
    throw new SandboxError(
      isOrder(c) ? "order.content_type_invalid" : "cards.content_type_invalid",
      contentTypeExpected(sentHeader(c, "Content-Type")),
    );
  },

  /** 400 (spec §4). */
  idempotency_key: (services, c) => {
    const header = sentHeader(c, "Idempotency-Key");
    if (!header) {
      throw new SandboxError(
        isOrder(c) ? "order.idempotency_key_missing" : "cards.idempotency_key_invalid",
        "Idempotency-Key: is required. Send a new UUID for each order, and the same UUID when you retry it.",
      );
    }
    let key = idempotencyKey.safeParse(header);
    if (!key.success && /^".*"$/.test(header)) {
      const { choices } = services.dialects.of(c.get("caller").companyPk);
      if (choices["key.format"] === "quoted") key = idempotencyKey.safeParse(header.slice(1, -1));
    }
    if (!key.success) {
      throw new SandboxError(
        isOrder(c) ? "order.idempotency_key_invalid" : "cards.idempotency_key_invalid",
        `Idempotency-Key: must be a UUID without quotes, but is ${shownValue(header)}`,
      );
    }
    c.set("idempotencyKey", key.data);
  },
};

/** The spec writes the scheme as `Bearer`. */
const exactBearer = /^Bearer +([^ ]+) *$/;
const anyBearer = /^bearer +([^ ]+) *$/i;

/** The checks that a contract can have after the body. */
export const lateChecks = ["permission", "entitlement"] as const;

/** Makes the late checks, if the contract has them after the body. Call it once the body is read. */
export function checkAfterBody(services: HttpServices, c: RequestContext): void {
  if (services.dialects.all.choices["permission.order"] === "before-body") return;
  for (const id of lateChecks) httpChecks[id](services, c);
}

/** Whether the body is declared as JSON, with or without parameters. */
export function declaresJson(c: RequestContext): boolean {
  return /^application\/json[ \t]*(;|$)/i.test(sentHeader(c, "Content-Type") ?? "");
}

/** The message for a body that is not declared as JSON. */
export function contentTypeExpected(sent: string | undefined): string {
  const actual = sent === undefined ? "missing" : quoted(sent);
  return `Content-Type: must be application/json, but is ${actual}`;
}

/** The physical order is specified, so it has its own contract points. */
function isOrder(c: RequestContext): boolean {
  return c.get("operation") === "orderPhysicalCard";
}
