import type { DeclineReason, Transaction } from "../../contract/transaction.ts";
import { usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { Empty, Section, State, Table, Time } from "./elements.tsx";
import { Action } from "./forms.tsx";

/** Why a card payment is declined, in words. */
export const declines: Readonly<Record<DeclineReason, string>> = {
  card_not_active: "the card is inactive",
  card_frozen: "the card is frozen",
  card_suspended: "the card is suspended",
  card_locked: "the card is locked",
  card_blocked: "the card is blocked",
  card_expired: "the card is expired",
  card_terminated: "the card is terminated",
  company_not_active: "the company is not active",
  account_closed: "the account is closed",
  card_limit_exceeded: "it exceeds a limit of the card",
  spending_limit_exceeded: "it exceeds the spending limit",
  insufficient_funds: "the account has too little money",
};

/** The transactions of a card, with the next actions of the merchant. */
export function Transactions({ of: card }: { of: string }) {
  const transactions = usePage().services.cards.transactions(card);
  return (
    <Section id="transactions" title="Transactions" isLive>
      {transactions.length === 0 ? (
        <Empty title="No transactions yet.">
          <p>Simulate a card payment above. It is authorized or declined like a real one.</p>
        </Empty>
      ) : (
        <Table
          caption="Transactions, newest first"
          captionUnseen
          columns={[
            "Merchant",
            "Status",
            { name: "Amount", class: "number" },
            { name: "Created at", class: "wide" },
            "Actions",
          ]}
        >
          {transactions.map((transaction) => (
            <TransactionRow of={transaction} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function TransactionRow({ of }: { of: Transaction }) {
  const { id, type, status, direction, merchant, amount, currency, decline_reason } = of;
  const to = (action: string) => pathTo(`/transactions/${id}/${action}`);
  const name = `${amount} at ${merchant?.name ?? type}`;
  return (
    <tr id={`transaction-${id}`}>
      <th scope="row">
        {merchant?.name ?? "–"}
        <p class="remark">{type.replaceAll("_", " ")}</p>
      </th>
      <td>
        <State of={status} />
        {decline_reason && <p class="remark">{declines[decline_reason]}</p>}
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
              <Action to={to("clear")} of={name}>
                Clear
              </Action>
              <Action to={to("reverse")} of={name}>
                Reverse
              </Action>
            </>
          )}
          {status === "completed" && direction === "debit" && (
            <Action to={to("refund")} of={name}>
              Refund
            </Action>
          )}
        </div>
      </td>
    </tr>
  );
}
