import { maskSecrets } from "../../rules/api-key.ts";
import type { CompanyNames } from "../../store/callers.ts";
import { maskPath } from "../masking.ts";
import type { Occurrence, RequestSeen, Severity } from "./finding.ts";
import type { Found } from "./rule.ts";
import { type RuleId, rules } from "./rules.ts";
import type { Seen } from "./seen.ts";

/** Of each rule, severity and company; and of each finding. */
export const shownOccurrences = 5;

/** The occurrences of one rule, of one severity, for one company; or for all that are not told apart. */
export interface Kept {
  readonly id: RuleId;
  readonly severity: Severity;
  /** Undefined: nobody knew who called, or companies that are not told apart any more. */
  readonly caller: CompanyNames | undefined;
  times: number;
  readonly occurrences: Occurrence[];
  /** When it was seen last: greater than of what was seen before. */
  latest: number;
}

const usuallyApart = 500;

/** What rules found. How often is never forgotten, but of which company it was, where that is long ago. */
export class Occurrences {
  readonly #mostApart: number;
  readonly #ofCompanies = new Map<string, Kept>();
  readonly #ofOthers = new Map<string, Kept>();
  #seen = 0;

  /** @param mostApart - at most so many are told apart by their companies, and the half that was seen last at least */
  constructor(mostApart = usuallyApart) {
    this.#mostApart = mostApart;
  }

  /** Takes what a rule finds. */
  of(id: RuleId): Found {
    return ({ seen, requests, company, severity = rules[id].severity }) => {
      if (requests.some(({ muted }) => muted)) return;
      const caller = company ?? requests.at(-1)?.exchange.caller;
      const kept = caller ? this.#ofCompany(id, severity, caller) : this.#ofOther(id, severity);
      kept.times++;
      kept.latest = ++this.#seen;
      if (kept.occurrences.length === shownOccurrences) return;
      kept.occurrences.push({
        seen: maskSecrets(seen),
        company: caller?.companySlug ?? null,
        // A client may have met several companies; what is told of one tells of no other.
        requests: requests.filter((each) => isOf(each, caller)).map(requestSeen),
      });
    };
  }

  /** Those of companies that are not told apart, or that nobody knew, come first. */
  all(): readonly Kept[] {
    return [...this.#ofOthers.values(), ...this.#ofCompanies.values()];
  }

  #ofCompany(id: RuleId, severity: Severity, caller: CompanyNames): Kept {
    const { companyId, companySlug, environment } = caller;
    const name = `${id} ${severity} ${companyId}`;
    const known = this.#ofCompanies.get(name);
    if (known) return known;
    if (this.#ofCompanies.size === this.#mostApart) this.#keepTogether();
    const kept = begun(id, severity, { companyId, companySlug, environment });
    this.#ofCompanies.set(name, kept);
    return kept;
  }

  #ofOther(id: RuleId, severity: Severity): Kept {
    const name = `${id} ${severity}`;
    const kept = this.#ofOthers.get(name) ?? begun(id, severity, undefined);
    this.#ofOthers.set(name, kept);
    return kept;
  }

  #keepTogether(): void {
    const byLatest = [...this.#ofCompanies].sort(([, one], [, other]) => one.latest - other.latest);
    for (const [name, kept] of byLatest.slice(0, this.#mostApart / 2)) {
      this.#ofCompanies.delete(name);
      const others = this.#ofOther(kept.id, kept.severity);
      others.times += kept.times;
      const free = shownOccurrences - others.occurrences.length;
      others.occurrences.push(...kept.occurrences.slice(0, free));
    }
  }
}

function begun(id: RuleId, severity: Severity, caller: CompanyNames | undefined): Kept {
  return { id, severity, caller, times: 0, occurrences: [], latest: 0 };
}

function isOf({ exchange }: Seen, company: CompanyNames | undefined): boolean {
  return exchange.caller === undefined || exchange.caller.companyId === company?.companyId;
}

function requestSeen({ id, exchange }: Seen): RequestSeen {
  return {
    id,
    method: exchange.method,
    path: maskPath(exchange.path),
    status: exchange.status ?? null,
    time: new Date(exchange.atMs).toISOString(),
  };
}
