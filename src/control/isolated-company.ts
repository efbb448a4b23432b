import type { CoverageFilter, CoverageReport } from "../journal/coverage.ts";
import type { FindingsFilter, FindingsReport } from "../journal/findings/finding.ts";
import type { JournalFilter, JournalListing } from "../journal/journal.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import type { CompanyListing } from "../store/world-listing.ts";
import type { TimeListing } from "./clock.ts";
import type { NewCompany } from "./create-company.ts";
import { ControlError } from "./errors.ts";
import { parse } from "./input.ts";
import { coverageFilter, findingsFilter } from "./reports.ts";
import { listFilter } from "./requests.ts";
import type { ArmedScenario, Arming } from "./scenarios.ts";
import type { ControlServices } from "./services.ts";

/** A company's own clock, which can run ahead of the sandbox's. */
export interface CompanyClock {
  read(): TimeListing;
  /** Advances it by an ISO 8601 duration, such as `PT15M`. */
  advance(by: string): Promise<TimeListing>;
  /**
   * Sets it to a later ISO 8601 instant.
   * @throws ControlError 409 if it would go back
   */
  set(now: string): TimeListing;
}

/** A company for one test: its scenarios and its clock affect no other company. */
export interface IsolatedCompany extends CompanyListing {
  /** The secret of its owner's API key, which has all permissions. */
  readonly apiKey: string;
  /** The id of its first account, which is active. */
  readonly accountId: string;
  readonly clock: CompanyClock;
  /** Arms a scenario for this company only. */
  scenario(name: AnyScenarioName, options?: Omit<Arming, "company">): ArmedScenario;
  /** Its requests, as in `GET /_sandbox/requests`. */
  requests(filter?: Omit<JournalFilter, "company">): JournalListing;
  /**
   * The contract points, and how often its requests met each, as in `GET /_sandbox/coverage`. Works after `delete()`
   * too.
   * @throws ControlError 400 if the filter is invalid
   */
  coverage(filter?: Omit<CoverageFilter, "company">): CoverageReport;
  /**
   * The mistakes in its requests, as in `GET /_sandbox/findings`. Works after `delete()` too. At the end of a test, use
   * `final: true`, so that omissions count.
   * @throws ControlError 400 if the filter is invalid
   */
  findings(filter?: Omit<FindingsFilter, "company">): FindingsReport;
  /** Deletes the company with everything that belongs to it. */
  delete(): void;
}

/**
 * Creates a company for one test.
 * @throws ControlError 409 if the slug is taken
 */
export async function isolatedCompany(
  { companies, scenarios, time, journal, coverage, findings }: ControlServices,
  input?: NewCompany,
): Promise<IsolatedCompany> {
  const created = await companies.create(input);
  const company = created.id;
  const pk = companies.pkOf(company);
  return {
    ...created,
    apiKey: created.members[0]?.api_keys[0]?.secret ?? "",
    accountId: created.accounts[0]?.id ?? "",
    clock: {
      read: () => time.read(company),
      advance: (by) => time.advance({ by, company }),
      set: (now) => time.change({ now, company }),
    },
    scenario: (name, options) => scenarios.handle(name, { ...options, company }),
    requests: (filter) => journal.list(parse(listFilter, { ...filter, company }), pk),
    coverage: (filter) => coverage.report(parse(coverageFilter, { ...filter, company }), pk),
    findings: (filter) => findings.report(parse(findingsFilter, { ...filter, company }), pk),
    delete: () => {
      try {
        companies.delete(company);
      } catch (error) {
        // A reset has deleted it already.
        if (!(error instanceof ControlError && error.status === 404)) throw error;
      }
    },
  };
}
