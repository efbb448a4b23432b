import type { Card } from "../../contract/card.ts";
import { mostListed } from "../../control/cards.ts";
import { ControlError } from "../../control/control-error.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { State } from "../parts/badges.tsx";
import { CompanyFilter } from "../parts/companies.tsx";
import { Bar, Copyable, Empty, Table } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import type { Page, Visit } from "../visit.ts";

/** The latest cards, of one company or of all. */
export function cards(visit: Visit): Page {
  const { services, query } = visit;
  const { companies } = services.companies.world();
  const company = companies.find(({ id }) => id === query.company);
  if (query.company && !company)
    throw new ControlError(404, `no company ${query.company}: it was deleted, or never was`);
  const listed = services.cards.list(company?.id);
  const body = (
    <>
      <h1>Cards</h1>
      <CompanyFilter visit={visit} />
      {listed.length === 0 ? (
        <Empty title="No card yet.">
          <p>
            Order one, as the <a href={pathTo("")}>overview</a> shows, or in one go:
          </p>
          <Copyable text="node examples/walk-through.mjs" label="the command" />
        </Empty>
      ) : (
        <Table
          caption="Cards, the newest first"
          captionUnseen
          columns={[
            "Card",
            "Status",
            { name: "Company", class: "wide" },
            { name: "Holder", class: "wide" },
            "Spending limit",
          ]}
        >
          {listed.map((card) => (
            <Row card={card} companies={companies} />
          ))}
        </Table>
      )}
      {listed.length === mostListed && (
        <p class="remark">These are the latest {mostListed}; older ones a company's own list may show.</p>
      )}
    </>
  );
  return { title: "Cards", body };
}

function Row({ card, companies }: { card: Card; companies: readonly CompanyListing[] }) {
  const { id, name, last_four, type, status, company_id, user_id, spending_limit } = card;
  const company = companies.find((each) => each.id === company_id);
  return (
    <tr>
      <th scope="row">
        <a href={pathTo(`/cards/${id}`)}>{name}</a>
        <p class="remark">
          {type} ···· {last_four}
        </p>
      </th>
      <td>
        <State of={status} />
      </td>
      <td class="wide">{company && <a href={pathTo(`/companies/${company.id}`)}>{company.name}</a>}</td>
      <td class="wide">{holderName(companies, user_id)}</td>
      <td>
        {spending_limit ? (
          <Bar
            label={`Spending limit of ${name}`}
            used={Number(spending_limit.used ?? 0)}
            of={Number(spending_limit.amount)}
          >
            {spending_limit.used ?? "–"} of {spending_limit.amount} {spending_limit.currency}{" "}
            {spending_limit.period}
          </Bar>
        ) : (
          <span class="remark">none</span>
        )}
      </td>
    </tr>
  );
}

/** A member may hold a card of a company that another one made known. */
export function holderName(companies: readonly CompanyListing[], id: string): string {
  return companies.flatMap(({ members }) => members).find((member) => member.id === id)?.name ?? id;
}
