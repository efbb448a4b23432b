import type { Environment } from "../../contract/identifiers.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import type { Visit } from "../visit.ts";
import { Choice, type Option } from "./fields.tsx";

/** What a company is called by: live ones are told from the sandbox's. */
export function nameOf({ environment, slug }: Pick<CompanyListing, "environment" | "slug">): string {
  return environment === "live" ? `live/${slug}` : slug;
}

/** Every company as one to choose. */
export function companyOptions(companies: readonly CompanyListing[]): Option[] {
  return companies.map((company) => ({ value: company.id, label: nameOf(company) }));
}

interface FilterProps {
  readonly visit: Visit;
  readonly label?: string;
  readonly button?: string;
  /** Whose companies are to choose from; absent: those of both. */
  readonly environment?: Environment;
}

/** Shows a page for one company alone. */
export function CompanyFilter({ visit, label = "Company", button = "Show", environment }: FilterProps) {
  const companies = visit.services.companies
    .world()
    .companies.filter((each) => environment === undefined || each.environment === environment);
  return (
    <form method="get" class="row filter" aria-label="Filter by company">
      {environment && <input type="hidden" name="environment" value={environment} />}
      <Choice
        label={label}
        name="company"
        chosen={visit.query.company}
        options={[{ value: "", label: "All companies" }, ...companyOptions(companies)]}
      />
      <button type="submit">{button}</button>
    </form>
  );
}
