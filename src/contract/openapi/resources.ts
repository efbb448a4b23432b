import type * as z from "zod";
import { account, company } from "../account.ts";
import { spendingLimitInput } from "../amount.ts";
import { card } from "../card.ts";
import * as requests from "../card-requests.ts";
import { physicalCardOrder } from "../card-requests.ts";
import { deliveryAddress } from "../delivery-address.ts";
import { invoice } from "../invoice.ts";
import { listOf } from "../list.ts";
import type { Provenance } from "../points.ts";
import { cardError, gatewayError } from "../responses.ts";
import { tokenExchangeRequest, tokenExchangeResponse } from "../token-exchange.ts";
import { merchant, transaction } from "../transaction.ts";
import * as webhooks from "../webhook.ts";
import { webhookDelivery } from "../webhook.ts";
import { eventResources } from "./webhooks.ts";

/** An object that requests or answers carry, and who says that it looks so. */
export interface Resource {
  readonly schema: z.ZodObject;
  /** Of the object and each of its fields. */
  readonly provenance: Provenance;
  readonly spec: string;
  readonly description: string;
  /** What is to be said of single fields. */
  readonly notes?: Readonly<Record<string, string>>;
}

type Notes = Resource["notes"];

const specified = (spec: string, schema: z.ZodObject, description: string, notes: Notes = {}): Resource => ({
  schema,
  provenance: "specified",
  spec,
  description,
  notes,
});

const assumed = (schema: z.ZodObject, description: string, notes: Notes = {}, spec = "§4"): Resource => ({
  schema,
  provenance: "assumed",
  spec,
  description,
  notes,
});

const listNotes: Notes = {
  data: "The newest first",
  next_cursor: "Sent as `cursor` with the same filters it goes on; null at the end",
};
const list = (row: z.ZodObject, of: string): Resource => assumed(listOf(row), `A page of ${of}`, listNotes);

const webhookNotes: Notes = {
  url: "https, or http on this machine; without a user name and a password",
};

const orderNotes: Notes = {
  account_id: "Account the card spends from; must belong to the caller's company",
  pin: "Four digits",
  name: "Default is `Physical <last four>`",
};

