import type { Environment } from "../../contract/identifiers.ts";
import { ControlError } from "../../control/errors.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import type { Visit } from "../visit.ts";
import { Choice, Field } from "./fields.tsx";

/** What a company is called by: live ones are told from the sandbox's. */
export function nameOf({ environment, slug }: Pick<CompanyListing, "environment" | "slug">): string {
  return environment === "live" ? `live/${slug}` : slug;
}

/**
 * The company that the URL names by its id, its slug, or live/SLUG.
 * @throws ControlError 404 if there is none
 */
export function chosenCompany({ services, query }: Visit): CompanyListing | undefined {
  return query.company === undefined ? undefined : services.companies.show(query.company);
}

/** Up to this number the companies are a list to choose from; with more, the user types a name. */
const mostToChooseFrom = 50;

interface PickerProps {
  readonly visit: Visit;
  readonly label?: string;
  /** Whose companies are to choose from; absent: those of both. */
  readonly environment?: Environment | undefined;
}

/** Chooses one company, or all of them. */
export function CompanyPicker({ visit, label = "Company", environment }: PickerProps) {
  const { services, query } = visit;
  const { companies, has_more } = services.companies.world({ environment, limit: mostToChooseFrom });
  const chosen = query.company === undefined ? undefined : companyOrNone(visit, query.company);
  if (!has_more) {
    const options = companies.map((company) => ({ value: company.id, label: nameOf(company) }));
    return (
      <Choice
        label={label}
        name="company"
        chosen={chosen?.id}
        options={[{ value: "", label: "All companies" }, ...options]}
      />
    );
  }
  return (
    <Field
      label={label}
      name="company"
      value={chosen ? nameOf(chosen) : query.company}
      placeholder="all companies"
      hint="A slug, live/SLUG or id"
      suggestions={companies.map((company) => ({ value: nameOf(company), label: company.name }))}
    />
  );
}

/** Undefined for an unknown name: the journal may name a company that was deleted. */
function companyOrNone({ services }: Visit, name: string): CompanyListing | undefined {
  try {
    return services.companies.show(name);
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return undefined;
    throw error;
  }
}

/** A form that filters a page by company. */
export function CompanyFilter({ button = "Show", ...picker }: PickerProps & { readonly button?: string }) {
  const { environment } = picker;
  return (
    <form method="get" class="row filter" aria-label="Filter by company">
      {environment && <input type="hidden" name="environment" value={environment} />}
      <CompanyPicker {...picker} />
      <button type="submit">{button}</button>
    </form>
  );
}
