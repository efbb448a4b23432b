import type { OperationId } from "../../src/contract/operations.ts";
import { type Scenario, type StepFile, scenarioSchema } from "../../src/scenarios/scenario.ts";
import { pointsOf } from "../../src/scenarios/step.ts";
import type { TestOptions } from "./open-sandbox.ts";

/** Makes a scenario from its steps. */
function scenarioOf(
  steps: readonly object[],
  rest: { on?: OperationId[]; points?: string[]; then?: string } = {},
): Scenario {
  const leads = steps.flatMap((step) => pointsOf(step as StepFile, rest.on ?? ["orderPhysicalCard"]));
  return scenarioSchema().parse({
    name: "own",
    title: "Own",
    description: "Own",
    spec: ["§4"],
    points: [...leads, "order.created"],
    steps,
    example: [{ expect: {} }],
    ...rest,
  });
}

/** The options of a sandbox that has such a scenario, named `own`. */
export const own = (steps: readonly object[], rest?: Parameters<typeof scenarioOf>[1]): TestOptions => ({
  scenarios: [scenarioOf(steps, rest)],
});
