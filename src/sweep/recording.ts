import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import type { Call, Observer, Watch } from "../http/observer.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import { evidenceOf } from "../journal/findings/evidence.ts";
import type { FindingRequest } from "../journal/findings/finding.ts";
import type { Journal } from "../journal/journal.ts";
import { maskPath } from "../journal/masking.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Outgoing } from "../store/webhook-deliveries.ts";
import { activeWebhooks } from "../store/webhooks.ts";
import type { AttemptOutcome } from "../webhooks/attempt.ts";
import { affects } from "./faults.ts";
import { type Delivery, hasGeneratedSlug, type World, WorldCapture, worldLabelOf } from "./world.ts";

/** The label of calls whose caller the sandbox did not identify. */
const unidentified = "unidentified";

/** One call of a client, identified by its label, its operation and its ordinal. */
export interface RecordedCall {
  /** The slug of the company, or `live/SLUG`. */
  readonly label: string;
  readonly operation: OperationId;
  /** The position among the calls of its label and operation, from 1, also counting refused calls and replays. */
  readonly ordinal: number;
  /** It has a scenario of its own: selected, armed, or `Sandbox-Test: negative`. */
  isForced: boolean;
  /** The fault that the sweep forces on it. */
  readonly fault: string | undefined;
  /** Whether that fault acted. */
  hasFired: boolean;
  /** Whether the sandbox sent or lost its response before the client ended. */
  hasEnded: boolean;
  method: string;
  /** Without secrets and without the query. */
  path: string;
  key: string | undefined;
  point: ContractPointId | null;
  /** Null if the client received no response or a part of one. */
  status: number | null;
  /** The fault of the response, such as `response.reset`. */
  loss: string | undefined;
  /** Whether the client closed the connection before the response. */
  isAbandoned: boolean;
  /** The id of the card that it created. */
  cardId: string | undefined;
  /** Whether its company had active webhooks. */
  hasWebhooks: boolean;
  /** The request with its body, which can contain secrets. */
  request: string | undefined;
  /** Its id in the journal; undefined: it has not ended. */
  requestId: number | undefined;
}

/** The faults of one run: the first is forced on the call, the second on the next call of its label that it can affect. */
export interface Plan {
  readonly call: Pick<RecordedCall, "label" | "operation" | "ordinal">;
  readonly faults: readonly Scenario[];
}

interface Parts {
  readonly journal: Journal;
  readonly services: Services;
  readonly scenarios: Scenarios;
}

const creating: ReadonlySet<string> = new Set(["order.created", "cards.virtual_created", "cards.replaced"]);

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Everything that a sweep needs to know about one run of a client. */
export class Recording implements Observer {
  /** In the order in which the sandbox decided them. */
  readonly calls: RecordedCall[] = [];
  /** The slugs of companies that were made without a slug, and ran at the same time. */
  readonly parallel = new Set<string>();
  /** The positions of the first calls of companies without a given slug. */
  readonly #firstCalls = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  /** The ids in complete responses and in acknowledged webhook deliveries. */
  readonly #told = new Set<string>();
  readonly #capture: WorldCapture;
  readonly #parts: Parts;
  readonly #plan: Plan | undefined;
  readonly #onHang: (call: RecordedCall) => void;
  /** The number of faults that were forced. */
  #forced = 0;
  #isClosed = false;
  /** The client's next call of the label after the first fault. */
  next: RecordedCall | undefined;

  /** @param onHang - called when a request stayed silent, and its client waited until the end */
  constructor(parts: Parts, plan: Plan | undefined, onHang: (call: RecordedCall) => void) {
    this.#parts = parts;
    this.#plan = plan;
    this.#onHang = onHang;
    this.#capture = new WorldCapture(parts.services);
  }

