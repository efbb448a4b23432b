import type { Choices } from "../contract/behaviours.ts";
import type { DeliveryOptions } from "../contract/card-requests.ts";
import type { DeliveryAddress, DeliveryMethod, ParcelStatus } from "../contract/delivery-address.ts";
import { addressRules } from "./address-rules.ts";
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

/** The methods of each zone and their terms (assumed). */
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

/** The behaviors that a dialect can change here. */
type DeliveryChoices = Pick<
  Choices,
  "address.state" | "post_code.form" | "delivery_method.not_offered" | "delivery.countries"
>;

/** The methods of the country's zone and their terms, whether or not cards are delivered to the country. */
function methodsOf(countryCode: string, choices: DeliveryChoices): Partial<Record<DeliveryMethod, Terms>> {
  const ofZone = zones[zoneOf(countryCode)];
  if (choices["delivery_method.not_offered"] !== "accepted") return ofZone;
  return { ...zones.domestic, ...zones.europe, ...ofZone };
}

/** The methods that the country supports, whether or not cards are delivered to it. */
export function deliveryMethodsOffered(
  countryCode: string,
  choices: DeliveryChoices,
): readonly DeliveryMethod[] {
  return Object.keys(methodsOf(countryCode, choices)) as DeliveryMethod[];
}

/**
 * The delivery methods for a country: none if cards are not delivered to it.
 * @param deliverable - overrides the list of countries
 */
export function deliveryOptionsFor(
  countryCode: string,
  choices: DeliveryChoices,
  deliverable = isDeliverable(countryCode, choices),
): DeliveryOptions {
  const offered = deliverable ? Object.entries(methodsOf(countryCode, choices)) : [];
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
export function isDeliverable(countryCode: string, choices: DeliveryChoices): boolean {
  if (choices["delivery.countries"] === "europe") return zoneOf(countryCode) !== "elsewhere";
  return !undeliverable.has(countryCode);
}

const requirableFields = [
  ["C", "city"],
  ["S", "state"],
  ["Z", "post_code"],
] as const;

/** By flags and pattern. A key that joins both would be hashed for each address. */
const postCodeFormats = { i: new Map<string, RegExp>(), "": new Map<string, RegExp>() };

function postCodeFormat(pattern: string, flags: "i" | ""): RegExp {
  const formats = postCodeFormats[flags];
  let format = formats.get(pattern);
  if (!format) {
    format = new RegExp(`^(?:${pattern})$`, flags);
    formats.set(pattern, format);
  }
  return format;
}

/** A violation of the country's address rules, which the spec (§2) does not show. */
export interface AddressViolation {
  readonly kind: "field_required" | "post_code_format";
  readonly message: string;
}

/** Checks the required fields, then the format of the post code, trimmed and in any letter case. */
export function addressViolation(
  address: DeliveryAddress,
  choices: DeliveryChoices,
): AddressViolation | undefined {
  const country = address.country_code;
  const rules = addressRules[country] ?? { required: "C" };
  const needsState = choices["address.state"] === "required" && (country === "ES" || country === "IT");
  const required = needsState ? `${rules.required}S` : rules.required;
  for (const [letter, field] of requirableFields) {
    if (required.includes(letter) && !address[field]?.trim()) {
      return {
        kind: "field_required",
        message: `delivery_address.${field}: is required for an address in ${country}`,
      };
    }
  }
  const postCode = address.post_code?.trim();
  const flags = choices["post_code.form"] === "capitals" ? "" : "i";
  if (postCode && rules.postCode && !postCodeFormat(rules.postCode, flags).test(postCode)) {
    return {
      kind: "post_code_format",
      message: `delivery_address.post_code: must be a valid post code for ${country}, but is ${JSON.stringify(postCode)}`,
    };
  }
  return undefined;
}

/** The statuses that the delivery of a card can change to: only forward; it can skip some (assumed). */
const nextStatuses: Readonly<Record<ParcelStatus, readonly ParcelStatus[]>> = {
  ordered: ["produced", "shipped", "delivered", "returned", "failed"],
  produced: ["shipped", "delivered", "returned", "failed"],
  shipped: ["delivered", "returned", "failed"],
  failed: ["returned"],
  delivered: [],
  returned: [],
};

/** The message that refuses a change of a delivery's status; undefined if the change is allowed. */
export function parcelViolation(from: ParcelStatus, to: ParcelStatus): string | undefined {
  const next = nextStatuses[from];
  if (next.includes(to)) return undefined;
  const allowed = next.length === 0 ? "No further change is possible." : `Allowed: ${next.join(", ")}.`;
  return `status: cannot change from ${from} to ${to}. ${allowed}`;
}
