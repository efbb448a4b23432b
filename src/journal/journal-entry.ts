import { checksPassed } from "../contract/decisions.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId, Provenance } from "../contract/points.ts";
import type { Role } from "../rules/company.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import type { Caller } from "../store/callers.ts";
import type { Exchange, Messages } from "./exchange.ts";
import { Masking, mask, maskBody, maskHeaders, maskPath, maskQuery, maskRequestBody } from "./masking.ts";

/** The caller at the time of the request; the company may have been deleted since. */
export interface JournalCaller {
  /** The company's slug. */
  readonly company: string;
  readonly company_id: string;
  readonly environment: Environment;
  /** The member's slug. */
  readonly member: string;
  readonly member_id: string;
  readonly role: Role;
  /** The prefix of the API key. */
  readonly api_key: string;
  readonly api_key_id: string;
}

/** Headers, with names in lower case, and body; secrets are masked in both. */
export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the body was not read or is not text. */
  readonly body: string | null;
}

/** One request and its response as JSON; API keys, tokens and PINs are masked. */
export interface JournalEntry {
  /** A number that counts up from 1 while the sandbox runs. */
  readonly id: string;
  /** The time of the response by the company's clock. */
  readonly time: string;
  /** In real time, not by the company's clock. */
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  /** With the question mark; empty if the URL has no query. */
  readonly query: string;
  /** Null if the path and the method belong to no operation. */
  readonly operation: OperationId | null;
  /** Null if the request was refused before its caller was identified. */
  readonly caller: JournalCaller | null;
  readonly idempotency_key: string | null;
  readonly request: JournalMessage;
  /** The delivered status; null if no response was delivered. */
  readonly status: number | null;
  readonly response: JournalMessage | null;
  /** The contract point of the response; null if the connection was dropped before a decision. */
  readonly point: ContractPointId | null;
  readonly provenance: Provenance | null;
  /** The ids of the checks that the request passed, in order. */
  readonly checks: readonly string[];
  /** The scenario that fired. */
  readonly scenario: AnyScenarioName | null;
  /** The fault that changed the delivered response. */
  readonly fault: string | null;
  /** The sandbox's own error; absent if there was none. */
  readonly defect?: string;
}

export function journalEntry(id: number, exchange: Exchange, messages: Messages): JournalEntry {
  const { operation, caller, status, point, contract, defect } = exchange;
  const { requestHeaders, requestBody, responseBody } = messages;
  const pinless = maskingPinsOf(requestBody);
  return {
    id: String(id),
    time: new Date(exchange.atMs).toISOString(),
    duration_ms: Math.round(exchange.durationMs * 100) / 100,
    method: exchange.method,
    path: pinless(maskPath(exchange.path)),
    query: pinless(maskQuery(exchange.query)),
    operation: operation ?? null,
    caller: caller ? journalCaller(caller) : null,
    idempotency_key: exchange.idempotencyKey ?? null,
    request: {
      headers: maskHeaders(requestHeaders),
      body:
        requestBody === undefined
          ? null
          : pinless(maskRequestBody(requestBody, requestHeaders.get("Content-Type"))),
    },
    status: status ?? null,
    response:
      status === undefined
        ? null
        : {
            headers: maskHeaders(new Headers(exchange.responseHeaders)),
            body: responseBody === undefined ? null : pinless(maskBody(responseBody)),
          },
    point: point ?? null,
    provenance: point ? contract.points[point].provenance : null,
    checks: operation && point ? checksPassed(contract.rows[operation], operation, point) : [],
    scenario: exchange.scenario ?? null,
    fault: exchange.fault ?? null,
    ...(defect && { defect: maskBody(defect.message) }),
  };
}

/** Masks the PINs of a request where another field repeats them, such as the name of a card. */
function maskingPinsOf(requestBody: string | undefined): (text: string) => string {
  const pins = new Set<string>();
  const found = (secret: string) => {
    if (/^[0-9]{4}$/.test(secret)) pins.add(secret);
  };
  const collecting = new Masking({
    text: (secret, kept = "") => {
      found(secret);
      return kept + mask;
    },
    value: (value) => {
      found(Array.isArray(value) ? value.join("") : String(value));
      return mask;
    },
    quotesBare: true,
  });
  if (requestBody !== undefined) collecting.body(requestBody);
  if (pins.size === 0) return (text) => text;
  const anyPin = new RegExp(`(?<![0-9A-Za-z_.:-])(?:${[...pins].join("|")})(?![0-9A-Za-z_-])`, "g");
  return (text) => text.replace(anyPin, mask);
}

function journalCaller(caller: Caller): JournalCaller {
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
