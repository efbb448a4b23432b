import type { DeliveryOptions } from "../contract/card-requests.ts";
import type { DeliveryMethod } from "../contract/delivery-address.ts";
import { formatMinor } from "./money.ts";

const domestic = new Set(["GB", "GG", "IM", "JE"]);
const europe = new Set(
  "AT BE BG CH CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(" "),
);
const undeliverable = new Set("BY BI CF CU IR LY MM KP RU SO SS SD SY VE ZW".split(" "));

/** How a method delivers in a zone: working days, whether it is tracked, and its fee in minor units of GBP. */
interface Terms {
  readonly days: readonly [min: number, max: number];
  readonly tracked: boolean;
  readonly feeMinor: number;
}

/** The methods that serve each zone, and on which terms (assumed). */
const zones: Readonly<Record<"domestic" | "europe" | "elsewhere", Partial<Record<DeliveryMethod, Terms>>>> = {
  domestic: {
    classic: { days: [3, 5], tracked: false, feeMinor: 0 },
    express: { days: [1, 2], tracked: true, feeMinor: 1500 },
  },
  europe: {
    express: { days: [2, 4], tracked: true, feeMinor: 2500 },
    international: { days: [5, 10], tracked: false, feeMinor: 500 },
  },
  elsewhere: {
    international: { days: [7, 15], tracked: false, feeMinor: 1000 },
  },
};

function zoneOf(countryCode: string): keyof typeof zones {
  if (domestic.has(countryCode)) return "domestic";
  return europe.has(countryCode) ? "europe" : "elsewhere";
}

/** The methods that the address's zone offers, whether or not the country is served at all. */
export function deliveryMethodsOffered(countryCode: string): readonly DeliveryMethod[] {
  return Object.keys(zones[zoneOf(countryCode)]) as DeliveryMethod[];
}

/**
 * What the caller is offered for a country: nothing where cards are not delivered to it.
 * @param deliverable - in place of what the list of countries says
 */
export function deliveryOptionsFor(
  countryCode: string,
  deliverable = isDeliverable(countryCode),
): DeliveryOptions {
  const offered = deliverable ? Object.entries(zones[zoneOf(countryCode)]) : [];
  return {
    delivery_methods: offered.map(([method, { days, tracked, feeMinor }]) => ({
      method: method as DeliveryMethod,
      estimated_days: { min: days[0], max: days[1] },
      tracked,
      fee: { amount: formatMinor(feeMinor), currency: "GBP" },
    })),
  };
}

/** Whether cards are delivered to the country (spec §7). */
export function isDeliverable(countryCode: string): boolean {
  return !undeliverable.has(countryCode);
}
