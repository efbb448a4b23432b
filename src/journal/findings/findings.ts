import type { Exchange, Messages } from "../exchange.ts";
import { companyTest } from "../journal.ts";
import type { Finding, FindingsFilter, FindingsReport, Severity } from "./finding.ts";
import { severities } from "./finding.ts";
import { type Kept, Occurrences, shownOccurrences } from "./occurrences.ts";
import type { Known, Moment, Watch, WebhookAttempt } from "./rule.ts";
import { type RuleId, ruleIds, rules } from "./rules.ts";
import { Seen } from "./seen.ts";
import { Senders } from "./senders.ts";

/** How many requests rules see at once: one by one, each rule costs several times as much. */
const batch = 32;

/** What the findings go by. */
export interface FindingsPorts extends Known {
  /** How often the company's world was put back. */
  generationOf(companyPk: number): number;
  /** How often what is armed for the company, or for all, was changed. */
  armingsOf(companyPk: number): number;
  moment(): Omit<Moment, "final">;
  /** Told of a rule that threw; it changes no answer. */
  onDefect(defect: Error, exchange: Exchange | undefined): void;
}

/**
 * Watches what clients do for mistakes that the real service would punish later. It decides nothing, and keeps for
 * each rule what that still needs, however few requests the journal keeps.
 */
export class Findings {
  readonly #ports: FindingsPorts;
  #senders = new Senders();
  #kept = new Occurrences();
  #watches: [RuleId, Watch][];
  #unseen: Seen[] = [];

  constructor(ports: FindingsPorts) {
    this.#ports = ports;
    this.#watches = this.#begin();
  }

  /** @param requestId - the request's id in the journal */
  record(exchange: Exchange, messages: Messages, requestId: number): void {
    const companyPk = exchange.caller?.companyPk;
    const generation = companyPk === undefined ? 0 : this.#ports.generationOf(companyPk);
    const armings = companyPk === undefined ? 0 : this.#ports.armingsOf(companyPk);
    const sender = this.#senders.of(exchange, messages, generation);
    const request = new Seen(requestId, exchange, messages, sender, armings);
    this.#unseen.push(request);
    // Whose key it is that stands there has to be looked up as long as there is a world that knows it.
    if (this.#unseen.length === batch || request.authorization.includes("sk_")) this.#catchUp();
  }

  /** Shows the rules what they have not seen yet, one rule after the other. */
  #catchUp(): void {
    const requests = this.#unseen;
    this.#unseen = [];
    for (const [, watch] of this.#watches) {
      if (watch.see) this.#show(watch.see, requests);
    }
    for (const request of requests) request.release();
  }

  #show(see: NonNullable<Watch["see"]>, requests: readonly Seen[]): void {
    for (const request of requests) {
      try {
        see(request);
      } catch (error) {
        this.#ports.onDefect(error as Error, request.exchange);
      }
    }
  }

  /** A webhook's receiver was sent an event. */
  attempted(attempt: WebhookAttempt): void {
    this.#catchUp();
    for (const [, watch] of this.#watches) this.#guarded(() => watch.hear?.(attempt));
  }

  /** Forgets what was found, and what rules remember. */
  clear(): void {
    this.#unseen = [];
    this.#senders = new Senders();
    this.#kept = new Occurrences();
    this.#watches = this.#begin();
  }

  report({ company, final = false }: FindingsFilter = {}): FindingsReport {
    this.#catchUp();
    const standing = new Occurrences(Number.POSITIVE_INFINITY);
    const moment = { ...this.#ports.moment(), final };
    for (const [id, watch] of this.#watches) {
      this.#guarded(() => watch.standing?.(moment, standing.of(id)));
    }
    const isOfCompany = companyTest(company);
    const kept = [...this.#kept.all(), ...standing.all()].filter(isOfCompany);
    const findings = severities.flatMap((severity) =>
      ruleIds.flatMap((id) => {
        const own = kept.filter((each) => each.id === id && each.severity === severity);
        return own.length === 0 ? [] : [findingOf(id, severity, own)];
      }),
    );
    const count = (severity: Severity) => findings.filter((each) => each.severity === severity).length;
    return {
      totals: { critical: count("critical"), high: count("high"), warn: count("warn"), info: count("info") },
      findings,
    };
  }

  #begin(): [RuleId, Watch][] {
    return ruleIds.map((id) => [id, rules[id].watch(this.#kept.of(id), this.#ports)]);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ports.onDefect(error as Error, undefined);
    }
  }
}

function findingOf(id: RuleId, severity: Severity, kept: readonly Kept[]): Finding {
  const { title, why, mend, spec } = rules[id];
  return {
    id,
    severity,
    title,
    why,
    mend,
    spec,
    times: kept.reduce((sum, { times }) => sum + times, 0),
    occurrences: kept.flatMap(({ occurrences }) => occurrences).slice(0, shownOccurrences),
  };
}
