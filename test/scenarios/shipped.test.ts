import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { runExample, type Way, ways } from "../support/run-example.ts";

const scenarios = readShippedScenarios();

/** The first with each status, by operation. */
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

/** Whether a scenario can be chosen so: a name is an order's, and a status leads to the first that has it. */
function applies({ name, on }: Scenario, way: Way): boolean {
  if (way === "by the order's name") return on.includes("orderPhysicalCard");
  return way !== "by Prefer: code" || byCode.includes(name);
}

test("the folder holds these and no others", () => {
  const files = readdirSync(new URL("../../scenarios", import.meta.url)).filter((file) =>
    /\.yaml$/.test(file),
  );
  expect(files.toSorted()).toEqual(shippedScenarios.map((name) => `${name}.yaml`).toSorted());
});

describe.each(ways)("each example holds, %s:", (way) => {
  test.each(scenarios.filter((each) => applies(each, way)).map(({ name }) => name))("%s", async (name) => {
    const scenario = scenarios.find((each) => each.name === name) as Scenario;
    const met = new Set(await runExample(scenario, way));
    // It needs a card that is there already: card-changes.test.ts meets it by each change.
    met.add("cards.change_in_progress");
    expect(
      scenario.points.filter((point) => !met.has(point)),
      "points that were not met",
    ).toEqual([]);
  });
});
