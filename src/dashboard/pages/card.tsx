import type { Card } from "../../contract/card.ts";
import { parcelStatus } from "../../contract/delivery-address.ts";
import { Badge, State } from "../parts/badges.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/fields.tsx";
import { Bar, Facts, Time } from "../parts/shown.tsx";
import { Transactions } from "../parts/transactions.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

interface Of {
  readonly visit: Visit;
  readonly card: Card;
}

/**
 * One card: its limits, its transactions, and what merchants, the operator and the post may do.
 * @throws ControlError 404 where there is none
 */
export function card(visit: Visit, id: string): Page {
  const of = { visit, card: visit.services.cards.show(id) };
  const { name, status, type } = of.card;
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/cards")}>Cards</a>
      </p>
      <h1>
        {name} <State of={status} />
      </h1>
      <div class="columns">
        <About {...of} />
        <Limits {...of} />
      </div>
      <div class="columns">
        <Purchase {...of} />
        <Operator {...of} />
        {type === "physical" && <Parcel {...of} />}
      </div>
      <Transactions {...of} />
    </>
  );
  return { title: name, body };
}

function About({ visit, card }: Of) {
  const names = visit.services.cards.holders([card]).get(card.id);
  return (
    <section aria-labelledby="about">
      <h2 id="about">About</h2>
      <Facts
        of={[
          ["Id", <code>{card.id}</code>],
          ["Type", <Badge>{card.type}</Badge>],
          ["Number", `···· ${card.last_four}`],
          ["Expires after", card.expiry_date],
          ["Company", <a href={pathTo(`/companies/${card.company_id}`)}>{names?.company}</a>],
          ["Holder", names?.holder],
          ["Account", names?.account],
          ["Made at", <Time at={card.created_at} />],
        ]}
      />
    </section>
  );
}

function Limits({ card: { spending_limit: own, card_limits: fixed } }: Of) {
  const bar = (label: string, used: string | undefined, amount: string, currency: string) => (
    <Bar label={label} used={Number(used ?? 0)} of={Number(amount)}>
      {used ?? "–"} of {amount} {currency}
    </Bar>
  );
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <Facts
        of={[
          [
            own ? `Spending limit, ${own.period}` : "Spending limit",
            own ? bar("Spending limit", own.used, own.amount, own.currency) : "none",
          ],
          ["A purchase", `up to ${fixed.max_per_purchase.amount} ${fixed.currency}`],
          ["A day", bar("A day", fixed.daily.used, fixed.daily.amount, fixed.currency)],
          [
            "32 days",
            bar("32 days", fixed.rolling_32_days.used, fixed.rolling_32_days.amount, fixed.currency),
          ],
        ]}
      />
    </section>
  );
}

function Purchase({ visit, card }: Of) {
  const form = pathTo(`/cards/${card.id}/purchase`);
  const typed = typedInto(visit, form);
  return (
    <section aria-labelledby="purchase">
      <h2 id="purchase">Simulate a purchase</h2>
      <Form visit={visit} to={form} class="stack">
        <div class="row">
          <Field
            label="Amount"
            name="amount"
            value={typed.amount}
            placeholder="12.50"
            short
            numeric
            required
          />
          <Field label="Currency" name="currency" value={typed.currency} placeholder="account's" short />
        </div>
        <div class="row">
          <Field label="Merchant" name="merchant" value={typed.merchant} placeholder="Corner Shop" />
          <Choice
            label="Channel"
            name="channel"
            chosen={typed.channel}
            options={[
              { value: "in_person", label: "in person" },
              { value: "online", label: "online" },
              { value: "atm", label: "cash machine" },
            ]}
          />
        </div>
        <button type="submit" class="primary">
          Ask for the money
        </button>
      </Form>
    </section>
  );
}

const actionNames = {
  activate: "Activate",
  suspend: "Suspend",
  lock: "Lock",
  block: "Block",
  lift: "Lift the hold",
  terminate: "Terminate",
  expire: "Expire",
} as const;

function Operator({ visit, card }: Of) {
  const possible = visit.services.cards.possible(card.id);
  return (
    <section aria-labelledby="operator">
      <h2 id="operator">As the operator</h2>
      {possible.length === 0 ? (
        <p>The card has ended: nothing can be done to it any more.</p>
      ) : (
        <ul class="plain-list">
          {possible.map(({ action, leads_to }) => (
            <li>
              <Action visit={visit} to={pathTo(`/cards/${card.id}/operator`)} with={{ action }}>
                {actionNames[action]}
              </Action>
              <span class="remark">
                {action === "expire" ? "before its date" : `the card is then ${leads_to}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Parcel({ visit, card }: Of) {
  const { status, updated_at } = visit.services.cards.delivery(card.id);
  return (
    <section aria-labelledby="parcel">
      <h2 id="parcel">Parcel</h2>
      <p>
        <Badge>{status}</Badge> since <Time at={updated_at} />
      </p>
      <Form visit={visit} to={pathTo(`/cards/${card.id}/delivery`)} class="stack">
        <Choice
          label="Move on to"
          name="status"
          options={plainOptions(parcelStatus.exclude(["ordered"]).options)}
        />
        <button type="submit">Move on</button>
      </Form>
    </section>
  );
}
