import type { DeliveryMethod } from "../contract/delivery-address.ts";

const domestic = new Set(["GB", "GG", "IM", "JE"]);
const europe = new Set(
  "AT BE BG CH CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split(" "),
);
const undeliverable = new Set("BY BI CF CU IR LY MM KP RU SO SS SD SY VE ZW".split(" "));

/** The methods that the address's zone offers, whether or not the country is served at all. */
export function deliveryMethodsOffered(countryCode: string): readonly DeliveryMethod[] {
  if (domestic.has(countryCode)) return ["classic", "express"];
  if (europe.has(countryCode)) return ["express", "international"];
  return ["international"];
}

/** Whether cards are delivered to the country (spec §7). */
export function isDeliverable(countryCode: string): boolean {
  return !undeliverable.has(countryCode);
}
