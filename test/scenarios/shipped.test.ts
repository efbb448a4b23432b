import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { runExample, type Way, ways } from "../support/run-example.ts";

const scenarios = readShippedScenarios();

/** The scenarios that `Prefer: code` chooses for orders and token exchanges. */
const byCode = [
  "quota-reached",
  "forbidden",
  "account-not-found",
  "conflict",
  "issuer-bad-gateway",
  "issuer-unavailable",
  "unauthorized",
  "invalid-request",
  "key-revoked",
  "token-unavailable",
  "rate-limited",
];

/** Whether a scenario can be chosen in this way. */
function applies({ name, on }: Scenario, way: Way): boolean {
  if (way === "by the order's name") return on.includes("orderPhysicalCard");
  return way !== "by Prefer: code" || byCode.includes(name);
}

test("the folder contains the listed scenarios and no others", () => {
  const files = readdirSync(new URL("../../scenarios", import.meta.url)).filter((file) =>
    /\.yaml$/.test(file),
  );
  expect(files.toSorted()).toEqual(shippedScenarios.map((name) => `${name}.yaml`).toSorted());
});

describe.each(ways)("the example of each scenario, chosen %s:", (way) => {
  test.each(scenarios.filter((each) => applies(each, way)).map(({ name }) => name))("%s", async (name) => {
    const scenario = scenarios.find((each) => each.name === name) as Scenario;
    const met = new Set(await runExample(scenario, way));
    // Needs an existing card: card-changes.test.ts covers it.
    met.add("cards.change_in_progress");
    expect(
      scenario.points.filter((point) => !met.has(point)),
      "points that were not met",
    ).toEqual([]);
  });
});
