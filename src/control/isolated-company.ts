import type { JournalFilter, JournalListing } from "../journal/journal.ts";
import type { CompanyListing } from "../store/world-listing.ts";
import type { Companies, NewCompany } from "./companies.ts";
import { ControlError } from "./control-error.ts";
import type { Requests } from "./requests.ts";
import type { ArmedScenario, ArmedScenarios, Arming } from "./scenarios.ts";
import type { SandboxTime, TimeListing } from "./time.ts";

/** A company's time, which runs ahead of the sandbox's by itself. */
export interface CompanyClock {
  read(): TimeListing;
  /**
   * Moves it on by an ISO 8601 duration, such as `PT15M`.
   * @throws ControlError 400
   */
  advance(by: string): Promise<TimeListing>;
  /**
   * Sets it ahead, to an ISO 8601 instant.
   * @throws ControlError 400, or 409 where it would go back
   */
  set(now: string): TimeListing;
}

/** A company of one test's own: what is forced on it, and how its time goes, disturbs no other. */
export interface IsolatedCompany extends CompanyListing {
  /** Its owner's, which may do everything. */
  readonly apiKey: string;
  /** Of its first account, which is active. */
  readonly accountId: string;
  readonly clock: CompanyClock;
  /**
   * Arms a scenario for it alone.
   * @throws ControlError 400, 404
   */
  scenario(name: string, options?: Omit<Arming, "company">): ArmedScenario;
  /** Its requests, as `GET /_sandbox/requests` lists them. */
  requests(filter?: Omit<JournalFilter, "company">): JournalListing;
  /** Deletes it, with all that it has. */
  delete(): void;
}

/** What it takes to make one. */
interface Makers {
  readonly companies: Companies;
  readonly scenarios: ArmedScenarios;
  readonly time: SandboxTime;
  readonly requests: Requests;
}

/**
 * Makes a company of a test's own.
 * @throws ControlError 400 where what is wanted does not fit, 409 where its slug is taken
 */
export async function isolatedCompany(
  { companies, scenarios, time, requests }: Makers,
  wanted?: NewCompany,
): Promise<IsolatedCompany> {
  const made = await companies.create(wanted);
  const company = made.id;
  return {
    ...made,
    apiKey: made.members[0]?.api_keys[0]?.secret ?? "",
    accountId: made.accounts[0]?.id ?? "",
    clock: {
      read: () => time.read(company),
      advance: (by) => time.advance({ by, company }),
      set: (now) => time.change({ now, company }),
    },
    scenario: (name, options) => scenarios.handle(name, { ...options, company }),
    requests: (filter) => requests.list({ ...filter, company }),
    delete: () => {
      try {
        companies.delete(company);
      } catch (error) {
        // A reset has taken it along.
        if (!(error instanceof ControlError && error.status === 404)) throw error;
      }
    },
  };
}
