import * as z from "zod";
import { accountId, cardId, transactionId } from "../contract/identifiers.ts";
import { type Merchant, merchant, type Transaction } from "../contract/transaction.ts";
import { authorise } from "../payments/authorise.ts";
import { fund } from "../payments/funding.ts";
import { clear, refund, reverse } from "../payments/settle.ts";
import { transactionOf } from "../payments/transaction.ts";
import type { Services } from "../runtime/services.ts";
import type { TransactionRecord } from "../store/transactions.ts";
import { amountAboveZero, currency } from "./amount.ts";
import { parsed } from "./read-json.ts";
import { simulated } from "./simulated.ts";

const usualMerchant: Merchant = { name: "Corner Shop", mcc: "5411", city: "London", country: "GB" };
const cashMachine: Merchant = { name: "Cash machine", mcc: "6011", city: "London", country: "GB" };

const longest = 200;
const tooLong = `must be up to ${longest} characters`;
const shopName = z.string().min(1).max(longest, tooLong);
const place = z.string().max(longest, tooLong);

const newAuthorisation = z.strictObject({
  card_id: cardId,
  amount: amountAboveZero,
  currency: currency.optional(),
  /** Its name, or what else is to differ from the usual merchant. */
  merchant: z
    .union([shopName, z.strictObject({ name: shopName, city: place, country: place }).partial()])
    .optional(),
  mcc: merchant.shape.mcc.optional(),
  channel: z.enum(["online", "in_person", "atm"]).default("in_person"),
});

/** In the currency of the authorisation; without an amount: all that it holds. */
const newClearing = z.strictObject({ amount: amountAboveZero.optional(), final: z.boolean().default(false) });
const newReversal = z.strictObject({ amount: amountAboveZero.optional() });
const newRefund = z.strictObject({ transaction_id: transactionId, amount: amountAboveZero.optional() });
const newFunding = z.strictObject({ account_id: accountId, amount: amountAboveZero });

/** What happens outside the service: merchants, banks and time, played by the tester. */
export class Simulator {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * A merchant asks for money.
   * @returns the payment, pending or declined
   * @throws ControlError 404 where there is no such card, 400 where the currency has no rate
   */
  authorise(wanted: z.input<typeof newAuthorisation>): Transaction {
    const asked = parsed(newAuthorisation, wanted);
    const isCash = asked.channel === "atm";
    return this.#shown(() =>
      authorise(this.#services, {
        cardId: asked.card_id,
        originalMinor: asked.amount,
        currency: asked.currency,
        merchant: merchantOf(asked, isCash ? cashMachine : usualMerchant),
        type: isCash ? "atm" : "card_payment",
      }),
    );
  }

  /**
   * The merchant takes what was authorised, or a part, or more.
   * @throws ControlError 404 where there is no such payment, 409 where it is pending no more
   */
  clear(id: string, wanted: z.input<typeof newClearing> = {}): Transaction {
    const { amount, final } = parsed(newClearing, wanted);
    return this.#shown(() => clear(this.#services, idOf(id), amount, final));
  }

  /**
   * The merchant gives up what was authorised, or a part.
   * @throws ControlError 404 where there is no such payment, 409 where it is pending no more, or holds less
   */
  reverse(id: string, wanted: z.input<typeof newReversal> = {}): Transaction {
    const { amount } = parsed(newReversal, wanted);
    return this.#shown(() => reverse(this.#services, idOf(id), amount));
  }

  /**
   * The merchant never takes what was authorised, and it lapses.
   * @throws ControlError 404 where there is no such payment, 409 where it is pending no more
   */
  expire(id: string): Transaction {
    return this.#shown(() => reverse(this.#services, idOf(id), undefined));
  }

  /**
   * The merchant gives back what a payment took, or a part.
   * @throws ControlError 404 where there is no such payment, 409 where it took nothing, or less is left
   */
  refund(wanted: z.input<typeof newRefund>): Transaction {
    const { transaction_id, amount } = parsed(newRefund, wanted);
    return this.#shown(() => refund(this.#services, transaction_id, amount));
  }

  /** @throws ControlError 404 where there is no such account, 409 where it is closed */
  topUp(wanted: z.input<typeof newFunding>): Transaction {
    const { account_id, amount } = parsed(newFunding, wanted);
    return this.#shown(() => fund(this.#services, "topup", account_id, amount));
  }

  /** @throws ControlError 404 where there is no such account, 409 where it is closed */
  charge(wanted: z.input<typeof newFunding>): Transaction {
    const { account_id, amount } = parsed(newFunding, wanted);
    return this.#shown(() => fund(this.#services, "fee", account_id, amount));
  }

  #shown(work: () => TransactionRecord): Transaction {
    return transactionOf(simulated(work));
  }
}

function merchantOf({ merchant: shop, mcc }: z.output<typeof newAuthorisation>, usual: Merchant): Merchant {
  const { name, city, country } = typeof shop === "string" ? { name: shop } : { ...shop };
  return {
    name: name ?? usual.name,
    mcc: mcc ?? usual.mcc,
    city: city ?? usual.city,
    country: country ?? usual.country,
  };
}

/** One that is no UUID names no transaction, as core finds. */
function idOf(text: string) {
  return text.toLowerCase() as z.output<typeof transactionId>;
}
