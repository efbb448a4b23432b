import type { UnfiredScenario } from "../unfired.ts";

/** Which scenario, and what it was armed for: `conflict, for northwind, on freezeCard` */
export function unfiredWords({ name, company, operation, times, api_key_id }: UnfiredScenario): string {
  return [
    name,
    company === null ? "for all" : `for ${company}`,
    ...(operation === null ? [] : [`on ${operation}`]),
    ...(api_key_id === null ? [] : [`for the API key ${api_key_id}`]),
    ...(times === null ? [] : [times === 1 ? "once" : `${times} times`]),
  ].join(", ");
}
