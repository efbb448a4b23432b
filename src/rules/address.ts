import type { DeliveryAddress } from "../contract/delivery-address.ts";
import { addressRules } from "./address-rules.ts";

const requirable = [
  ["C", "city"],
  ["S", "state"],
  ["Z", "post_code"],
] as const;

const postCodeForms = new Map<string, RegExp>();

function postCodeForm(country: string, pattern: string): RegExp {
  let form = postCodeForms.get(country);
  if (!form) {
    form = new RegExp(`^(?:${pattern})$`, "i");
    postCodeForms.set(country, form);
  }
  return form;
}

/** What an address lacks by its country's rules, for which the spec (§2) shows nothing. */
export interface AddressViolation {
  readonly kind: "field_required" | "post_code_format";
  readonly message: string;
}

/** Checks required fields, then the post code's form, in any letter case and trimmed. */
export function addressViolation(address: DeliveryAddress): AddressViolation | undefined {
  const country = address.country_code;
  const rules = addressRules[country] ?? { required: "C" };
  for (const [letter, field] of requirable) {
    if (rules.required.includes(letter) && !address[field]?.trim()) {
      return {
        kind: "field_required",
        message: `delivery_address.${field}: is required for an address in ${country}`,
      };
    }
  }
  const postCode = address.post_code?.trim();
  if (postCode && rules.postCode && !postCodeForm(country, rules.postCode).test(postCode)) {
    return {
      kind: "post_code_format",
      message: `delivery_address.post_code: ${JSON.stringify(postCode)} is no post code of ${country}`,
    };
  }
  return undefined;
}
