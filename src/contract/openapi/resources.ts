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
import { cardError, gatewayError, oauthError, problemDetails } from "../responses.ts";
import { tokenExchangeRequest, tokenExchangeResponse } from "../token-exchange.ts";
import { merchant, transaction } from "../transaction.ts";
import { newWebhook, webhookChange } from "../webhook.ts";
import { deletedWebhook, webhook, webhookDelivery, webhookWithSecret } from "../webhook-responses.ts";
import { eventResources } from "./webhooks.ts";

/** An object in requests or responses, with its provenance. */
export interface Resource {
  readonly schema: z.ZodObject;
  /** The provenance of the object and of each of its fields. */
  readonly provenance: Provenance;
  readonly spec: string;
  readonly description: string;
  /** Descriptions of fields, by name. */
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
  data: "Newest first",
  next_cursor: "Send it as `cursor`, with the same filters, to get the next page. `null` on the last page.",
};
const list = (row: z.ZodObject, of: string): Resource => assumed(listOf(row), `A page of ${of}`, listNotes);

const webhookNotes: Notes = {
  url: "An https URL, or an http URL with a loopback host. It must not contain a user name or a password.",
};

const orderNotes: Notes = {
  account_id: "Account from which the card spends; it must belong to the company of the caller",
  pin: "Four digits",
  name: "Default: `Physical <last four>`",
};

/** All objects of the interface, by their names in the OpenAPI document. Nested objects inherit the provenance. */
export const resources = {
  TokenExchangeRequest: specified("§4", tokenExchangeRequest, "The API key to exchange for an access token", {
    api_key: "Starts with `sk_sandbox_` or `sk_live_`; its environment must match the endpoint",
  }),
  TokenExchangeResponse: specified("§2", tokenExchangeResponse, "A short-lived access token", {
    access_token: "Opaque; send it as the Bearer token",
    expires_at: "About 15 minutes after the exchange; exchange the API key again before this time",
  }),

  Card: specified("§2", card, "A company card. Card numbers, CVVs and PINs are never returned.", {
    token: "Card token, for the filter `tokens` of the list of cards",
    account_id: "Account from which the card spends",
    user_id: "Cardholder",
    last_four: "Last four digits of the card number",
    spending_limit: "`null` if there is no limit",
  }),
  CardSpendingLimit: specified(
    "§2",
    card.shape.spending_limit.unwrap(),
    "The maximum amount that the card can spend in a period",
    {
      amount: "Decimal with two decimal places",
      currency: "Currency of the account of the card",
      used: "Amount spent in the current period; omitted if it cannot be read, or if the card is terminated or expired",
    },
  ),
  CardLimits: specified("§2", card.shape.card_limits, "The fixed limits of the card, in EUR"),
  CardLimit: specified("§2", card.shape.card_limits.shape.daily, "A fixed limit of the card", {
    used: "Amount used; only in list responses",
  }),
  CardList: list(card, "cards"),
  PhysicalCardOrder: specified("§4", physicalCardOrder, "The order of a physical card", orderNotes),
  DeliveryAddress: specified(
    "§2",
    deliveryAddress,
    "The address to which the card is delivered. Some countries require more fields, or a specific format of the post code (assumed).",
    { country_code: "ISO 3166-1 alpha-2 code" },
  ),
  SpendingLimitInput: specified(
    "§2",
    spendingLimitInput,
    "The maximum amount that the card can spend in a period",
    {
      period: "Periods follow the UK calendar; weeks start on Monday",
      amount:
        "Decimal above 0 with at most two decimal places, in the currency of the account of the card. The same " +
        "rule applies to a JSON number, but the schema does not check its decimal places. A daily limit is at most " +
        "`card_limits.daily.amount`, a weekly or monthly limit at most `card_limits.rolling_32_days.amount`. A lifetime " +
        "limit is at most 9999999999999.99, which is a limit of the sandbox.",
    },
  ),
  VirtualCardOrder: assumed(requests.virtualCardOrder, "The order of a virtual card", {
    account_id: orderNotes.account_id ?? "",
  }),
  PhysicalReplacement: assumed(
    requests.physicalReplacement,
    "The replacement of a physical card, which is delivered",
    {
      reason: "Why the card is replaced",
    },
  ),
  VirtualReplacement: assumed(requests.virtualReplacement, "The replacement of a virtual card", {
    reason: "Why the card is replaced",
  }),
  CardChange: assumed(requests.cardChange, "The new name, the new auto_convert, or both", {
    name: "At most 100 characters. Leading and trailing white space is removed first.",
  }),
  DeliveryOptionsRequest: assumed(
    requests.deliveryOptionsRequest,
    "The address to which a card would be delivered",
  ),
  DeliveryOptions: assumed(requests.deliveryOptions, "The delivery methods that an address supports", {
    delivery_methods: "Empty if cards cannot be delivered to the country",
  }),

  Account: assumed(account, "A currency account of the company", {
    available_balance: "Balance minus the money that pending card payments hold",
  }),
  AccountList: list(account, "accounts"),
  Company: assumed(company, "A company that the member belongs to", {
    role: "Role of the member in this company",
  }),
  CompanyList: list(company, "companies"),
  Transaction: assumed(
    transaction,
    "A movement of money on an account, or an attempt that was declined or reverted",
    {
      amount:
        "Amount in the currency of the account: `original_amount` times `exchange_rate`, rounded half up to two decimal places",
      original_amount: "Amount in the currency of the merchant",
      exchange_rate:
        "Units of `currency` for one unit of `original_currency`; `null` if both currencies are the same",
      running_balance:
        "Balance of the account after this transaction; `null` unless the status is `completed`",
    },
  ),
  Merchant: assumed(merchant, "The recipient of a payment", { mcc: "Merchant category code (ISO 18245)" }),
  TransactionList: list(transaction, "transactions"),
  Invoice: assumed(invoice, "An invoice of the service to the company"),
  InvoiceList: list(invoice, "invoices"),

  NewWebhook: assumed(newWebhook, "The URL and the event types of a new webhook", webhookNotes, "§4, §6"),
  WebhookChange: assumed(
    webhookChange,
    "The fields to change; absent fields keep their values",
    webhookNotes,
    "§4, §6",
  ),
  Webhook: assumed(webhook, "A webhook: the sandbox sends events to its URL", {}, "§4, §6"),
  WebhookWithSecret: assumed(
    webhookWithSecret,
    "A webhook with its new secret",
    { secret: "Signing secret. Only this response contains it." },
    "§4, §6",
  ),
  WebhookList: list(webhook, "webhooks"),
  ...eventResources,
  WebhookDelivery: assumed(
    webhookDelivery,
    "The delivery of one event to one webhook",
    {
      next_attempt_at: "Time of the next attempt; `null` if no further attempt is planned",
      payload: "Body of the request to the receiver",
    },
    "§4, §6",
  ),
  WebhookDeliveryList: list(webhookDelivery, "deliveries"),
  DeletedWebhook: assumed(deletedWebhook, "The webhook that was deleted", {}, "§4, §6"),

  CardError: specified("§2, §7", cardError, "The error body of the card operations, except for 403"),
  GatewayError: specified(
    "§2, §7",
    gatewayError,
    "The error body of all other errors. Specified for 403 with the code `forbidden`; assumed for 401 and for all operations that are not card operations.",
  ),
  OAuthError: assumed(oauthError, "The error body of OAuth 2.0 (RFC 6749 §5.2)", {}, "§7"),
  ProblemDetails: assumed(problemDetails, "Problem details (RFC 9457)", {}, "§7"),
} satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
