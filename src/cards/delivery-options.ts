import type { DeliveryOptions } from "../contract/card-requests.ts";
import type { DeliveryAddress } from "../contract/delivery-address.ts";
import { deliveryOptionsFor } from "../rules/delivery.ts";
import type { Overlay } from "../rules/facts.ts";
import { refuseInvalid } from "./caller-change.ts";
import { refuseUnfitAddress } from "./checks.ts";

/**
 * The delivery methods that an address supports (assumed): none where cards are not delivered to.
 * @throws SandboxError `cards.address_field_required`, `cards.post_code_format`, `cards.invalid_request`
 */
export function deliveryOptionsTo(address: DeliveryAddress, overlay: Overlay): DeliveryOptions {
  refuseUnfitAddress(address, "cards");
  refuseInvalid(overlay);
  return deliveryOptionsFor(address.country_code, overlay.facts.countryDeliverable);
}
