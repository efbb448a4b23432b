import type { Card } from "../../contract/card.ts";
import type { Transaction } from "../../contract/transaction.ts";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { State } from "./badges.tsx";
import { Action } from "./fields.tsx";
import { Empty, Table, Time } from "./shown.tsx";

/** A card's transactions, and what their merchants may do next. */
export function Transactions({ visit, card }: { visit: Visit; card: Card }) {
  const transactions = visit.services.cards.transactions(card.id);
  return (
    <section aria-labelledby="transactions">
      <h2 id="transactions">Transactions</h2>
      {transactions.length === 0 ? (
        <Empty title="Nothing was bought with it yet.">
          <p>Simulate a purchase above: it is authorised or declined as a real one would be.</p>
        </Empty>
      ) : (
        <Table
          caption="Transactions, the newest first"
          captionUnseen
          columns={[
            "Merchant",
            "Status",
            { name: "Amount", class: "number" },
            { name: "Made at", class: "wide" },
            "Actions",
          ]}
        >
          {transactions.map((transaction) => (
            <Row visit={visit} of={transaction} />
          ))}
        </Table>
      )}
    </section>
  );
}

function Row({ visit, of }: { visit: Visit; of: Transaction }) {
  const { id, type, status, direction, merchant, amount, currency, decline_reason } = of;
  const to = (action: string) => pathTo(`/transactions/${id}/${action}`);
  const name = `${amount} at ${merchant?.name ?? type}`;
  return (
    <tr>
      <th scope="row">
        {merchant?.name ?? "–"}
        <p class="remark">{type.replaceAll("_", " ")}</p>
      </th>
      <td>
        <State of={status} />
        {decline_reason && <p class="remark">{decline_reason.replaceAll("_", " ")}</p>}
      </td>
      <td class="number">
        {direction === "credit" ? "+" : "−"}
        {amount} {currency}
        {of.original_currency !== currency && (
          <p class="remark">
            {of.original_amount} {of.original_currency}
          </p>
        )}
      </td>
      <td class="wide">
        <Time at={of.created_at} />
      </td>
      <td>
        <div class="actions">
          {status === "pending" && (
            <>
              <Action visit={visit} to={to("clear")} of={name}>
                Clear
              </Action>
              <Action visit={visit} to={to("reverse")} of={name}>
                Reverse
              </Action>
            </>
          )}
          {status === "completed" && direction === "debit" && (
            <Action visit={visit} to={to("refund")} of={name}>
              Refund
            </Action>
          )}
        </div>
      </td>
    </tr>
  );
}
