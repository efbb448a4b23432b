import { greatestAmount, greatestMinor } from "../contract/amount.ts";
import type { Choices } from "../contract/behaviours.ts";
import { SimulationRefused } from "./errors.ts";
import { formatMinor } from "./money.ts";

/**
 * Units of each currency for one euro, in ten-thousandths. The rates are made up and fixed, so that the same history
 * always gives the same amounts. All currencies have two decimals.
 */
const perEuro = {
  AED: 4_0000,
  AUD: 1_6500,
  BGN: 1_9558,
  BRL: 6_0000,
  CAD: 1_4800,
  CHF: 9500,
  CNY: 7_8000,
  CZK: 25_1000,
  DKK: 7_4600,
  EUR: 1_0000,
  GBP: 8600,
  HKD: 8_5000,
  HUF: 395_0000,
  ILS: 4_0000,
  INR: 91_0000,
  MXN: 20_0000,
  NOK: 11_6000,
  NZD: 1_7900,
  PLN: 4_2800,
  RON: 4_9700,
  SEK: 11_3000,
  SGD: 1_4600,
  THB: 38_0000,
  TRY: 35_0000,
  USD: 1_0900,
  ZAR: 20_1000,
} as const;

const rates = new Map<string, bigint>(Object.entries(perEuro).map(([code, rate]) => [code, BigInt(rate)]));

/** The currencies that the sandbox converts. */
export const currencies: readonly string[] = [...rates.keys()];

/** Whether the sandbox has a rate for a currency. */
export function hasRate(currency: string): boolean {
  return rates.has(currency);
}

/** @throws SimulationRefused if the sandbox has no rate for the currency */
function rateOf(currency: string): bigint {
  const rate = rates.get(currency);
  if (rate !== undefined) return rate;
  throw new SimulationRefused(
    "invalid",
    `currency: the sandbox has no exchange rate for ${currency}. Supported: ${currencies.join(", ")}`,
  );
}

const rateDecimals = 10;
const rateUnit = 10n ** BigInt(rateDecimals);

/** The rate from one currency to another, in units of its last decimal. */
function scaledRate(from: string, to: string): bigint {
  const [rateFrom, rateTo] = [rateOf(from), rateOf(to)];
  return (rateTo * rateUnit * 2n + rateFrom) / (rateFrom * 2n);
}

/** How a converted amount is rounded (assumed). */
export type Rounding = Choices["money.rounding"];

/**
 * Converts minor units by the rate that `exchangeRate` shows, so that a client can recalculate every amount. A result
 * beyond `greatestMinor` may be inexact; the ledger refuses it.
 * @throws SimulationRefused if the sandbox has no rate for a currency
 */
export function convert(minor: number, from: string, to: string, rounding: Rounding = "half_up"): number {
  const exact = BigInt(minor) * scaledRate(from, to);
  const rest = (exact % rateUnit) * 2n;
  const down = exact / rateUnit;
  const isUp =
    rounding === "half_up" ? rest >= rateUnit : rounding === "half_even" && rest + (down & 1n) > rateUnit;
  return Number(isUp ? down + 1n : down);
}

/**
 * The same for an amount to book.
 * @throws SimulationRefused if the result is 0.00 or exceeds `greatestMinor`
 */
export function bookable(minor: number, from: string, to: string, rounding: Rounding = "half_up"): number {
  const converted = convert(minor, from, to, rounding);
  if (converted > 0 && converted <= greatestMinor) return converted;
  const conversion = `amount: ${formatMinor(minor)} ${from} converts to`;
  const rate = scaledRate(from, to);
  // The least that converts to half of 0.01, or to more.
  const half = Number((rateUnit + 2n * rate - 1n) / (2n * rate));
  const above = convert(half, from, to, rounding) > 0 ? half : half + 1;
  const least = formatMinor(rounding === "down" ? costOf(1, to, from) : above);
  throw new SimulationRefused(
    "invalid",
    converted === 0
      ? `${conversion} 0.00 ${to}. Use at least ${least} ${from}.`
      : `${conversion} more than ${greatestAmount} ${to}. Use a smaller amount.`,
  );
}

/** The least minor units of one currency that buy an amount of another: rounded up, never in the buyer's favour. */
export function costOf(minor: number, of: string, inCurrency: string): number {
  const rate = scaledRate(inCurrency, of);
  return Number((BigInt(minor) * rateUnit + rate - 1n) / rate);
}

/** The rate from one currency to another, with ten decimals; null if they are the same. */
export function exchangeRate(from: string, to: string): string | null {
  if (from === to) return null;
  const digits = scaledRate(from, to)
    .toString()
    .padStart(rateDecimals + 1, "0");
  return `${digits.slice(0, -rateDecimals)}.${digits.slice(-rateDecimals)}`;
}
