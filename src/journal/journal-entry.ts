import { checksPassed } from "../contract/decisions.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import { contractPoints, type PointId, type Provenance } from "../contract/points.ts";
import type { Role } from "../rules/company.ts";
import type { Caller } from "../store/callers.ts";
import type { Exchange, Messages } from "./exchange.ts";
import { maskBody, maskHeaders, maskPath, maskQuery, maskRequestBody } from "./masking.ts";

/** Who called, as it was then: the company may be gone since. */
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
  /** Null where it was not read, or is no text. */
  readonly body: string | null;
}

/** What the journal tells of one request, as JSON; it holds no API key, no token and no PIN. */
export interface JournalEntry {
  /** Counts up from 1 as long as the sandbox runs. */
  readonly id: string;
  /** When it was answered, by the clock that the company goes by. */
  readonly time: string;
  /** In real time. */
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
  /** Null where the path and the method are no operation's. */
  readonly operation: OperationId | null;
  /** Null where the request was refused before it was known who calls. */
  readonly caller: JournalCaller | null;
  readonly idempotency_key: string | null;
  readonly request: JournalMessage;
  /** As delivered; null where no answer was. */
  readonly status: number | null;
  readonly response: JournalMessage | null;
  /** The contract point that decided; null where the connection was dropped before any did. */
  readonly point: PointId | null;
  readonly provenance: Provenance | null;
  /** The checks that it had passed by then, in their order. */
  readonly checks: readonly string[];
  /** The scenario that struck. */
  readonly scenario: string | null;
  /** The fault that struck what was delivered. */
  readonly fault: string | null;
  /** What the sandbox itself did wrong; absent where nothing. */
  readonly defect?: string;
}

/** What the journal tells of an exchange: secrets are masked here. */
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
