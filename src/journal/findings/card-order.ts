import { physicalCardOrder, physicalReplacement, virtualCardOrder } from "../../contract/card-requests.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { PointId } from "../../contract/points.ts";
import { hashOfSecret } from "../../rules/random.ts";
import type { KeyMemory } from "./key-memory.ts";
import { orderMeaning } from "./order-meaning.ts";
import type { Seen } from "./seen.ts";

/** The fields of what makes a card under an Idempotency-Key. A virtual card's replacement knows a part of them. */
const fields: Partial<Record<OperationId, ReadonlySet<string>>> = {
  orderPhysicalCard: new Set(Object.keys(physicalCardOrder.shape)),
  orderVirtualCard: new Set(Object.keys(virtualCardOrder.shape)),
  replaceCard: new Set(Object.keys(physicalReplacement.shape)),
};

/** A request that orders a card, physical or virtual, or one in another's place, under an Idempotency-Key. */
export interface CardOrder {
  readonly key: string;
  /** Of the key with what it means one thing within (assumed): the world, the member and the operation. */
  readonly memory: KeyMemory;
  /** Of the key in that world and operation, whichever member sends it. */
  readonly sharedMemory: KeyMemory;
  /** What is asked for: the same text for two that ask for the same. */
  readonly meaning: string;
}

/** What is longer is kept by its hash. */
const longestKept = 2000;

/** Whether an operation demands an Idempotency-Key. */
export function isKeyed(operation: OperationId | undefined): boolean {
  return operation !== undefined && operation in fields;
}

/** Undefined where the request is no such order, has no key that is one, or nobody knew who called. */
export function cardOrderOf(request: Seen): CardOrder | undefined {
  if (request.order === undefined) request.order = readOrder(request) ?? null;
  return request.order ?? undefined;
}

function readOrder(request: Seen): CardOrder | undefined {
  const { operation, idempotencyKey: key, caller } = request.exchange;
  const ofOperation = operation && fields[operation];
  if (!ofOperation || !key || !caller) return undefined;
  const meaning = meaningOf(request, ofOperation);
  if (meaning === undefined) return undefined;
  const { shared, own } = request.sender.keys.of(key, request.scope, operation, caller.memberPk);
  return { key, memory: own, sharedMemory: shared, meaning };
}

function meaningOf({ exchange: { path }, sent }: Seen, ofOperation: ReadonlySet<string>): string | undefined {
  if (sent.meaning?.path === path) return sent.meaning.text;
  const body = orderMeaning(sent.value, ofOperation);
  if (body === undefined) return undefined;
  // Of a replacement the path says which card it is for.
  const text = shortened(`${path.toLowerCase()} ${body}`);
  sent.meaning = { path, text };
  return text;
}

/** The key with what it means one thing within: longer than its memory, which is forgotten once many others were sent. */
export function keyNameOf({ scope, exchange: { caller, operation, idempotencyKey } }: Seen): string {
  return `${scope} ${caller?.memberPk} ${operation} ${idempotencyKey}`;
}

/** What is remembered of an order is to be small, whatever was sent. */
export function shortened(text: string): string {
  return text.length <= longestKept ? text : hashOfSecret(text).join();
}

const made: ReadonlySet<PointId | undefined> = new Set<PointId>([
  "order.created",
  "cards.virtual_created",
  "cards.replaced",
]);

/** Whether a card was made, whether or not the client was told. */
export function madeCard({ exchange: { point } }: Seen): boolean {
  return made.has(point);
}

/** What a request is refused for before anybody looks at its key. */
const beforeKey: ReadonlySet<PointId | undefined> = new Set<PointId>([
  "gateway.bad_request",
  "gateway.scenario_unknown",
  "order.on_behalf_of_required",
  "order.on_behalf_of_invalid",
  "cards.on_behalf_of_required",
  "cards.on_behalf_of_invalid",
  "order.content_type_invalid",
  "cards.content_type_invalid",
]);

/** Whether the answer says that the order was looked at and refused: its key holds no card, and may order (spec §7). */
export function isRefused({ exchange: { status, point } }: Seen): boolean {
  return (status === 400 || status === 404 || status === 422) && !beforeKey.has(point);
}

/** Whether the answer says that the key's first order is still under way. */
export function isKeyInProgress({ exchange: { point } }: Seen): boolean {
  return point === "order.key_in_progress" || point === "cards.key_in_progress";
}
