import { type Card, cardStatus } from "../../contract/card.ts";
import { mostCounted, mostListed } from "../../control/cards.ts";
import type { CardHolder } from "../../store/cards.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyPicker, chosenCompany } from "../parts/companies.tsx";
import { Bar, Empty, Head, State, Table } from "../parts/elements.tsx";
import { Field } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** The latest cards, of one company or of all, by status and text. */
export function cards(page: PageRequest): Page {
  const { cards } = page.services;
  const { status, search } = page.query;
  const company = chosenCompany(page)?.id;
  // An unknown status filters nothing.
  const listed = cards.list(company, { status: cardStatus.safeParse(status).data, text: search });
  const holders = cards.holders(listed);
  const body = (
    <>
      <Head title="Cards" />
      <form method="get" class="row filter" aria-label="Filter">
        <CompanyPicker />
        <Field
          label="Search"
          name="search"
          type="search"
          value={search}
          placeholder="last four, name or id"
        />
        {status && <input type="hidden" name="status" value={status} />}
        <button type="submit">Filter</button>
      </form>
      <div id="card-list" data-part="" class="card-list">
        <Counts company={company} />
        {listed.length === 0 ? (
          <Empty title={status || search ? "No card matches." : "No cards yet."}>
            <p>
              {status || search ? (
                <a href={pathTo("/cards", { company })}>Remove the filters</a>
              ) : (
                <>
                  Order a card with the commands on the <a href={`${pathTo("")}#order`}>overview</a>.
                </>
              )}
            </p>
          </Empty>
        ) : (
          <List listed={listed} holders={holders} />
        )}
      </div>
    </>
  );
  return { title: "Cards", body, live: true };
}

/** The number of cards in each status, as links. */
function Counts({ company }: { company: string | undefined }) {
  const { services, query } = usePage();
  const counts = services.cards.counts(company);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const link = (status: string | undefined, count: number) => (
    <a
      href={pathTo("/cards", { company, search: query.search, status })}
      {...(query.status === status && { "aria-current": "true" })}
    >
      {status ?? "all"} <span class="remark">{count}</span>
    </a>
  );
  return (
    <>
      <nav class="tabs" aria-label="Status">
        {link(undefined, total)}
        {counts.map(({ status, count }) => link(status, count))}
      </nav>
      {total === mostCounted && <p class="remark">Only the latest {mostCounted} cards are counted.</p>}
    </>
  );
}

interface ListProps {
  readonly listed: readonly Card[];
  readonly holders: ReadonlyMap<string, CardHolder>;
}

function List({ listed, holders }: ListProps) {
  return (
    <>
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
      {listed.length === mostListed && (
        <p class="remark">
          Only the latest {mostListed} cards are shown. Select a company or search to find older cards.
        </p>
      )}
    </>
  );
}

function Row({ card, names }: { card: Card; names: CardHolder | undefined }) {
  const { id, name, last_four, type, status, company_id, spending_limit } = card;
  return (
    <tr>
      <th scope="row">
        <div class="card-name">
          <span class={`plastic mini ${type} ${status}`}>{last_four}</span>
          <span>
            <a class="row-link" href={pathTo(`/cards/${id}`)}>
              {name}
            </a>
            <p class="remark">
              {type} ···· {last_four}
            </p>
          </span>
        </div>
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
