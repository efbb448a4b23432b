import { maskSecrets } from "../../rules/api-key.ts";
import type { CompanyNames } from "../../store/callers.ts";
import { entryOf, type RecordedRequest } from "../journal.ts";
import { evidenceOf, withoutMessages } from "./evidence.ts";
import { addAll, type ByOperation, type FindingRequest, type Occurrence, type Severity } from "./finding.ts";
import type { ObservedRequest } from "./request.ts";
import type { Report } from "./rule.ts";
import { type FindingId, rules } from "./rules.ts";

/** The maximum number of occurrences kept for each rule, severity and company, and shown for each finding. */
export const shownOccurrences = 5;

/** In bytes, as the journal counts them. Further occurrences have no evidence. */
const mostEvidence = 16 * 1024 * 1024;
/** The memory of a request whose bodies are cut, in bytes. A larger one is cut as soon as it is evidence. */
const mostOfRequest = 96 * 1024;

/** An occurrence before it is shown. */
interface KeptOccurrence extends Omit<Occurrence, "requests"> {
  readonly requests: readonly {
    readonly plain: FindingRequest;
    readonly kept: RecordedRequest | undefined;
  }[];
}

/** An occurrence as a report shows it. */
export function occurrenceOf({ requests, ...shown }: KeptOccurrence, hasEvidence: boolean): Occurrence {
  return {
    ...shown,
    requests: requests.map(({ plain, kept }) => (hasEvidence && kept ? evidenceOf(kept) : plain)),
  };
}

/** The occurrences of one rule with one severity in one company. */
export interface OccurrencesOfCompany {
  readonly id: FindingId;
  readonly severity: Severity;
  /** Undefined: an unidentified caller, or companies that are no longer counted separately. */
  readonly caller: CompanyNames | undefined;
  times: number;
  readonly byOperation: ByOperation;
  readonly occurrences: KeptOccurrence[];
  /** The sequence number of the latest occurrence. */
  latest: number;
}

const defaultMaxSeparate = 500;

/** The occurrences that rules reported. All are counted, but old ones are no longer counted by company. */
export class Occurrences {
  readonly #maxSeparate: number;
  readonly #requestOf: (id: number) => RecordedRequest | undefined;
  readonly #ofCompanies = new Map<string, OccurrencesOfCompany>();
  readonly #ofOthers = new Map<string, OccurrencesOfCompany>();
  #reported = 0;
  /** The memory of the evidence. */
  #bytes = 0;

  /**
   * @param requestOf - returns a recorded request by its id, if it is still kept
   * @param maxSeparate - the maximum number of entries counted separately; when it is reached, the older half is
   * merged
   */
  constructor(requestOf: (id: number) => RecordedRequest | undefined, maxSeparate = defaultMaxSeparate) {
    this.#requestOf = requestOf;
    this.#maxSeparate = maxSeparate;
  }

  /** Returns the function that a rule reports with. */
  reporterOf(id: FindingId): Report {
    return ({ observed, requests, company, severity = rules[id].severity }) => {
      if (requests.some(({ muted }) => muted)) return;
      const mistake = requests.at(-1)?.exchange;
      const caller = company ?? mistake?.caller;
      const entry = caller ? this.#ofCompany(id, severity, caller) : this.#ofOther(id, severity);
      entry.times++;
      addAll(entry.byOperation, { [mistake?.operation ?? "none"]: 1 });
      entry.latest = ++this.#reported;
      if (entry.occurrences.length === shownOccurrences) return;
      entry.occurrences.push({
        observed: maskSecrets(observed),
        company: caller?.companySlug ?? null,
        // One client may call for several companies, and a company's report must not show another's requests.
        requests: requests.filter((each) => isOf(each, caller)).map((each) => this.#kept(each)),
      });
    };
  }

  /** Keeps the request for as long as the occurrence, even if the journal drops it. */
  #kept({ id, exchange }: ObservedRequest): KeptOccurrence["requests"][number] {
    const plain = withoutMessages({ id: Number(id), exchange });
    const kept = this.#requestOf(Number(id));
    if (!kept || this.#bytes > mostEvidence) return { plain, kept: undefined };
    if (kept.bytes > mostOfRequest) entryOf(kept);
    this.#bytes += Math.min(kept.bytes, mostOfRequest);
    return { plain, kept };
  }

  /** Entries without a company come first. */
  all(): readonly OccurrencesOfCompany[] {
    return [...this.#ofOthers.values(), ...this.#ofCompanies.values()];
  }

  #ofCompany(id: FindingId, severity: Severity, caller: CompanyNames): OccurrencesOfCompany {
    const { companyPk, companyId, companySlug, environment } = caller;
    const name = `${id} ${severity} ${companyPk}`;
    const existing = this.#ofCompanies.get(name);
    if (existing) return existing;
    if (this.#ofCompanies.size === this.#maxSeparate) this.#mergeOldest();
    const entry = noOccurrences(id, severity, { companyPk, companyId, companySlug, environment });
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
      addAll(others.byOperation, entry.byOperation);
      const free = shownOccurrences - others.occurrences.length;
      others.occurrences.push(...entry.occurrences.slice(0, free));
      for (const { kept } of entry.occurrences.slice(free).flatMap(({ requests }) => requests)) {
        if (kept) this.#bytes -= Math.min(kept.bytes, mostOfRequest);
      }
    }
  }
}

function noOccurrences(
  id: FindingId,
  severity: Severity,
  caller: CompanyNames | undefined,
): OccurrencesOfCompany {
  return { id, severity, caller, times: 0, byOperation: {}, occurrences: [], latest: 0 };
}

function isOf({ exchange }: ObservedRequest, company: CompanyNames | undefined): boolean {
  return exchange.caller === undefined || exchange.caller.companyPk === company?.companyPk;
}
