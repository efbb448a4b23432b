import type { Card } from "../../contract/card.ts";
import { parcelStatus } from "../../contract/delivery-address.ts";
import type { CardEvent } from "../../control/card-history.ts";
import type { CallerAction } from "../../control/cards.ts";
import { transitionsUnder } from "../../rules/card-transitions.ts";
import { parcelViolation } from "../../rules/delivery.ts";
import { type DashboardServices, type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { CardPicture } from "../parts/card-picture.tsx";
import { CardStates, ChangeButton, possibleChanges } from "../parts/card-states.tsx";
import { Badge, Bar, Facts, Head, Secret, Section, State, Table, Time } from "../parts/elements.tsx";
import { Action, Choice, Field, Form } from "../parts/forms.tsx";
import { declines, Transactions } from "../parts/transactions.tsx";
import { pathTo } from "../paths.ts";
import { type FormAction, inputOf, required } from "../submit.ts";

/** The actions of the forms of a card and of its transactions. */
export function cardActions({ cards, simulator }: DashboardServices): Record<string, FormAction> {
  return {
    "/cards/:id/purchase": (fields, param) => {
      const { currency, merchant, channel } = fields;
      const card_id = param("id");
      const payment = { card_id, amount: required(fields, "amount"), currency, merchant, channel };
      const { status, decline_reason, ...made } = simulator.authorise(inputOf(payment));
      const why = decline_reason ? `, because ${declines[decline_reason]}` : "";
      return { text: `Card payment of ${made.amount} ${made.currency}: ${status}${why}.` };
    },
    "/cards/:id/operator": ({ action }, param) => {
      const id = param("id");
      const { name, status } =
        action === "expire" ? cards.expire(id) : cards.operate(id, inputOf({ action }));
      return { text: `${name} is now ${status}.` };
    },
    "/cards/:id/caller": ({ action }, param) => {
      const { name, status } = cards.actAsCaller(param("id"), action as CallerAction);
      return { text: `${name} is now ${status}.` };
    },
    "/cards/:id/delivery": ({ status: wanted }, param) => {
      const { status } = cards.moveDelivery(param("id"), inputOf({ status: wanted }));
      return { text: `The delivery status is now ${status}.` };
    },
    "/transactions/:id/clear": (_, param) => {
      const { amount, currency } = simulator.clear(param("id"));
      return { text: `The card payment of ${amount} ${currency} is cleared.` };
    },
    "/transactions/:id/reverse": (_, param) => {
      const { amount, currency } = simulator.reverse(param("id"));
      return { text: `The card payment of ${amount} ${currency} is reversed.` };
    },
    "/transactions/:id/refund": (_, param) => {
      const { amount, currency } = simulator.refund({ transaction_id: param("id") });
      return { text: `${amount} ${currency} is refunded.` };
    },
  };
}

interface Props {
  readonly card: Card;
}

/**
 * One card: its limits, transactions and history, with actions of merchants, the cardholder, the operator and the
 * delivery service.
 * @throws ControlError 404 if there is no such card
 */
export function card({ services }: PageRequest, id: string): Page {
  const card = services.cards.show(id);
  const body = (
    <>
      <CardHead card={card} />
      <div class="columns">
        <Details card={card} />
        <Statuses card={card} />
      </div>
      <div class="columns">
        <CardPayment card={card} />
        <Limits card={card} />
        {card.type === "physical" && <Delivery card={card} />}
      </div>
      <Transactions of={card.id} />
      <History card={card} />
    </>
  );
  return { title: card.name, body, live: true };
}

function CardHead({ card: { id, name, status } }: Props) {
  const [change] = usePage().services.cards.possibleAsCaller(id);
  return (
    <div id="card-head" data-part="">
      <Head title={name} trail={["Cards", pathTo("/cards")]} badge={<State of={status} />}>
        {change && change.action !== "terminate" && (
          <ChangeButton id={id} change={{ ...change, by: "caller" }} />
        )}
        <a href="#payment">Simulate a payment</a>
      </Head>
    </div>
  );
}

function Details({ card }: Props) {
  const { cards } = usePage().services;
  const names = cards.holders([card]).get(card.id);
  const { replaces, replacedBy } = cards.replacements(card.id);
  const other = (id: string) => (
    <a href={pathTo(`/cards/${id}`)}>
      <code>{id}</code>
    </a>
  );
  return (
    <Section id="details" title="Details" isLive>
      <CardPicture card={card} names={names} />
      <Facts
        of={[
          ["Id", <Secret text={card.id} label="the id" />],
          ["Token", <Secret text={card.token} label="the token" />],
          ["Expiry date", card.expiry_date],
          ["Company", <a href={pathTo(`/companies/${card.company_id}`)}>{names?.company}</a>],
          ["Account", names?.account],
          ["Created at", <Time at={card.created_at} />],
          replaces !== null && ["Replaces", other(replaces)],
          replacedBy !== null && ["Replaced by", other(replacedBy)],
        ]}
      />
    </Section>
  );
}

function Statuses({ card: { id, status, company_id } }: Props) {
  const transitions = transitionsUnder(usePage().services.contract(company_id).choices);
  const possible = possibleChanges(id);
  return (
    <Section id="status" title="Status" panel isLive>
      <CardStates id={id} status={status} transitions={transitions} possible={possible} />
      {possible.length === 0 && <p>The status of the card is final: no actions are possible.</p>}
      <Facts
        of={(["caller", "operator"] as const).map((by) => {
          const changes = possible.filter((each) => each.by === by);
          return (
            changes.length > 0 && [
              by === "caller" ? "Cardholder" : "Operator",
              <div class="actions">
                {changes.map((change) => (
                  <ChangeButton id={id} change={change} />
                ))}
              </div>,
            ]
          );
        })}
      />
    </Section>
  );
}

function Limits({ card }: Props) {
  const { spending_limit: own, card_limits: fixed } = card;
  const resets = usePage().services.cards.limitResets(card.id);
  const bar = (label: string, limit: { readonly used?: string | undefined; readonly amount: string }) => (
    <Bar label={label} used={Number(limit.used ?? 0)} of={Number(limit.amount)}>
      {limit.used ?? "–"} of {limit.amount} {label === "Spending limit" ? own?.currency : fixed.currency}
    </Bar>
  );
  const reset = (at: string) => (
    <p class="remark">
      resets at <Time at={at} />
    </p>
  );
  const rolling = resets.rolling_32_days;
  return (
    <Section id="limits" title="Limits" isLive>
      <Facts
        class="meters"
        of={[
          [
            own ? `Spending limit, ${own.period}` : "Spending limit",
            own ? (
              <>
                {bar("Spending limit", own)}
                {own.period === "lifetime" ? <p class="remark">never resets</p> : reset(resets[own.period])}
              </>
            ) : (
              "none"
            ),
          ],
          ["Per payment", `up to ${fixed.max_per_purchase.amount} ${fixed.currency}`],
          ["Per day", [bar("Per day", fixed.daily), reset(resets.daily)]],
          [
            "Per 32 days",
            [
              bar("Per 32 days", fixed.rolling_32_days),
              rolling !== null && (
                <p class="remark">
                  the oldest payment leaves the 32 days at <Time at={rolling} />
                </p>
              ),
            ],
          ],
        ]}
      />
      <p class="remark">Periods begin at midnight in the UK, weeks on Monday. Times are in UTC.</p>
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
          <Field label="Amount" name="amount" value={refused.amount ?? "12.50"} short numeric required />
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

function Delivery({ card: { id } }: Props) {
  const { status, updated_at } = usePage().services.cards.delivery(id);
  const next = parcelStatus.options.filter((each) => parcelViolation(status, each) === undefined);
  return (
    <Section id="delivery" title="Delivery" isLive>
      <p>
        <Badge>{status}</Badge> since <Time at={updated_at} />
      </p>
      <div class="actions">
        {next.map((each, index) => (
          <Action
            to={pathTo(`/cards/${id}/delivery`)}
            with={{ status: each }}
            {...(index === 0 && { tone: "primary" as const })}
          >
            {each}
          </Action>
        ))}
      </div>
      {next.length === 0 && <p class="remark">The delivery has ended.</p>}
    </Section>
  );
}

function History({ card: { id } }: Props) {
  const history = usePage().services.cards.history(id).toReversed();
  return (
    <Section id="history" title="History" isLive>
      <Table
        caption="History of the card, newest first"
        captionUnseen
        columns={["Time", "Event", { name: "By", class: "wide" }, "More"]}
      >
        {history.map((event) => (
          <tr>
            <td>{event.at === null ? "–" : <Time at={event.at} />}</td>
            <th scope="row">
              {event.what}{" "}
              {event.isRefused && <Badge tone="bad">{event.transaction ? "declined" : "refused"}</Badge>}
            </th>
            <td class="wide">{event.by}</td>
            <td>
              <More of={event} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function More({ of: { request, transaction, card } }: { of: CardEvent }) {
  return (
    <>
      {request && <a href={pathTo(`/requests/${request}`)}>request {request}</a>}{" "}
      {transaction && <a href={`#transaction-${transaction}`}>transaction</a>}{" "}
      {card && <a href={pathTo(`/cards/${card}`)}>other card</a>}
    </>
  );
}
