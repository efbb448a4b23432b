import { SimulationRefused } from "./errors.ts";

/**
 * Units of each currency for one euro, in ten-thousandths: figures of our own, fixed, so that the same history
 * always comes to the same amounts. Currencies of two decimals alone.
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

/** Whether the sandbox moves money in a currency. */
export function hasRate(currency: string): boolean {
  return rates.has(currency);
}

/** @throws SimulationRefused where the sandbox has no rate for the currency */
function rateOf(currency: string): bigint {
  const rate = rates.get(currency);
  if (rate !== undefined) return rate;
  throw new SimulationRefused(
    "invalid",
    `currency: the sandbox has no rate for ${currency}; it has ${[...rates.keys()].join(", ")}`,
  );
}

/**
 * Converts minor units, rounding halves up; one currency into itself as it is.
 * @throws SimulationRefused where the sandbox has no rate for a currency
 */
export function convert(minor: number, from: string, to: string): number {
  const [rateFrom, rateTo] = [rateOf(from), rateOf(to)];
  return Number((BigInt(minor) * rateTo * 2n + rateFrom) / (rateFrom * 2n));
}

/** Units of one currency for one of another, with six decimals; null where they are one. */
export function exchangeRate(from: string, to: string): string | null {
  if (from === to) return null;
  const [rateFrom, rateTo] = [rateOf(from), rateOf(to)];
  const digits = ((rateTo * 2_000_000n + rateFrom) / (rateFrom * 2n)).toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
