import type { Card } from "../../contract/card.ts";
import { parcelStatus } from "../../contract/delivery-address.ts";
import type { Transaction } from "../../contract/transaction.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Badge, Bar, Empty, Facts, Section, State, Table, Time } from "../parts/elements.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

interface Props {
  readonly card: Card;
}

/**
 * One card: its limits and transactions, with actions of merchants, the operator and the delivery service.
 * @throws ControlError 404 if there is no such card
 */
export function card({ services }: PageRequest, id: string): Page {
  const card = services.cards.show(id);
  const { name, status, type } = card;
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/cards")}>Cards</a>
      </p>
      <h1>
        {name} <State of={status} />
      </h1>
      <div class="columns">
        <Details card={card} />
        <Limits card={card} />
      </div>
      <div class="columns">
        <CardPayment card={card} />
        <Operator card={card} />
        {type === "physical" && <Delivery card={card} />}
      </div>
      <Transactions card={card} />
    </>
  );
  return { title: name, body };
}

function Details({ card }: Props) {
  const names = usePage().services.cards.holders([card]).get(card.id);
  return (
    <Section id="details" title="Details">
      <Facts
        of={[
          ["Id", <code>{card.id}</code>],
          ["Type", <Badge>{card.type}</Badge>],
          ["Number", `···· ${card.last_four}`],
          ["Expiry date", card.expiry_date],
          ["Company", <a href={pathTo(`/companies/${card.company_id}`)}>{names?.company}</a>],
          ["Holder", names?.holder],
          ["Account", names?.account],
          ["Created at", <Time at={card.created_at} />],
        ]}
      />
    </Section>
  );
}

function Limits({ card: { spending_limit: own, card_limits: fixed } }: Props) {
  const bar = (label: string, used: string | undefined, amount: string, currency: string) => (
    <Bar label={label} used={Number(used ?? 0)} of={Number(amount)}>
      {used ?? "–"} of {amount} {currency}
    </Bar>
  );
  return (
    <Section id="limits" title="Limits">
      <Facts
        of={[
          [
            own ? `Spending limit, ${own.period}` : "Spending limit",
            own ? bar("Spending limit", own.used, own.amount, own.currency) : "none",
          ],
          ["Per payment", `up to ${fixed.max_per_purchase.amount} ${fixed.currency}`],
          ["Per day", bar("Per day", fixed.daily.used, fixed.daily.amount, fixed.currency)],
          [
            "Per 32 days",
            bar("Per 32 days", fixed.rolling_32_days.used, fixed.rolling_32_days.amount, fixed.currency),
          ],
        ]}
      />
    </Section>
  );
}

function CardPayment({ card }: Props) {
  const form = pathTo(`/cards/${card.id}/purchase`);
  const refused = useRefusedInput(form);
  return (
    <Section id="payment" title="Simulate a card payment">
      <Form to={form} class="stack">
        <div class="row">
          <Field
            label="Amount"
            name="amount"
            value={refused.amount}
            placeholder="12.50"
            short
            numeric
            required
          />
          <Field label="Currency" name="currency" value={refused.currency} placeholder="account's" short />
        </div>
        <div class="row">
          <Field label="Merchant" name="merchant" value={refused.merchant} placeholder="Corner Shop" />
          <Choice
            label="Channel"
            name="channel"
            chosen={refused.channel}
            options={[
              { value: "in_person", label: "in person" },
              { value: "online", label: "online" },
              { value: "atm", label: "ATM" },
            ]}
          />
        </div>
        <button type="submit" class="primary">
          Simulate payment
        </button>
      </Form>
    </Section>
  );
}

const actionNames = {
  activate: "Activate",
  suspend: "Suspend",
  lock: "Lock",
  block: "Block",
  lift: "Lift hold",
  terminate: "Terminate",
  expire: "Expire",
} as const;

function Operator({ card }: Props) {
  const possible = usePage().services.cards.possible(card.id);
  return (
    <Section id="operator" title="Operator actions">
      {possible.length === 0 ? (
        <p>The status of the card is final: no actions are possible.</p>
      ) : (
        <ul class="plain-list">
          {possible.map(({ action, leads_to }) => (
            <li>
              <Action to={pathTo(`/cards/${card.id}/operator`)} with={{ action }}>
                {actionNames[action]}
              </Action>
              <span class="remark">
                {action === "expire" ? "before its expiry date" : `new status: ${leads_to}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Delivery({ card }: Props) {
  const { status, updated_at } = usePage().services.cards.delivery(card.id);
  return (
    <Section id="delivery" title="Delivery">
      <p>
        <Badge>{status}</Badge> since <Time at={updated_at} />
      </p>
      <Form to={pathTo(`/cards/${card.id}/delivery`)} class="stack">
        <Choice
          label="New status"
          name="status"
          options={plainOptions(parcelStatus.exclude(["ordered"]).options)}
        />
        <button type="submit">Update delivery</button>
      </Form>
    </Section>
  );
}

function Transactions({ card }: Props) {
  const transactions = usePage().services.cards.transactions(card.id);
  return (
    <Section id="transactions" title="Transactions">
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
