import { maskSecrets } from "../../rules/api-key.ts";
import type { CompanyNames } from "../../store/callers.ts";
import { maskPath } from "../masking.ts";
import type { FindingRequest, Occurrence, Severity } from "./finding.ts";
import type { ObservedRequest } from "./request.ts";
import type { Report } from "./rule.ts";
import { type FindingId, rules } from "./rules.ts";

/** The maximum number of occurrences kept for each rule, severity and company, and shown for each finding. */
export const shownOccurrences = 5;

/** The occurrences of one rule with one severity in one company. */
export interface OccurrencesOfCompany {
  readonly id: FindingId;
  readonly severity: Severity;
  /** Undefined: an unidentified caller, or companies that are no longer counted separately. */
  readonly caller: CompanyNames | undefined;
  times: number;
  readonly occurrences: Occurrence[];
  /** The sequence number of the latest occurrence. */
  latest: number;
}

const defaultMaxSeparate = 500;

/** The occurrences that rules reported. All are counted, but old ones are no longer counted by company. */
export class Occurrences {
  readonly #maxSeparate: number;
  readonly #ofCompanies = new Map<string, OccurrencesOfCompany>();
  readonly #ofOthers = new Map<string, OccurrencesOfCompany>();
  #reported = 0;

  /**
   * @param mostSeparate - the maximum number of entries counted separately; when it is reached, the older half is
   * merged
   */
  constructor(maxSeparate = defaultMaxSeparate) {
    this.#maxSeparate = maxSeparate;
  }

  /** Returns the function that a rule reports with. */
  reporterOf(id: FindingId): Report {
    return ({ observed, requests, company, severity = rules[id].severity }) => {
      if (requests.some(({ muted }) => muted)) return;
      const caller = company ?? requests.at(-1)?.exchange.caller;
      const entry = caller ? this.#ofCompany(id, severity, caller) : this.#ofOther(id, severity);
      entry.times++;
      entry.latest = ++this.#reported;
      if (entry.occurrences.length === shownOccurrences) return;
      entry.occurrences.push({
        observed: maskSecrets(observed),
        company: caller?.companySlug ?? null,
        // One client may call for several companies, and a company's report must not show another's requests.
        requests: requests.filter((each) => isOf(each, caller)).map(findingRequest),
      });
    };
  }

  /** Entries without a company come first. */
  all(): readonly OccurrencesOfCompany[] {
    return [...this.#ofOthers.values(), ...this.#ofCompanies.values()];
  }

  #ofCompany(id: FindingId, severity: Severity, caller: CompanyNames): OccurrencesOfCompany {
    const { companyId, companySlug, environment } = caller;
    const name = `${id} ${severity} ${companyId}`;
    const existing = this.#ofCompanies.get(name);
    if (existing) return existing;
    if (this.#ofCompanies.size === this.#maxSeparate) this.#mergeOldest();
    const entry = noOccurrences(id, severity, { companyId, companySlug, environment });
    this.#ofCompanies.set(name, entry);
    return entry;
  }

  #ofOther(id: FindingId, severity: Severity): OccurrencesOfCompany {
    const name = `${id} ${severity}`;
    const entry = this.#ofOthers.get(name) ?? noOccurrences(id, severity, undefined);
    this.#ofOthers.set(name, entry);
    return entry;
  }

  #mergeOldest(): void {
    const byLatest = [...this.#ofCompanies].sort(([, one], [, other]) => one.latest - other.latest);
    for (const [name, entry] of byLatest.slice(0, this.#maxSeparate / 2)) {
      this.#ofCompanies.delete(name);
      const others = this.#ofOther(entry.id, entry.severity);
      others.times += entry.times;
      const free = shownOccurrences - others.occurrences.length;
      others.occurrences.push(...entry.occurrences.slice(0, free));
    }
  }
}

function noOccurrences(
  id: FindingId,
  severity: Severity,
  caller: CompanyNames | undefined,
): OccurrencesOfCompany {
  return { id, severity, caller, times: 0, occurrences: [], latest: 0 };
}

function isOf({ exchange }: ObservedRequest, company: CompanyNames | undefined): boolean {
  return exchange.caller === undefined || exchange.caller.companyId === company?.companyId;
}

function findingRequest({ id, exchange }: ObservedRequest): FindingRequest {
  return {
    id,
    method: exchange.method,
    path: maskPath(exchange.path),
    status: exchange.status ?? null,
    time: new Date(exchange.atMs).toISOString(),
  };
}
