import type { Choices } from "../contract/behaviours.ts";
import type { DeliveryOptions } from "../contract/card-requests.ts";
import type { DeliveryAddress } from "../contract/delivery-address.ts";
import { deliveryOptionsFor } from "../rules/delivery.ts";
import type { Overlay } from "../rules/overlay.ts";
import { refuseInvalidAddress, refuseInvalidRequest } from "./checks.ts";

/**
 * The delivery methods that an address supports (assumed): none if cards are not delivered to its country.
 * @throws SandboxError `cards.address_field_required`, `cards.post_code_format`, `cards.invalid_request`
 */
export function deliveryOptionsTo(
  address: DeliveryAddress,
  overlay: Overlay,
  choices: Choices,
): DeliveryOptions {
  refuseInvalidAddress(address, "listDeliveryOptions", choices);
  refuseInvalidRequest(overlay, "listDeliveryOptions");
  return deliveryOptionsFor(address.country_code, choices, overlay.facts.countryDeliverable);
}