  begin({ operation, caller, isForced }: Call): Watch {
    // A function that was stopped can go on.
    if (this.#isClosed) return { ended() {} };
    const label = caller ? labelOf(caller) : unidentified;
    const name = `${label}/${operation}`;
    const ordinal = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, ordinal);
    if (caller) this.#capture.add(caller.companyPk, label);
    this.#noteParallel(label);
    this.#releaseFor(caller);
    const hasForced = this.#forced > 0;
    const forced = this.#forcedOn({ label, operation, ordinal });
    const call: RecordedCall = {
      ...{ label, operation, ordinal, isForced, fault: forced?.name },
      ...{ hasFired: false, hasEnded: false, isAbandoned: false, hasWebhooks: false },
      ...{
        method: "",
        path: "",
        key: undefined,
        request: undefined,
        requestId: undefined,
        point: null,
        status: null,
        loss: undefined,
        cardId: undefined,
      },
    };
    this.calls.push(call);
    if (hasForced && label === this.#plan?.call.label) this.next ??= call;
    return { forced, ended: (exchange, messages) => this.#ended(call, exchange, messages) };
  }

  /** Under this alternative no retry meets its key in progress: it waits for the order whose connection was lost. */
  #releaseFor(caller: Call["caller"]): void {
    const { services, scenarios } = this.#parts;
    const { choices } = services.dialects.of(caller?.companyPk);
    if (choices["order.key_in_progress"] === "wait") scenarios.releaseForced();
  }

  #forcedOn(call: Pick<RecordedCall, "label" | "operation" | "ordinal">): Scenario | undefined {
    const plan = this.#plan;
    const fault = plan?.faults[this.#forced];
    if (!plan || !fault || call.label !== plan.call.label) return undefined;
    const isFirst = call.operation === plan.call.operation && call.ordinal === plan.call.ordinal;
    // The client may repeat a call before the first attempt has ended.
    if (this.#forced === 0 ? !isFirst : !affects(fault, call)) return undefined;
    this.#forced++;
    return fault;
  }

  #ended(call: RecordedCall, exchange: Exchange, messages: Messages): void {
    const { caller, point, status, fault, idempotencyKey, abortedMs } = exchange;
    const isComplete =
      status !== undefined && fault !== "response.truncated" && abortedMs === undefined && !this.#isClosed;
    call.hasEnded = !this.#isClosed;
    // A client that gave up on a held request felt the fault, even if a reset ended the request.
    const hasActed = exchange.scenario === call.fault || abortedMs !== undefined;
    call.hasFired = call.fault !== undefined && hasActed;
    call.isForced ||= call.fault === undefined && exchange.scenario !== undefined;
    call.requestId = this.#parts.journal.lastId + 1;
    call.method = exchange.method;
    call.path = maskPath(exchange.path);
    call.key = idempotencyKey;
    call.point = point ?? null;
    call.status = isComplete ? status : null;
    call.loss = fault;
    call.isAbandoned = abortedMs !== undefined;
    call.hasWebhooks =
      caller !== undefined && activeWebhooks(this.#parts.services.database, caller.companyPk).length > 0;
    call.request = `${exchange.method} ${exchange.path} ${messages.requestBody ?? ""}`;
    if (point !== undefined && creating.has(point)) this.#noteCard(call, messages);
    if (isComplete) this.#tell(messages.responseBody);
    // The order whose connection was lost ends once a retry met its key in progress.
    if (point?.endsWith(".key_in_progress")) this.#parts.scenarios.releaseForced();
    const isSilent = fault === "response.silent" && !call.isAbandoned && !this.#isClosed;
    if (isSilent && call.fault !== undefined) this.#onHang(call);
  }

  #noteCard(call: RecordedCall, { requestBody, responseBody, decidedBody }: Messages): void {
    const card = parsed(decidedBody ?? responseBody);
    if (typeof card?.id !== "string") return;
    call.cardId = card.id;
    const order = parsed(requestBody);
    const delivery: Delivery = { address: order?.delivery_address, method: order?.delivery_method };
    this.#capture.noteDelivery(card.id, delivery);
  }

  delivered({ body }: Outgoing, { error }: AttemptOutcome): void {
    if (error === null && !this.#isClosed) this.#tell(body);
  }

  #tell(text: string | undefined): void {
    for (const [id] of text?.matchAll(uuids) ?? []) this.#told.add(id);
  }

  /** Companies without a given slug run at the same time if their calls alternate: their slugs then depend on chance. */
  #noteParallel(label: string): void {
    if (!hasGeneratedSlug(label)) return;
    const now = this.calls.length;
    const first = this.#firstCalls.get(label) ?? now;
    this.#firstCalls.set(label, first);
    for (const [other, otherFirst] of this.#firstCalls) {
      if (otherFirst > first && otherFirst < now) this.parallel.add(label).add(other);
    }
  }

  /** The created cards of each label that the client was never told of. */
  untold(): ReadonlyMap<string, number> {
    const untold = new Map<string, number>();
    for (const { label, cardId } of this.calls) {
      if (cardId === undefined || this.#told.has(cardId)) continue;
      const name = worldLabelOf(label);
      untold.set(name, (untold.get(name) ?? 0) + 1);
    }
    return untold;
  }

  /** The request that had waited longest for its response when the client ended; undefined: none waited. */
  get waiting(): RecordedCall | undefined {
    return this.calls.find(({ hasEnded }) => !hasEnded);
  }

  /** The call with the first fault; undefined: the fault did not act. */
  get hitCall(): RecordedCall | undefined {
    return this.calls.find(({ hasFired }) => hasFired);
  }

  /** These calls with their headers and bodies. */
  evidenceOf(calls: readonly RecordedCall[]): FindingRequest[] {
    return calls.flatMap(({ requestId }) => {
      const kept = requestId === undefined ? undefined : this.#parts.journal.kept(requestId);
      return kept ? [evidenceOf(kept)] : [];
    });
  }

  /** The client has ended: no response from now on reaches it, and no request that waits hangs. */
  clientEnded(): void {
    this.#isClosed = true;
  }

  /**
   * The state that the client leaves, by label.
   * @param expected - labels to include even if the run did not call them
   */
  world(expected: Iterable<string>): World {
    return this.#capture.world(expected);
  }
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text ?? "") ?? undefined;
  } catch {
    return undefined;
  }
}

function labelOf({ environment, companySlug }: NonNullable<Call["caller"]>): string {
  return environment === "live" ? `live/${companySlug}` : companySlug;
}
