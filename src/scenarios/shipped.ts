/** The scenarios that the package ships, in the order in which `Prefer: code=…` looks for one. */
export const shippedScenarios = [
  "quota-reached",
  "company-inactive",
  "account-closed",
  "company-details-missing",
  "cardholder-details-missing",
  "country-undeliverable",
  "issuer-rejected",
  "forbidden",
  "account-not-found",
  "conflict",
  "issuer-bad-gateway",
  "issuer-unavailable",
  "issuer-recovers",
  "issuer-slow",
  "unauthorized",
  "token-expired",
  "token-short-lived",
  "lost-response",
  "created-but-502",
  "dropped-request",
  "truncated-response",
  "empty-response",
  "slow-response",
  "silent-response",
  "in-flight",
  "lost-in-flight",
  "invalid-request",
  "not-entitled",
  "key-revoked",
  "token-unavailable",
  "rate-limited",
  "used-unreadable",
  "webhook-duplicate",
  "webhook-reordered",
  "webhook-stale",
  "webhook-bad-signature",
] as const;

/** The name of a scenario that the package ships. */
export type ScenarioName = (typeof shippedScenarios)[number];

/** The name of any scenario, including those of your own files. Editors complete the shipped names. */
export type AnyScenarioName = ScenarioName | (string & {});
