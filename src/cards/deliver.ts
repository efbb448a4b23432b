import type { DeliveryOptions } from "../contract/card-requests.ts";
import type { DeliveryAddress, ParcelStatus } from "../contract/delivery-address.ts";
import { deliveryOptionsFor } from "../rules/delivery.ts";
import type { Overlay } from "../rules/overlay.ts";
import { refuseInvalidAddress, refuseInvalidRequest } from "./checks.ts";

/**
 * The delivery methods that an address supports (assumed): none if cards are not delivered to its country.
 * @throws SandboxError `cards.address_field_required`, `cards.post_code_format`, `cards.invalid_request`
 */
export function deliveryOptionsTo(address: DeliveryAddress, overlay: Overlay): DeliveryOptions {
  refuseInvalidAddress(address, "listDeliveryOptions");
  refuseInvalidRequest(overlay, "listDeliveryOptions");
  return deliveryOptionsFor(address.country_code, overlay.facts.countryDeliverable);
}

/** The states that a parcel can go to from each state: only forward, possibly several at once. */
const nextStates: Readonly<Record<ParcelStatus, readonly ParcelStatus[]>> = {
  ordered: ["produced", "shipped", "delivered", "returned", "failed"],
  produced: ["shipped", "delivered", "returned", "failed"],
  shipped: ["delivered", "returned", "failed"],
  failed: ["returned"],
  delivered: [],
  returned: [],
};

/** Why a parcel cannot go from one state to another; undefined if it can. */
export function parcelViolation(from: ParcelStatus, to: ParcelStatus): string | undefined {
  const next = nextStates[from];
  if (next.includes(to)) return undefined;
  const remedy = next.length === 0 ? "it goes no farther" : `it goes on to ${next.join(", ")}`;
  return `The card's parcel is ${from}, and cannot become ${to}: ${remedy}`;
}
