import type { Card } from "../../contract/card.ts";
import { mostListed } from "../../control/cards.ts";
import type { CardHolder } from "../../store/cards.ts";
import type { Page, PageRequest } from "../page.ts";
import { CompanyFilter, chosenCompany } from "../parts/companies.tsx";
import { Bar, Empty, State, Table } from "../parts/elements.tsx";
import { pathTo } from "../paths.ts";

/** The latest cards, of one company or of all. */
export function cards(page: PageRequest): Page {
  const { cards } = page.services;
  const listed = cards.list(chosenCompany(page)?.id);
  const holders = cards.holders(listed);
  const body = (
    <>
      <h1>Cards</h1>
      <CompanyFilter />
      {listed.length === 0 ? (
        <Empty title="No cards yet.">
          <p>
            Order a card with the commands on the <a href={`${pathTo("")}#order`}>overview</a>.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Cards, newest first"
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
            <Row card={card} names={holders.get(card.id)} />
          ))}
        </Table>
      )}
      {listed.length === mostListed && (
        <p class="remark">
          Only the latest {mostListed} cards are shown. Select a company to see its older cards.
        </p>
      )}
    </>
  );
  return { title: "Cards", body };
}

function Row({ card, names }: { card: Card; names: CardHolder | undefined }) {
  const { id, name, last_four, type, status, company_id, spending_limit } = card;
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
      <td class="wide">
        <a href={pathTo(`/companies/${company_id}`)}>{names?.company}</a>
      </td>
      <td class="wide">{names?.holder}</td>
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
