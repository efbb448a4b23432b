import QuickLRU from "quick-lru";
import type { OperationId } from "../../contract/operations.ts";
import { companyTest } from "../company-test.ts";
import type { Exchange, Messages } from "../exchange.ts";
import type { RecordedRequest } from "../journal.ts";
import { operationsShareKeys } from "./card-order.ts";
import {
  addAll,
  type ByOperation,
  type Finding,
  type FindingsFilter,
  type FindingsReport,
  findingsOf,
  type Severity,
  severities,
} from "./finding.ts";
import { Occurrences, type OccurrencesOfCompany, occurrenceOf, shownOccurrences } from "./occurrences.ts";
import { ObservedRequest, parseOnce } from "./request.ts";
import type { ApiKeys, Moment, Rule, Watch, WebhookAttempt } from "./rule.ts";
import { type FindingId, ruleIds, rules } from "./rules.ts";

/** The number of requests that rules process at once. One by one, each rule takes several times as long. */
const batchSize = 32;

/** The maximum number of first requests with one key, each of another scope or member. */
const maxFirst = 100;

export interface FindingsPorts extends ApiKeys {
  /** How often the company was reset. */
  generationOf(companyPk: number): number;
  /** How often scenarios for the company, or for all, were armed or disarmed. */
  armingsOf(companyPk: number): number;
  moment(): Omit<Moment, "final">;
  /** A recorded request by its id, if it is still kept. */
  requestOf(id: number): RecordedRequest | undefined;
  /** Called when a rule throws. The response is not affected. */
  onDefect(defect: Error, exchange: Exchange | undefined): void;
}

type WaitingRequest = readonly [
  id: number,
  exchange: Exchange,
  messages: Messages,
  generation: number,
  armings: number,
];

interface RunningRule {
  readonly id: FindingId;
  /** Undefined: all requests. */
  readonly operations: ReadonlySet<OperationId | undefined> | undefined;
  readonly watch: Watch;
}

/** Runs the rules on all requests. It does not depend on the size of the journal. */
export class Findings {
  readonly #ports: FindingsPorts;
  #occurrences: Occurrences;
  #rules: readonly RunningRule[];
  #waiting: WaitingRequest[] = [];
  #firstWithKey = firstRequests();

  constructor(ports: FindingsPorts) {
    this.#ports = ports;
    this.#occurrences = new Occurrences(ports.requestOf);
    this.#rules = this.#begin();
  }

  /** @param requestId - the request's id in the journal */
  record(exchange: Exchange, messages: Messages, requestId: number): void {
    const companyPk = exchange.caller?.companyPk;
    const generation = companyPk === undefined ? 0 : this.#ports.generationOf(companyPk);
    const armings = companyPk === undefined ? 0 : this.#ports.armingsOf(companyPk);
    this.#waiting.push([requestId, exchange, messages, generation, armings]);
    if (this.#waiting.length === batchSize) this.catchUp();
  }

  /**
   * Runs one rule after the other on the waiting requests. Call it before the world of a company ends: rules look up the
   * owners of keys, and a later company can have the same keys.
   */
  catchUp(): void {
    const parse = parseOnce();
    const requests = this.#waiting.map((recorded) => new ObservedRequest(...recorded, parse));
    this.#waiting = [];
    for (const request of requests) this.#linkToFirst(request);
    for (const { operations, watch } of this.#rules) {
      if (!watch.onRequest) continue;
      for (const request of requests) {
        if (operations && !operations.has(request.exchange.operation)) continue;
        try {
          watch.onRequest(request);
        } catch (error) {
          this.#ports.onDefect(error as Error, request.exchange);
        }
      }
    }
    for (const request of requests) request.release();
  }

  #linkToFirst(request: ObservedRequest): void {
    const { order, scope, exchange } = request;
    if (!order) return;
    const first = this.#firstWithKey.get(order.key);
    if (!first) {
      this.#firstWithKey.set(order.key, [request]);
      return;
    }
    const isShared = operationsShareKeys(exchange);
    request.firstWithKey = first.filter(
      (each) => each.scope === scope && (isShared || each.exchange.operation === exchange.operation),
    );
    if (request.firstWithOwnKey) return;
    this.#firstWithKey.set(order.key, [...first, request].slice(-maxFirst));
  }

  /** Called after an attempt to deliver an event to a webhook. */
  attempted(attempt: WebhookAttempt): void {
    this.catchUp();
    for (const { watch } of this.#rules) this.#guarded(() => watch.onAttempt?.(attempt));
  }

  /** Drops the findings and the state of the rules. */
  clear(): void {
    this.#waiting = [];
    this.#firstWithKey = firstRequests();
    this.#occurrences = new Occurrences(this.#ports.requestOf);
    this.#rules = this.#begin();
  }

  /** @param companyPk - only this company, and no other one that had its id */
  report(
    { company, final = false, evidence = true }: FindingsFilter = {},
    companyPk?: number,
  ): FindingsReport {
    this.catchUp();
    const summarised = new Occurrences(this.#ports.requestOf, Number.POSITIVE_INFINITY);
    const moment = { ...this.#ports.moment(), final };
    for (const { id, watch } of this.#rules) {
      this.#guarded(() => watch.summarise?.(moment, summarised.reporterOf(id)));
    }
    const all = [...this.#occurrences.all(), ...summarised.all()].filter(companyTest(company, companyPk));
    const findings = severities.flatMap((severity) =>
      ruleIds.flatMap((id) => {
        const own = all.filter((each) => each.id === id && each.severity === severity);
        return own.length === 0 ? [] : [findingOf(id, severity, own, evidence)];
      }),
    );
    return findingsOf(findings);
  }

  #begin(): readonly RunningRule[] {
    return ruleIds.map((id) => {
      const rule: Rule = rules[id];
      return {
        id,
        operations: rule.operations && new Set(rule.operations),
        watch: rule.watch(this.#occurrences.reporterOf(id), this.#ports),
      };
    });
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ports.onDefect(error as Error, undefined);
    }
  }
}

/** By key. Most keys are sent only once, so rules need not remember them. */
function firstRequests(): QuickLRU<string, readonly ObservedRequest[]> {
  return new QuickLRU({ maxSize: 2500 });
}

function findingOf(
  id: FindingId,
  severity: Severity,
  all: readonly OccurrencesOfCompany[],
  hasEvidence: boolean,
): Finding {
  const { title, why, fix, spec } = rules[id];
  return {
    id,
    severity,
    title,
    why,
    fix,
    spec,
    times: all.reduce((sum, { times }) => sum + times, 0),
    by_operation: all.reduce<ByOperation>((sums, { byOperation }) => addAll(sums, byOperation), {}),
    occurrences: all
      .flatMap(({ occurrences }) => occurrences)
      .slice(0, shownOccurrences)
      .map((each) => occurrenceOf(each, hasEvidence)),
  };
}
