import { checksPassed } from "../contract/decisions.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import { contractPoints, type PointId, type Provenance } from "../contract/points.ts";
import type { Role } from "../rules/company.ts";
import type { Caller } from "../store/callers.ts";
import type { Exchange, Messages } from "./exchange.ts";
import { maskBody, maskHeaders, maskPath, maskQuery, maskRequestBody } from "./masking.ts";

/** The caller at that time: the company may be deleted since. */
export interface JournalCaller {
  /** Its slug. */
  readonly company: string;
  readonly company_id: string;
  readonly environment: Environment;
  /** The member's slug. */
  readonly member: string;
  readonly member_id: string;
  readonly role: Role;
  /** The key's prefix, as listings show it. */
  readonly api_key: string;
  readonly api_key_id: string;
}

/** Headers by their names in lower case, and the body; secrets are masked in both. */
export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Null if it was not read, or is not text. */
  readonly body: string | null;
}

/** One request and its response as JSON, without API keys, tokens and PINs. */
export interface JournalEntry {
  /** Counts up from 1 as long as the sandbox runs. */
  readonly id: string;
  /** The time of the response by the company's clock. */
  readonly time: string;
  /** In real time. */
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty if there is none. */
  readonly query: string;
  /** Null if the path and the method belong to no operation. */
  readonly operation: OperationId | null;
  /** Null if the request was refused before its caller was identified. */
  readonly caller: JournalCaller | null;
  readonly idempotency_key: string | null;
  readonly request: JournalMessage;
  /** As delivered; null if no response was. */
  readonly status: number | null;
  readonly response: JournalMessage | null;
  /** The contract point that decided; null if the connection was dropped before that. */
  readonly point: PointId | null;
  readonly provenance: Provenance | null;
  /** The checks that the request passed, in their order. */
  readonly checks: readonly string[];
  /** The scenario that fired. */
  readonly scenario: string | null;
  /** The fault that changed the delivered response. */
  readonly fault: string | null;
  /** The sandbox's own error; absent if there was none. */
  readonly defect?: string;
}

/** Makes the entry of an exchange, and masks its secrets. */
export function journalEntry(id: number, exchange: Exchange, messages: Messages): JournalEntry {
  const { operation, caller, status, point, defect } = exchange;
  const { requestHeaders, requestBody, responseBody } = messages;
  return {
    id: String(id),
    time: new Date(exchange.atMs).toISOString(),
    duration_ms: Math.round(exchange.durationMs * 100) / 100,
    method: exchange.method,
    path: maskPath(exchange.path),
    query: maskQuery(exchange.query),
    operation: operation ?? null,
    caller: caller ? callerShown(caller) : null,
    idempotency_key: exchange.idempotencyKey ?? null,
    request: {
      headers: maskHeaders(requestHeaders),
      body:
        requestBody === undefined ? null : maskRequestBody(requestBody, requestHeaders.get("Content-Type")),
    },
    status: status ?? null,
    response:
      status === undefined
        ? null
        : {
            headers: maskHeaders(new Headers(exchange.responseHeaders)),
            body: responseBody === undefined ? null : maskBody(responseBody),
          },
    point: point ?? null,
    provenance: point ? contractPoints[point].provenance : null,
    checks: operation && point ? checksPassed(operation, point) : [],
    scenario: exchange.scenario ?? null,
    fault: exchange.fault ?? null,
    ...(defect && { defect: maskBody(defect.message) }),
  };
}

function callerShown(caller: Caller): JournalCaller {
  return {
    company: caller.companySlug,
    company_id: caller.companyId,
    environment: caller.environment,
    member: caller.memberSlug,
    member_id: caller.memberId,
    role: caller.role,
    api_key: caller.apiKeyPrefix,
    api_key_id: caller.apiKeyId,
  };
}
