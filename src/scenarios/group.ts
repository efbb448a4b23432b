import type { Scenario } from "./scenario.ts";
import { shippedScenarios } from "./shipped.ts";
import { leavesOf } from "./step.ts";

/** What a scenario forces; `own`: it is a scenario of the user. */
export const scenarioGroups = ["own", "refusal", "access", "issuer", "connection", "webhook"] as const;
export type ScenarioGroup = (typeof scenarioGroups)[number];

/** The facts and faults of each group. A scenario belongs to the first group that it has one of. */
const effects: readonly (readonly [ScenarioGroup, RegExp])[] = [
  ["webhook", /^faults\.webhook\./],
  ["connection", /^faults\.(response\.|request\.(dropped|latency)|issuer\.disconnect)/],
  ["issuer", /^(faults\.issuer\.|facts\.used_unreadable)/],
  ["access", /^(faults\.token\.|facts\.(token|key_revoked|permissions|entitled)$)/],
];

const shipped = new Set<string>(shippedScenarios);

export function groupOf({ name, steps }: Scenario): ScenarioGroup {
  if (!shipped.has(name)) return "own";
  const paths = steps.flatMap((step) => [...leavesOf(step)].map(({ path }) => path));
  return effects.find(([, effect]) => paths.some((path) => effect.test(path)))?.[0] ?? "refusal";
}

const losses = /^faults\.(response\.(reset|empty|silent_ms|truncated)|request\.dropped|issuer\.disconnect)$/;

/** Whether the client of one of its requests gets no whole response. */
export function losesResponse({ steps }: Pick<Scenario, "steps">): boolean {
  return steps.some((step) => [...leavesOf(step)].some(({ path }) => losses.test(path)));
}
