import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import { addressViolation } from "../rules/address.ts";
import { deliveryMethodsOffered, isDeliverable } from "../rules/delivery.ts";
import { SandboxError } from "../rules/errors.ts";
import type { OrderFacts } from "../rules/facts.ts";
import { type IssuerAnswer, issuerMessages } from "../rules/issuer.ts";

/**
 * The points of the specified order, and those of what else makes a card: of the same names, so that nobody takes
 * an assumed refusal for a specified one.
 */
export type PointFamily = "order" | "cards";

/** Facts with an account that the card may spend from: what judging lets through. */
export type JudgedFacts = OrderFacts & { readonly account: NonNullable<OrderFacts["account"]> };

/** Whether there is an account that the card may spend from. */
export function hasAccount(facts: OrderFacts): facts is JudgedFacts {
  return facts.account !== undefined;
}

/** 400: an address, measured against its country. */
export function refuseUnfitAddress(address: DeliveryAddress, family: PointFamily): void {
  const violation = addressViolation(address);
  if (violation?.kind === "field_required") {
    throw new SandboxError(`${family}.address_field_required`, violation.message);
  }
  if (violation) throw new SandboxError(`${family}.post_code_format`, violation.message);
}

/** 400: a method that does not serve the address's zone. */
export function refuseUnofferedMethod(
  method: DeliveryMethod,
  { country_code }: DeliveryAddress,
  family: PointFamily,
): void {
  const offered = deliveryMethodsOffered(country_code);
  if (offered.includes(method)) return;
  throw new SandboxError(
    `${family}.delivery_method_not_offered`,
    `delivery_method: ${method} does not serve ${country_code}; use ${offered.join(" or ")}`,
  );
}

/**
 * 422 (spec §7).
 * @param country - where the card is delivered to; undefined where it is not delivered
 */
export function refuseUnissuable(facts: JudgedFacts, country: string | undefined, family: PointFamily): void {
  if (facts.companyStatus !== "active") {
    throw new SandboxError(
      `${family}.company_inactive`,
      `The company is not active: it is ${facts.companyStatus}, so it cannot order cards`,
    );
  }
  if (facts.account.status === "closed") {
    throw new SandboxError(`${family}.account_closed`, "The account is closed: order from an active account");
  }
  if (!facts.companyDetailsComplete) {
    throw new SandboxError(
      `${family}.company_details_missing`,
      "The company's details are incomplete: complete them before ordering a card",
    );
  }
  if (!facts.cardholderDetailsComplete) {
    throw new SandboxError(
      `${family}.cardholder_details_missing`,
      "The cardholder's details are incomplete: the member who owns the API key completes them first",
    );
  }
  if (country !== undefined && !(facts.countryDeliverable ?? isDeliverable(country))) {
    throw new SandboxError(
      `${family}.country_undeliverable`,
      `delivery_address.country_code: cards are not delivered to ${country}`,
    );
  }
  if (facts.quotaReached) {
    throw new SandboxError(
      `${family}.quota_reached`,
      "The company's quota of live cards is reached: terminate a card, or raise the quota",
    );
  }
}

/** 422, 502 or 503, as the issuer says; a card is made on `issued` alone. */
export function accept(answer: IssuerAnswer, family: PointFamily): void {
  switch (answer.outcome) {
    case "issued":
      return;
    case "rejected":
      throw new SandboxError(
        `${family}.issuer_rejected`,
        `The card issuer rejected the request: ${answer.reason}`,
      );
    case "bad_gateway":
      throw new SandboxError(`${family}.issuer_bad_gateway`, issuerMessages.badGateway);
    case "unavailable":
      throw new SandboxError(`${family}.issuer_unavailable`, issuerMessages.unavailable);
    default:
      answer satisfies never;
      throw new Error(`the issuer answered ${JSON.stringify(answer)}, which means nothing`);
  }
}
