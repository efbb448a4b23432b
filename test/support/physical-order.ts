export const london = { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" };

/** The body of an order that passes every check. */
export function physicalOrder(accountId: string | undefined) {
  return { account_id: accountId, pin: "4821", delivery_address: london, delivery_method: "express" };
}
