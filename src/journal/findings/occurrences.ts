import { maskSecrets } from "../../rules/api-key.ts";
import type { CompanyNames } from "../../store/callers.ts";
import { maskPath } from "../masking.ts";
import type { Occurrence, RequestSeen, Severity } from "./finding.ts";
import type { ObservedRequest } from "./request.ts";
import type { Report } from "./rule.ts";
import { type RuleId, rules } from "./rules.ts";

/** The most occurrences that are kept for each rule, severity and company, and shown for each finding. */
export const shownOccurrences = 5;

/** The occurrences of one rule with one severity in one company. */
export interface OccurrencesOfCompany {
  readonly id: RuleId;
  readonly severity: Severity;
  /** Undefined: an unidentified caller, or companies that are no longer counted separately. */
  readonly caller: CompanyNames | undefined;
  times: number;
  readonly occurrences: Occurrence[];
  /** The number of the latest occurrence. */
  latest: number;
}

const defaultMostSeparate = 500;

/** The occurrences that rules reported. Their number is never forgotten, but the companies of old ones are. */
export class Occurrences {
  readonly #mostSeparate: number;
  readonly #ofCompanies = new Map<string, OccurrencesOfCompany>();
  readonly #ofOthers = new Map<string, OccurrencesOfCompany>();
  #reported = 0;

  /** @param mostSeparate - the most entries that are counted separately; beyond it, the older half is merged */
  constructor(mostSeparate = defaultMostSeparate) {
    this.#mostSeparate = mostSeparate;
  }

  /** The function through which a rule reports. */
  reporterOf(id: RuleId): Report {
    return ({ seen, requests, company, severity = rules[id].severity }) => {
      if (requests.some(({ muted }) => muted)) return;
      const caller = company ?? requests.at(-1)?.exchange.caller;
      const entry = caller ? this.#ofCompany(id, severity, caller) : this.#ofOther(id, severity);
      entry.times++;
      entry.latest = ++this.#reported;
      if (entry.occurrences.length === shownOccurrences) return;
      entry.occurrences.push({
        seen: maskSecrets(seen),
        company: caller?.companySlug ?? null,
        // One client may call for several companies, and a company's report must not show another's requests.
        requests: requests.filter((each) => isOf(each, caller)).map(requestSeen),
      });
    };
  }

  /** Begins with the entries without a company. */
  all(): readonly OccurrencesOfCompany[] {
    return [...this.#ofOthers.values(), ...this.#ofCompanies.values()];
  }

  #ofCompany(id: RuleId, severity: Severity, caller: CompanyNames): OccurrencesOfCompany {
    const { companyId, companySlug, environment } = caller;
    const name = `${id} ${severity} ${companyId}`;
    const existing = this.#ofCompanies.get(name);
    if (existing) return existing;
    if (this.#ofCompanies.size === this.#mostSeparate) this.#mergeOldest();
    const entry = noOccurrences(id, severity, { companyId, companySlug, environment });
    this.#ofCompanies.set(name, entry);
    return entry;
  }

  #ofOther(id: RuleId, severity: Severity): OccurrencesOfCompany {
    const name = `${id} ${severity}`;
    const entry = this.#ofOthers.get(name) ?? noOccurrences(id, severity, undefined);
    this.#ofOthers.set(name, entry);
    return entry;
  }

  #mergeOldest(): void {
    const byLatest = [...this.#ofCompanies].sort(([, one], [, other]) => one.latest - other.latest);
    for (const [name, entry] of byLatest.slice(0, this.#mostSeparate / 2)) {
      this.#ofCompanies.delete(name);
      const others = this.#ofOther(entry.id, entry.severity);
      others.times += entry.times;
      const free = shownOccurrences - others.occurrences.length;
      others.occurrences.push(...entry.occurrences.slice(0, free));
    }
  }
}

function noOccurrences(
  id: RuleId,
  severity: Severity,
  caller: CompanyNames | undefined,
): OccurrencesOfCompany {
  return { id, severity, caller, times: 0, occurrences: [], latest: 0 };
}

function isOf({ exchange }: ObservedRequest, company: CompanyNames | undefined): boolean {
  return exchange.caller === undefined || exchange.caller.companyId === company?.companyId;
}

function requestSeen({ id, exchange }: ObservedRequest): RequestSeen {
  return {
    id,
    method: exchange.method,
    path: maskPath(exchange.path),
    status: exchange.status ?? null,
    time: new Date(exchange.atMs).toISOString(),
  };
}
