/** What the issuer can say (spec §7: 422, 502, 503). */
export type IssuerAnswer =
  | { readonly outcome: "issued" }
  | { readonly outcome: "rejected"; readonly reason: string }
  | { readonly outcome: "bad_gateway" }
  | { readonly outcome: "unavailable" };

/**
 * The card issuer. One that answers at once keeps the whole order in a single transaction; one that answers
 * with a promise makes the order span time, and its idempotency key counts as in progress until then.
 */
export interface Issuer {
  issue(): IssuerAnswer | PromiseLike<IssuerAnswer>;
}

/** Issues every card, at once. */
export const promptIssuer: Issuer = { issue: () => ({ outcome: "issued" }) };

/** What the caller is told of an issuer that is not there (spec §7). */
export const issuerMessages = {
  badGateway: "The card issuer did not answer properly: retry later with the same Idempotency-Key",
  unavailable: "The card issuer is unavailable: retry later with the same Idempotency-Key",
};
