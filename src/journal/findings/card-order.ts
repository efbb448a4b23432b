import { retentionMs } from "../../contract/behaviours/orders.ts";
import { physicalCardOrder, physicalReplacement, virtualCardOrder } from "../../contract/card-requests.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { ContractPointId } from "../../contract/points.ts";
import { hashOfSecret } from "../../rules/random.ts";
import type { Exchange } from "../exchange.ts";
import type { Fields, ObservedRequest } from "./request.ts";

/** The operations that create a card with an Idempotency-Key, and the fields of their bodies. */
const fields = {
  orderPhysicalCard: new Set(Object.keys(physicalCardOrder.shape)),
  orderVirtualCard: new Set(Object.keys(virtualCardOrder.shape)),
  replaceCard: new Set(Object.keys(physicalReplacement.shape)),
} satisfies Partial<Record<OperationId, ReadonlySet<string>>>;

type OrderOperation = keyof typeof fields;

export const orderOperations = Object.keys(fields) as readonly OrderOperation[];

/** Whether an operation needs an Idempotency-Key. */
export function isOrderOperation(operation: OperationId | undefined): operation is OrderOperation {
  return operation !== undefined && operation in fields;
}

/** The order in a request with an Idempotency-Key. */
export class CardOrder {
  readonly key: string;
  readonly #scope: string;
  readonly #operation: OrderOperation;
  readonly #exchange: Exchange;
  #body: string;
  #fingerprint: string | undefined = undefined;

  constructor(key: string, scope: string, operation: OrderOperation, exchange: Exchange, body: string) {
    this.key = key;
    this.#scope = scope;
    this.#operation = operation;
    this.#exchange = exchange;
    this.#body = body;
    // Long bodies are not kept.
    if (body.length > maxKeptLength) this.#readFingerprint();
  }

  /** The key within its scope and operation, the same for all members. Dialects may share it between operations. */
  get sharedKeyName(): string {
    const operation = operationsShareKeys(this.#exchange) ? "" : this.#operation;
    return `${this.key} ${operation} ${this.#scope}`;
  }

  /** The key where it identifies one order: within its scope, operation and, unless they share keys, member. */
  get keyName(): string {
    return membersShareKeys(this.#exchange)
      ? this.sharedKeyName
      : `${this.sharedKeyName} ${this.#exchange.caller?.memberPk}`;
  }

  /** Text that is equal for two orders of the same card. */
  get fingerprint(): string {
    return this.#fingerprint ?? this.#readFingerprint();
  }

  /** Whether both order the same card. Equal bodies are not parsed. */
  isSameAs(other: CardOrder): boolean {
    const isSameBody = this.#body !== "" && this.#body === other.#body;
    if (isSameBody && this.#exchange.path === other.#exchange.path) return true;
    return this.fingerprint === other.fingerprint;
  }

  /** Only on demand: most fingerprints are never needed, and each takes several microseconds. */
  #readFingerprint(): string {
    const fingerprint = fingerprintOf(JSON.parse(this.#body), fields[this.#operation]);
    // The path contains the id of the card to replace.
    this.#fingerprint = shortened(`${this.#exchange.path.toLowerCase()} ${fingerprint}`);
    this.#body = "";
    return this.#fingerprint;
  }
}

/** Whether the members of a company share their keys, under a dialect. */
export function membersShareKeys({ contract }: Exchange): boolean {
  return contract.choices["key.scope"] === "company";
}

/** Whether the operations share their keys, under a dialect. */
export function operationsShareKeys({ contract }: Exchange): boolean {
  return contract.choices["key.operations"] === "shared";
}

/** Undefined if the request orders no card, has no valid key or body, or its caller was not identified. */
export function readCardOrder({ exchange, messages, scope }: ObservedRequest, body: Fields | undefined) {
  const { operation, idempotencyKey: key, caller } = exchange;
  if (!isOrderOperation(operation) || !key || !caller || !body) return undefined;
  return new CardOrder(key, scope, operation, exchange, messages.requestBody ?? "");
}

const maxKeptLength = 2000;

/** Rules keep only the hash of a long text. */
export function shortened(text: string): string {
  return text.length <= maxKeptLength ? text : hashOfSecret(text).join();
}

/**
 * Ignores the order of fields, null and unknown fields, whitespace around a name, a name that chooses a scenario, and
 * the difference between `10` and `"10.00"`.
 */
function fingerprintOf(body: Fields, known: ReadonlySet<string>): string {
  const ordered = Object.entries(body).filter(
    ([field, value]) => known.has(field) && !isScenarioName(field, value),
  );
  return JSON.stringify(canonical(Object.fromEntries(ordered)));
}

/** `"name": "scenario:lost-response"` chooses a scenario and is not part of the order. */
function isScenarioName(field: string, value: unknown): boolean {
  return field === "name" && typeof value === "string" && value.startsWith("scenario:");
}

function canonical(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([name, each]) => [name, canonical(each, name)]);
  }
  if (field === "amount") return numberOf(value);
  if (field === "name" && typeof value === "string") return value.trim();
  if (field === "account_id" && typeof value === "string") return value.toLowerCase();
  return value;
}

function numberOf(value: unknown): unknown {
  const mayBeNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return mayBeNumber && Number.isFinite(Number(value)) ? Number(value) : value;
}

const createdPoints: ReadonlySet<ContractPointId | undefined> = new Set<ContractPointId>([
  "order.created",
  "cards.virtual_created",
  "cards.replaced",
]);

/** Whether the request created a card, even if the response was lost. */
export function createdCard({ exchange: { point } }: ObservedRequest): boolean {
  return createdPoints.has(point);
}

/** Refusals that happen before the key is read. */
const beforeKey: ReadonlySet<ContractPointId | undefined> = new Set<ContractPointId>([
  "gateway.bad_request",
  "gateway.scenario_unknown",
  "order.on_behalf_of_required",
  "order.on_behalf_of_invalid",
  "cards.on_behalf_of_required",
  "cards.on_behalf_of_invalid",
  "order.content_type_invalid",
  "cards.content_type_invalid",
]);

/** Whether the response shows a card: a new one, or the original one of the key. */
export function showsCard({ exchange: { status = 0 } }: ObservedRequest): boolean {
  return status >= 200 && status < 300;
}

/** Whether the order itself was refused, so that it created no card. */
export function isOrderRefused(request: ObservedRequest): boolean {
  const { status, point } = request.exchange;
  const isFinal = status === 400 || status === 404 || status === 422;
  return isFinal && !beforeKey.has(point) && !isKeyReused(request);
}

/** Whether a dialect stores the refusal of the order under its key, instead of freeing the key (spec §7). */
export function isRefusalStored(request: ObservedRequest): boolean {
  return request.exchange.contract.choices["key.stored_refusals"] === "4xx" && isOrderRefused(request);
}

/** Whether the key was refused because it belongs to another order. */
export function isKeyReused({ exchange: { point } }: ObservedRequest): boolean {
  return point === "order.key_reused" || point === "cards.key_reused";
}

/** Whether the first order with the key was still in progress. */
export function isKeyInProgress({ exchange: { point } }: ObservedRequest): boolean {
  return point === "order.key_in_progress" || point === "cards.key_in_progress";
}

/** How long the service keeps a key, by the company's clock. */
export function keptMs({ exchange: { contract } }: ObservedRequest): number {
  return retentionMs[contract.choices["key.retention"]] ?? Number.POSITIVE_INFINITY;
}
