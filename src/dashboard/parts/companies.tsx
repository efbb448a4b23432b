import type { Environment } from "../../contract/identifiers.ts";
import type { Companies } from "../../control/companies.ts";
import { ControlError } from "../../control/errors.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { type PageRequest, usePage } from "../page.ts";
import { Choice, Field } from "./forms.tsx";

/** A slug, or `live/SLUG`. */
export function nameOf({ environment, slug }: Pick<CompanyListing, "environment" | "slug">): string {
  return environment === "live" ? `live/${slug}` : slug;
}

/**
 * The company that the URL names by its id, its slug, or live/SLUG.
 * @throws ControlError 404 if there is none
 */
export function chosenCompany({ services, query }: PageRequest): CompanyListing | undefined {
  return query.company === undefined ? undefined : services.companies.show(query.company);
}

/** Up to this number of companies, the user selects one from a list; with more, the user types a name. */
const mostOptions = 50;

interface PickerProps {
  readonly label?: string;
  /** Default: both environments. */
  readonly environment?: Environment | undefined;
  /** Default: the company that the URL names. */
  readonly value?: string;
}

/** A field for one company or all. */
export function CompanyPicker({ label = "Company", environment, value }: PickerProps) {
  const { services, query } = usePage();
  const named = value ?? query.company;
  const { companies, has_more } = services.companies.world({ environment, limit: mostOptions });
  const chosen = named === undefined ? undefined : companyOrNone(services.companies, named);
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
      value={chosen ? nameOf(chosen) : named}
      placeholder="all companies"
      hint="Id, slug or live/SLUG of a company"
      suggestions={companies.map((company) => ({ value: nameOf(company), label: company.name }))}
    />
  );
}

/** Undefined for an unknown name: the journal may contain a company that was deleted. */
function companyOrNone(companies: Companies, name: string): CompanyListing | undefined {
  try {
    return companies.show(name);
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return undefined;
    throw error;
  }
}

/** A form that filters a page by company. */
export function CompanyFilter({ button = "Filter", ...picker }: PickerProps & { readonly button?: string }) {
  const { environment } = picker;
  return (
    <form method="get" class="row filter" aria-label="Filter by company">
      {environment && <input type="hidden" name="environment" value={environment} />}
      <CompanyPicker {...picker} />
      <button type="submit">{button}</button>
    </form>
  );
}
