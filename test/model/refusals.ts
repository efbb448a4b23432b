const statuses: Readonly<Record<string, number>> = {
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  api_key_as_bearer: 401,
  not_a_member: 403,
  on_behalf_of_not_a_member: 403,
  forbidden: 403,
  account_not_found: 404,
  not_found: 404,
  change_in_progress: 409,
  virtual_change_in_progress: 409,
  state_conflict: 409,
  company_inactive: 422,
  account_closed: 422,
  company_details_missing: 422,
  cardholder_details_missing: 422,
  country_undeliverable: 422,
  quota_reached: 422,
  issuer_rejected: 422,
  rate_limited: 429,
  issuer_bad_gateway: 502,
  issuer_unavailable: 503,
};

/** The status of a refusal: whatever is wrong with the request itself is 400. */
export const statusOf = (point: string): number => statuses[point.split(".")[1] ?? ""] ?? 400;
