import QuickLRU from "quick-lru";
import type { OperationId } from "../../contract/operations.ts";
import type { Exchange, Messages } from "../exchange.ts";
import { companyTest } from "../journal.ts";
import {
  type Finding,
  type FindingsFilter,
  type FindingsReport,
  type Severity,
  severities,
} from "./finding.ts";
import { Occurrences, type OccurrencesOfCompany, shownOccurrences } from "./occurrences.ts";
import { ObservedRequest, parseOnce } from "./request.ts";
import type { ApiKeys, Moment, Rule, Watch, WebhookAttempt } from "./rule.ts";
import { type RuleId, ruleIds, rules } from "./rules.ts";

/** The requests that rules see at once. One by one, each rule costs several times as much. */
const batchSize = 32;

/** The most first requests with one key, each in another world or of another member. */
const mostFirst = 100;

export interface FindingsPorts extends ApiKeys {
  /** How often the company's world was reset. */
  generationOf(companyPk: number): number;
  /** How often scenarios for the company, or for all, were armed or disarmed. */
  armingsOf(companyPk: number): number;
  moment(): Omit<Moment, "final">;
  /** Called with the error of a rule that threw. It changes no response. */
  onDefect(defect: Error, exchange: Exchange | undefined): void;
}

type RecordedRequest = readonly [
  id: number,
  exchange: Exchange,
  messages: Messages,
  generation: number,
  armings: number,
];

interface RunningRule {
  readonly id: RuleId;
  /** Undefined: all. */
  readonly operations: ReadonlySet<OperationId | undefined> | undefined;
  readonly watch: Watch;
}

/** Watches clients for mistakes that the real service would punish later, however few requests the journal keeps. */
export class Findings {
  readonly #ports: FindingsPorts;
  #occurrences = new Occurrences();
  #rules: readonly RunningRule[];
  #waiting: RecordedRequest[] = [];
  #firstWithKey = firstRequests();

  constructor(ports: FindingsPorts) {
    this.#ports = ports;
    this.#rules = this.#begin();
  }

  /** @param requestId - the request's id in the journal */
  record(exchange: Exchange, messages: Messages, requestId: number): void {
    const companyPk = exchange.caller?.companyPk;
    const generation = companyPk === undefined ? 0 : this.#ports.generationOf(companyPk);
    const armings = companyPk === undefined ? 0 : this.#ports.armingsOf(companyPk);
    this.#waiting.push([requestId, exchange, messages, generation, armings]);
    // The holder of a key can only be looked up before the next change of the world.
    const mayHaveKey = messages.requestHeaders.get("Authorization")?.includes("sk_");
    if (this.#waiting.length === batchSize || mayHaveKey) this.#catchUp();
  }

  /** Shows the waiting requests to the rules, to one rule after the other. */
  #catchUp(): void {
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
    request.firstWithKey = first.filter(
      (each) => each.scope === scope && each.exchange.operation === exchange.operation,
    );
    if (request.firstWithOwnKey) return;
    this.#firstWithKey.set(order.key, [...first, request].slice(-mostFirst));
  }

  /** Called after an attempt to deliver an event to a webhook. */
  attempted(attempt: WebhookAttempt): void {
    this.#catchUp();
    for (const { watch } of this.#rules) this.#guarded(() => watch.onAttempt?.(attempt));
  }

  /** Drops the findings and the state of the rules. */
  clear(): void {
    this.#waiting = [];
    this.#firstWithKey = firstRequests();
    this.#occurrences = new Occurrences();
    this.#rules = this.#begin();
  }

  report({ company, final = false }: FindingsFilter = {}): FindingsReport {
    this.#catchUp();
    const summarised = new Occurrences(Number.POSITIVE_INFINITY);
    const moment = { ...this.#ports.moment(), final };
    for (const { id, watch } of this.#rules) {
      this.#guarded(() => watch.summarise?.(moment, summarised.reporterOf(id)));
    }
    const all = [...this.#occurrences.all(), ...summarised.all()].filter(companyTest(company));
    const findings = severities.flatMap((severity) =>
      ruleIds.flatMap((id) => {
        const own = all.filter((each) => each.id === id && each.severity === severity);
        return own.length === 0 ? [] : [findingOf(id, severity, own)];
      }),
    );
    const count = (severity: Severity) => findings.filter((each) => each.severity === severity).length;
    return {
      totals: { critical: count("critical"), high: count("high"), warn: count("warn"), info: count("info") },
      findings,
    };
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

/** By key. Most keys are sent once, and then no rule has to remember them. */
function firstRequests(): QuickLRU<string, readonly ObservedRequest[]> {
  return new QuickLRU({ maxSize: 2500 });
}

function findingOf(id: RuleId, severity: Severity, all: readonly OccurrencesOfCompany[]): Finding {
  const { title, why, mend, spec } = rules[id];
  return {
    id,
    severity,
    title,
    why,
    mend,
    spec,
    times: all.reduce((sum, { times }) => sum + times, 0),
    occurrences: all.flatMap(({ occurrences }) => occurrences).slice(0, shownOccurrences),
  };
}
