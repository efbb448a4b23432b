import { alternative, behaviour, changeOf } from "./behaviour.ts";

const queryPoints = [
  "cards.query_invalid",
  "transactions.query_invalid",
  "invoices.query_invalid",
  "webhooks.query_invalid",
] as const;
const plainQueryPoints = ["accounts.query_invalid", "companies.query_invalid"] as const;

/** How lists are asked for and shown (spec §4). */
export const listBehaviours = {
  "lists.envelope": behaviour({
    title: "Envelope of a list",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("data", "`data`, and the position in the same object", "Stripe"),
      alternative("items", "`items`, with the position in `pagination`", "Belvo"),
      alternative(
        "named",
        "the name of the objects, with the position in `meta`",
        "Qonto, GoCardless, Moyasar",
      ),
      alternative("array", "a bare array, with the next page in the header Link", "GitHub (RFC 8288)"),
    ],
  }),
  "lists.paging": behaviour({
    title: "Paging of lists",
    spec: "§1, §4",
    provenance: "assumed",
    points: queryPoints,
    scope: "company",
    alternatives: [
      alternative("cursor", "by `limit` and an opaque `cursor`", "GoCardless and Lithic use cursors"),
      alternative("offset", "by `limit` and `offset`, with the total count", "Equals Money", {
        ...changeOf(queryPoints, { title: "A filter, the limit or the offset is not valid" }),
        conflicts: ["lists.bad_cursor=first_page"],
      }),
      alternative("page", "by `per_page` and `page`, with the total count", "Qonto, Moyasar", {
        ...changeOf(queryPoints, { title: "A filter, the page or its size is not valid" }),
        conflicts: ["lists.bad_cursor=first_page"],
      }),
    ],
  }),
  "lists.page_size": behaviour({
    title: "Number of results on a page by default",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a list of more than 100 objects is needed",
    alternatives: [
      alternative("50", "50", "GoCardless, Bridge"),
      alternative("10", "10", "Stripe"),
      alternative("100", "100", "Qonto"),
    ],
  }),
  "lists.limit_over_maximum": behaviour({
    title: "Limit above the maximum of 100",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("refused", "400", "Stripe accepts only 1 to 100"),
      alternative("clamped", "counts as 100", "GitHub, for `per_page`"),
    ],
  }),
  "lists.unknown_parameter": behaviour({
    title: "Unknown query parameter of a list",
    spec: "§4",
    provenance: "assumed",
    points: plainQueryPoints,
    scope: "company",
    alternatives: [alternative("refused", "400", "Stripe"), alternative("ignored", "ignored", "GitHub")],
  }),
  "lists.bad_cursor": behaviour({
    title: "Cursor that no page returned",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("refused", "400", "Slack refuses it as `invalid_cursor`"),
      alternative(
        "first_page",
        "returns the first page",
        "plausible: a cursor that cannot be read is ignored",
      ),
    ],
  }),
  "lists.order": behaviour({
    title: "Order of lists",
    spec: "§1, §4",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("newest_first", "newest first", "Stripe, Bridge"),
      alternative("oldest_first", "oldest first", "Monite, by default"),
    ],
  }),
  "lists.period_end": behaviour({
    title: "Filter `to` of transactions and invoices",
    spec: "§1, §4",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a transaction or an invoice is needed",
    alternatives: [
      alternative("exclusive", "exclusive", "Revolut"),
      alternative("inclusive", "inclusive", "plausible: Stripe offers both, as `lt` and `lte`"),
    ],
  }),
  "accounts.closed_listed": behaviour({
    title: "Closed accounts in the list of accounts",
    spec: "§1, §4",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a closed account is needed",
    alternatives: [
      alternative("yes", "listed", "Qonto lists them with the status `closed`"),
      alternative("no", "left out", "plausible: only accounts that can be used"),
    ],
  }),
  "transactions.listed_statuses": behaviour({
    title: "Transactions in a list without the filter `status`",
    spec: "§1, §4",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a transaction is needed that is pending, declined or reverted",
    alternatives: [
      alternative("all", "all", "Adyen lists all statuses unless it is told some"),
      alternative("completed", "only completed ones", "IBEX lists only settled transactions"),
    ],
  }),
  "invoices.void_listed": behaviour({
    title: "Void invoices in a list without the filter `status`",
    spec: "§4",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a void invoice is needed",
    alternatives: [
      alternative("yes", "listed", "Stripe"),
      alternative("no", "left out", "plausible: they are not to be paid"),
    ],
  }),
};
