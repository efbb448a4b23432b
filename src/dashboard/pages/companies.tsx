import type { CompanyListing } from "../../store/world-listing.ts";
import { Badge, State } from "../parts/badges.tsx";
import { Choice, Field, Form } from "../parts/fields.tsx";
import { Bar, Table } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

const environments = [
  { value: "sandbox", label: "Sandbox" },
  { value: "live", label: "Live" },
];

const companiesShown = 50;

/** Lists companies page by page, searches them, and creates isolated ones. */
export function companies(visit: Visit): Page {
  const { services, query } = visit;
  const { search, after } = query;
  const { companies: listed, has_more } = services.companies.world({ search, after, limit: companiesShown });
  const count = services.companies.count({ search });
  const last = listed.at(-1);
  const body = (
    <>
      <h1>Companies</h1>
      <MakeOne visit={visit} />
      <section aria-labelledby="all">
        <h2 id="all">
          {search ? "Found" : "All"} {count}
        </h2>
        <form method="get" class="row filter" aria-label="Search companies">
          <Field label="Search" name="search" type="search" value={search} placeholder="name, slug or id" />
          <button type="submit">Search</button>
          {search && <a href={pathTo("/companies")}>Show all</a>}
        </form>
        <Table
          caption="Companies"
          captionUnseen
          columns={[
            "Company",
            { name: "Environment", class: "wide" },
            "Status",
            "Live cards",
            { name: "Members", class: "wide number" },
            { name: "Accounts", class: "wide" },
          ]}
        >
          {listed.map((company) => (
            <Row company={company} />
          ))}
        </Table>
        <nav class="pages" aria-label="More companies">
          {after && <a href={pathTo("/companies", { search })}>First</a>}
          {has_more && last && <a href={pathTo("/companies", { search, after: last.id })}>Next</a>}
        </nav>
      </section>
    </>
  );
  return { title: "Companies", body };
}

function MakeOne({ visit }: { visit: Visit }) {
  const form = pathTo("/companies");
  const typed = typedInto(visit, form);
  return (
    <section aria-labelledby="make">
      <h2 id="make">Make an isolated company</h2>
      <p>
        For one tester, or one test: an owner, an admin and an employee with a key each, and two accounts.
        What you do with it disturbs no other.
      </p>
      <Form visit={visit} to={form}>
        <Field label="Name" name="name" value={typed.name} placeholder="made up" />
        <Choice label="Environment" name="environment" chosen={typed.environment} options={environments} />
        <Field label="Card quota" name="card_quota" value={typed.card_quota} placeholder="20" short numeric />
        <button type="submit" class="primary">
          Make it
        </button>
      </Form>
    </section>
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
        {!company.details_complete && <p class="remark">details missing</p>}
      </td>
      <td>
        <Bar label={`Card quota of ${name}`} used={live_cards} of={card_quota} />
      </td>
      <td class="wide number">{members.length}</td>
      <td class="wide">{accounts.map(({ currency }) => currency).join(", ")}</td>
    </tr>
  );
}
