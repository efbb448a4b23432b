import { alternative, behaviour } from "./behaviour.ts";

/** The shape of the objects in responses and events, and money (spec §2, §4). */
export const responseBehaviours = {
  "responses.timestamps": behaviour({
    title: "Form of timestamps",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("milliseconds", "with milliseconds and `Z`", "Monzo"),
      alternative("seconds", "with seconds and `Z`", "GitHub"),
      alternative("offset", "with milliseconds and `+00:00`", "RFC 3339 allows it for a `date-time`"),
    ],
  }),
  "responses.extra_fields": behaviour({
    title: "Further fields in objects",
    spec: "§2, §9",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("none", "none", "the specification names none for a card"),
      alternative(
        "metadata",
        "`metadata`, an object",
        "Stripe; a compatible change, which many APIs make at any time",
      ),
    ],
  }),
  "responses.null_fields": behaviour({
    title: "Empty fields of transactions, invoices and deliveries",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a transaction or an invoice is needed",
    alternatives: [
      alternative("null", "`null`", "Stripe, Monzo"),
      alternative("omitted", "omitted", "Google, and every protobuf-based API"),
    ],
  }),
  "responses.amounts": behaviour({
    title: "Amounts of accounts, transactions and invoices",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("decimal", "decimal strings, as for cards", "the specification, for cards"),
      alternative("number", "JSON numbers", "Revolut, Qonto"),
      alternative("object", "objects of `value`, in minor units, and `currency`", "Adyen"),
    ],
  }),
  "responses.currency_case": behaviour({
    title: "Currencies of accounts, transactions and invoices",
    spec: "§2",
    provenance: "assumed",
    points: [],
    scope: "company",
    alternatives: [
      alternative("upper", "upper-case", "ISO 4217"),
      alternative("lower", "lower-case", "Stripe"),
    ],
  }),
  "responses.single_object": behaviour({
    title: "Envelope of one account, transaction or invoice",
    spec: "§4",
    provenance: "assumed",
    points: ["accounts.shown", "transactions.shown", "invoices.shown"],
    scope: "company",
    alternatives: [
      alternative("none", "none", "Stripe; the specification, for cards"),
      alternative("named", "the name of the object", "Qonto, GoCardless"),
      alternative("data", "`data`", "Unit (JSON:API)"),
    ],
  }),
  "transactions.debit_sign": behaviour({
    title: "Sign of the amounts of debits",
    spec: "§1",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a transaction is needed",
    alternatives: [
      alternative("positive", "positive, with `direction`", "Qonto, with `side`"),
      alternative("negative", "negative", "Revolut, Monzo"),
    ],
  }),
  "transactions.running_balance": behaviour({
    title: "Field of the running balance",
    spec: "§1",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a transaction is needed",
    alternatives: [
      alternative("running_balance", "`running_balance`", "the specification calls it so"),
      alternative("settled_balance", "`settled_balance`", "Qonto"),
    ],
  }),
  "money.rounding": behaviour({
    title: "Rounding of converted amounts",
    spec: "§1",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: "a card payment in another currency is needed",
    alternatives: [
      alternative("half_up", "half up", "the usual commercial rounding"),
      alternative("half_even", "half to even", "IEEE 754, and the default of Python's decimal"),
      alternative("down", "down", "plausible: the rest stays with the service"),
    ],
  }),
};