/** Every object of the interface by its name in the description; objects within one inherit who says so. */
export const resources = {
  TokenExchangeRequest: specified("§4", tokenExchangeRequest, "What is exchanged for an access token", {
    api_key: "Begins with `sk_sandbox_` or `sk_live_`; its environment must match the endpoint",
  }),
  TokenExchangeResponse: specified("§2", tokenExchangeResponse, "A short-lived access token", {
    access_token: "Opaque; sent as the Bearer credential",
    expires_at: "About 15 minutes ahead; a new exchange is needed after",
  }),

  Card: specified("§2", card, "A company card. Card numbers, CVVs and PINs are never returned.", {
    token: "Card token; usable in the `tokens` list filter",
    account_id: "The account that the card spends from.",
    user_id: "Cardholder",
    last_four: "Last four digits of the card number",
    spending_limit: "`null` means no limit",
  }),
  CardSpendingLimit: specified(
    "§2",
    card.shape.spending_limit.unwrap(),
    "What the card may spend in a period",
    {
      amount: "Decimal with two places",
      currency: "The card's account currency",
      used: "Spent in the current period; omitted if it cannot be read or the card has ended",
    },
  ),
  CardLimits: specified("§2", card.shape.card_limits, "Fixed limits on the card, expressed in EUR"),
  CardLimit: specified("§2", card.shape.card_limits.shape.daily, "One fixed limit", {
    used: "In list responses only",
  }),
  CardList: list(card, "cards"),
  PhysicalCardOrder: specified("§4", physicalCardOrder, "The order of a physical card", orderNotes),
  DeliveryAddress: specified(
    "§2",
    deliveryAddress,
    "Where a card is delivered to. Required fields and formats additionally depend on the country (assumed).",
    { country_code: "ISO 3166-1 alpha-2" },
  ),
  SpendingLimitInput: specified("§2", spendingLimitInput, "What the card is to spend in a period at most", {
    period: "Periods follow the UK calendar; weeks start on Monday",
    amount:
      "Decimal in the card's account currency, above 0, with at most two places. The same holds for a number; the schema " +
      "cannot express it, because validators that divide doubles reject 19.99 as a multiple of 0.01. Daily: at most " +
      "`card_limits.daily.amount`; weekly and monthly: at most `card_limits.rolling_32_days.amount`. Lifetime: at " +
      "most 9999999999999.99, the sandbox's own bound.",
  }),
  VirtualCardOrder: assumed(requests.virtualCardOrder, "The order of a virtual card", {
    account_id: orderNotes.account_id ?? "",
  }),
  PhysicalReplacement: assumed(requests.physicalReplacement, "Of a physical card: the new one is delivered", {
    reason: "A lost or stolen card gets a new number",
  }),
  VirtualReplacement: assumed(requests.virtualReplacement, "Of a virtual card: nothing is delivered", {
    reason: "A lost or stolen card gets a new number",
  }),
  CardChange: assumed(requests.cardChange, "name, auto_convert, or both", {
    name: "At most 100 characters; leading and trailing white space is removed and does not count",
  }),
  DeliveryOptionsRequest: assumed(requests.deliveryOptionsRequest, "Where a card would be delivered to"),
  DeliveryOptions: assumed(requests.deliveryOptions, "The delivery methods that an address supports", {
    delivery_methods: "None where cards are not delivered to",
  }),

  Account: assumed(account, "One of the company's currency accounts", {
    available_balance: "The balance without what pending card payments hold",
  }),
  AccountList: list(account, "accounts"),
  Company: assumed(company, "A company, as one of its members sees it", {
    role: "The member's own role in it",
  }),
  CompanyList: list(company, "companies"),
  Transaction: assumed(transaction, "What moved on an account, or was to", {
    amount:
      "In the account's currency: `original_amount` times `exchange_rate`, rounded half up to two places",
    original_amount: "In the merchant's currency",
    exchange_rate: "Units of `currency` for one of `original_currency`; null where they are one",
    running_balance: "The account's balance once this was booked; only on `completed`",
  }),
  Merchant: assumed(merchant, "Who was paid", { mcc: "Merchant category code, ISO 18245" }),
  TransactionList: list(transaction, "transactions"),
  Invoice: assumed(invoice, "What the service charges the company"),
  InvoiceList: list(invoice, "invoices"),

  NewWebhook: assumed(webhooks.newWebhook, "Which events are sent, and to which URL", webhookNotes, "§4, §6"),
  WebhookChange: assumed(webhooks.webhookChange, "What is absent stays", webhookNotes, "§4, §6"),
  Webhook: assumed(webhooks.webhook, "Which events are sent, and to which URL", {}, "§4, §6"),
  WebhookWithSecret: assumed(
    webhooks.webhookWithSecret,
    "A webhook whose secret was just made",
    { secret: "Shown this once" },
    "§4, §6",
  ),
  WebhookList: list(webhooks.webhook, "webhooks"),
  ...eventResources,
  WebhookDelivery: assumed(
    webhookDelivery,
    "One event on its way to one webhook",
    { next_attempt_at: "Null where no attempt is to come", payload: "What is sent" },
    "§4, §6",
  ),
  WebhookDeliveryList: list(webhookDelivery, "deliveries"),
  DeletedWebhook: assumed(webhooks.deletedWebhook, "The webhook that is gone", {}, "§4, §6"),

  CardError: specified("§2, §7", cardError, "The card operations' error, except 403"),
  GatewayError: specified(
    "§2, §7",
    gatewayError,
    "Specified for 403, with the code `forbidden`; assumed for 401 and outside the card operations",
  ),
} satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
