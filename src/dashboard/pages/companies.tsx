import type { CompanyListing } from "../../store/world-listing.ts";
import { type Page, type PageRequest, useRefusedInput } from "../page.ts";
import { Badge, Bar, Section, State, Table } from "../parts/elements.tsx";
import { Choice, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

const environments = [
  { value: "sandbox", label: "Sandbox" },
  { value: "live", label: "Live" },
];

/** The maximum number of companies on one page. */
const companiesShown = 50;

/** Lists companies page by page, searches them, and creates isolated ones. */
export function companies({ services, query }: PageRequest): Page {
  const { search, after } = query;
  const { companies: listed, has_more } = services.companies.world({ search, after, limit: companiesShown });
  const count = services.companies.count({ search });
  const last = listed.at(-1);
  const body = (
    <>
      <h1>Companies</h1>
      <Create />
      <Section id="all" title={`${count} ${count === 1 ? "company" : "companies"}${search ? " found" : ""}`}>
        <form method="get" class="row filter" aria-label="Search companies">
          <Field label="Search" name="search" type="search" value={search} placeholder="name, slug or id" />
          <button type="submit">Search</button>
          {search && <a href={pathTo("/companies")}>Clear search</a>}
        </form>
        <Table
          caption="Companies"
          captionUnseen
          columns={[
            "Company",
            { name: "Environment", class: "wide" },
            "Status",
            "Card quota",
            { name: "Members", class: "wide number" },
            { name: "Accounts", class: "wide" },
          ]}
        >
          {listed.map((company) => (
            <Row company={company} />
          ))}
        </Table>
        <nav class="pages" aria-label="More companies">
          {after && <a href={pathTo("/companies", { search })}>First page</a>}
          {has_more && last && <a href={pathTo("/companies", { search, after: last.id })}>Next page</a>}
        </nav>
      </Section>
    </>
  );
  return { title: "Companies", body };
}

function Create() {
  const form = pathTo("/companies");
  const refused = useRefusedInput(form);
  return (
    <Section id="create" title="Create an isolated company">
      <p>
        For one tester or one test. It has an owner, an admin and an employee with an API key each, and two
        accounts. Your requests to it do not affect other companies.
      </p>
      <Form to={form}>
        <Field label="Name" name="name" value={refused.name} placeholder="generated" />
        <Choice label="Environment" name="environment" chosen={refused.environment} options={environments} />
        <Field
          label="Card quota"
          name="card_quota"
          value={refused.card_quota}
          placeholder="20"
          short
          numeric
        />
        <button type="submit" class="primary">
          Create company
        </button>
      </Form>
    </Section>
  );
}

function Row({ company }: { company: CompanyListing }) {
  const { id, name, slug, environment, status, live_cards, card_quota, members, accounts } = company;
  return (
    <tr>
      <th scope="row">
        <a href={pathTo(`/companies/${id}`)}>{name}</a>
        <p class="remark">
          <code>{slug}</code>
        </p>
      </th>
      <td class="wide">
        <Badge>{environment}</Badge>
      </td>
      <td>
        <State of={status} />
        {!company.details_complete && <p class="remark">details incomplete</p>}
      </td>
      <td>
        <Bar label={`Card quota of ${name}`} used={live_cards} of={card_quota} />
      </td>
      <td class="wide number">{members.length}</td>
      <td class="wide">{accounts.map(({ currency }) => currency).join(", ")}</td>
    </tr>
  );
}
